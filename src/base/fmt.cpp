// fmt, compiled here for all modules. They include its headers as a program does that links fmt, and use fmt::format
// alone, which wants nothing of the library but fmt::vformat. So the installed library does not depend on fmt, and no
// other file compiles it again, which takes three seconds each.

#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace slidemesh {

/// Nothing calls it here: it is kept for the others.
[[gnu::used]] static std::string (*const kKept)(fmt::string_view, fmt::format_args) = fmt::vformat;

}  // namespace slidemesh

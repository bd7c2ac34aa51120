#include "slidemesh/base/fail.h"

#include <fmt/core.h>

namespace slidemesh {

std::string complaint(std::string_view where, std::string_view expected, std::string_view got) {
  return fmt::format("{}: expected {}, got {}", where, expected, got);
}

std::string line_of(const std::filesystem::path& path, long line) { return fmt::format("{}:{}", path.string(), line); }

}  // namespace slidemesh

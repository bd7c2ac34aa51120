#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "slidemesh/base/errors.h"

namespace slidemesh {

/// "where: expected ..., got ...": the one line that every complaint about input is.
[[nodiscard]] std::string complaint(std::string_view where, std::string_view expected, std::string_view got);

/// Throws it as an error of the given kind, such as `fail<DataError>(...)`. Where nothing in particular was expected,
/// throw the kind itself and say plainly what happened: "out of memory".
template <class Kind>
[[noreturn]] void fail(std::string_view where, std::string_view expected, std::string_view got) {
  throw Kind(complaint(where, expected, got));
}

/// The same unless `holds`. What is to be said is made in any case: for what is checked once, not for every row.
template <class Kind>
void require(bool holds, std::string_view where, std::string_view expected, std::string_view got) {
  if (!holds) {
    fail<Kind>(where, expected, got);
  }
}

/// `file:line`, a place for the above.
[[nodiscard]] std::string line_of(const std::filesystem::path& path, long line);

}  // namespace slidemesh

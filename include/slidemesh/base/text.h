#pragma once

#include <string>
#include <string_view>

namespace slidemesh::text {

/// The shortest decimal that reads back as the same double.
[[nodiscard]] std::string shortest(double value);

/// A piece of input for a message: short, in quotes, and without bytes that a terminal would obey. Characters of UTF-8
/// are shown as they are, other bytes by their hexadecimal code.
[[nodiscard]] std::string quoted(std::string_view token, char quote = '\'');

}  // namespace slidemesh::text

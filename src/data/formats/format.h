#pragma once

#include <array>
#include <charconv>
#include <string>

namespace slidemesh::text {

/// The shortest decimal that reads back as the same double.
inline std::string shortest(double value) {
  std::array<char, 32> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), result.ptr};
}

}  // namespace slidemesh::text

#pragma once

#include <cstdint>
#include <string>

namespace slidemesh::text {

/// 20000000 → "20,000,000", for people; of numbers that are not negative.
[[nodiscard]] inline std::string grouped(std::int64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    text += i > 0 && (digits.size() - i) % 3 == 0 ? "," : "";
    text += digits[i];
  }
  return text;
}

}  // namespace slidemesh::text

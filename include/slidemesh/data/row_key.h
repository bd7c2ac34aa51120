#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace slidemesh {

/// What a row is called where it comes from: its number in a file, from 1, or its key in a database, a number or text.
using RowKey = std::variant<std::int64_t, std::string>;

/// As it is shown to people.
[[nodiscard]] inline std::string to_text(const RowKey& key) {
  const auto* number = std::get_if<std::int64_t>(&key);
  return number != nullptr ? std::to_string(*number) : std::get<std::string>(key);
}

}  // namespace slidemesh

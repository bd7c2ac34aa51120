#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace slidemesh::text {

/// The shortest decimal that reads back as the same double.
[[nodiscard]] std::string shortest(double value);

/// A piece of input for a message: short, in quotes, and without bytes that a terminal would obey. Characters of UTF-8
/// are shown as they are, other bytes by their hexadecimal code.
[[nodiscard]] std::string quoted(std::string_view token, char quote = '\'');

/// The items' words with `separator` between them. What of an item is its word, `word` says: a member, or a function.
template <class Items, class Word = std::identity>
[[nodiscard]] std::string joined(const Items& items, std::string_view separator = ", ", Word word = {}) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    text += first ? "" : separator;
    text += std::invoke(word, item);
    first = false;
  }
  return text;
}

}  // namespace slidemesh::text

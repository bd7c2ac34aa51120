#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slidemesh {

/// The length in bytes of the character that `bytes` begin with, or 0 if they begin with none: no overlong form, no
/// surrogate, nothing beyond U+10FFFF (RFC 3629).
[[nodiscard]] std::size_t utf8_character(std::string_view bytes) noexcept;

/// Whether this is text in UTF-8, which has no NUL.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

/// How many characters there are; a byte that is none counts as one.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

/// The first so many characters.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t characters) noexcept;

/// The one of `known` with the fewest edits from `word`, for "did you mean"; empty if none is near.
[[nodiscard]] std::string nearest_word(std::string_view word, std::span<const std::string> known);

/// What some things are called.
template <class Items>
[[nodiscard]] std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) {
    names.emplace_back(item.name);
  }
  return names;
}

}  // namespace slidemesh

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

/// The first few of some words and how many more there are: "a, b and 3 more".
[[nodiscard]] std::string some_of(std::span<const std::string> words, std::size_t most);

/// Letters A to Z as a to z, all else as it is.
[[nodiscard]] std::string lower_case(std::string_view text);

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

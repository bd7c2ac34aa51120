#include "slidemesh/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <vector>

namespace slidemesh {
namespace {

struct Form {
  unsigned char first, last;    // of the first byte
  unsigned char second, until;  // of the second
  std::size_t length;
};

// Table 3-7 of the Unicode standard: what makes a sequence well formed is decided by its first two bytes.
constexpr Form kForms[] = {{0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                           {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                           {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

bool fits(std::string_view bytes, const Form& form) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < form.length || byte(0) < form.first || byte(0) > form.last) {
    return false;
  }
  for (std::size_t i = 1; i < form.length; ++i) {
    if (byte(i) < (i == 1 ? form.second : 0x80) || byte(i) > (i == 1 ? form.until : 0xbf)) {
      return false;
    }
  }
  return true;
}

/// Levenshtein's distance.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::size_t utf8_character(std::string_view bytes) noexcept {
  for (const Form& form : kForms) {
    if (fits(bytes, form)) {
      return form.length;
    }
  }
  return 0;
}

bool is_utf8(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const std::size_t length = utf8_character(bytes);
    if (length == 0) {
      return false;
    }
    bytes.remove_prefix(length);
  }
  return true;
}

std::size_t utf8_length(std::string_view text) noexcept {
  std::size_t length = 0;
  for (; !text.empty(); ++length) {
    text.remove_prefix(std::max<std::size_t>(utf8_character(text), 1));
  }
  return length;
}

std::string_view utf8_prefix(std::string_view text, std::size_t characters) noexcept {
  std::size_t bytes = 0;
  for (; characters > 0 && bytes < text.size(); --characters) {
    bytes += std::max<std::size_t>(utf8_character(text.substr(bytes)), 1);
  }
  return text.substr(0, bytes);
}

std::string nearest_word(std::string_view word, std::span<const std::string> known) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(word, candidate);
    if (distance < fewest) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace slidemesh

namespace slidemesh::text {
namespace {

/// Whether a terminal shows the character, which is well formed, and obeys nothing in it. U+0080 to U+009F are
/// controls; U+200B to U+200F, U+202A to U+202E, U+2060 to U+206F and U+FEFF take no space or turn the text around.
bool is_shown(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) {
    return byte(0) >= 0x20 && byte(0) < 0x7f;
  }
  if (character.size() == 2) {
    return byte(0) != 0xc2 || byte(1) >= 0xa0;
  }
  if (byte(0) == 0xe2 && byte(1) == 0x80) {
    return byte(2) < 0x8b || (byte(2) > 0x8f && byte(2) < 0xaa) || byte(2) > 0xae;
  }
  return !(byte(0) == 0xe2 && byte(1) == 0x81 && byte(2) >= 0xa0 && byte(2) <= 0xaf) && character != "\xef\xbb\xbf";
}

}  // namespace

std::string shortest(double value) {
  std::array<char, 32> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), result.ptr};
}

std::string quoted(std::string_view token, char quote) {
  constexpr std::size_t kLongest = 40;
  std::string result(1, quote);
  std::size_t at = 0;
  while (at < token.size() && at < kLongest) {
    const std::size_t length = utf8_character(token.substr(at));
    if (length > 0 && is_shown(token.substr(at, length))) {
      result += token.substr(at, length);
      at += length;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(token[at++]));
    }
  }
  return result + (at < token.size() ? "..." : "") + quote;
}

std::string some_of(std::span<const std::string> words, std::size_t most) {
  const std::string all = joined(words.first(std::min(most, words.size())));
  return words.size() > most ? all + " and " + std::to_string(words.size() - most) + " more" : all;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
  return lower;
}

}  // namespace slidemesh::text

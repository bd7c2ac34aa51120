#include "slidemesh/base/text.h"

#include <array>
#include <charconv>

#include "slidemesh/base/utf8.h"

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
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string result(1, quote);
  std::size_t at = 0;
  while (at < token.size() && at < kLongest) {
    const std::size_t length = utf8_character(token.substr(at));
    if (length > 0 && is_shown(token.substr(at, length))) {
      result += token.substr(at, length);
      at += length;
    } else {
      const auto byte = static_cast<unsigned char>(token[at++]);
      result += "\\x";
      result += kHex[byte >> 4U];
      result += kHex[byte & 15U];
    }
  }
  return result + (at < token.size() ? "..." : "") + quote;
}

}  // namespace slidemesh::text

#include "slidemesh/base/utf8.h"

#include <algorithm>

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

}  // namespace slidemesh

#include "number.h"

#include <algorithm>

namespace slidemesh::text {

std::string quoted(std::string_view token) {
  constexpr std::size_t kLongest = 40;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string result = "'";
  for (const char c : token.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += "\\x";
      result += kHex[byte >> 4U];
      result += kHex[byte & 15U];
    }
  }
  return result + (token.size() > kLongest ? "...'" : "'");
}

}  // namespace slidemesh::text

#include "text.h"

#include <array>
#include <charconv>

namespace slidemesh::detail {

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

}  // namespace slidemesh::detail

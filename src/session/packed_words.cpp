#include "packed_words.h"

namespace slidemesh::packed_words {

std::optional<std::size_t> size_at(std::string_view bytes, std::size_t words) {
  const std::size_t masks = mask_words(words);
  if (masks > bytes.size() / kWord) {
    return std::nullopt;
  }
  std::size_t nonzeros = 0;
  for (std::size_t m = 0; m < masks; ++m) {
    const std::uint64_t bits = word_at(bytes, m);
    const std::size_t left = words - m * kBits;
    if (left < kBits && bits >> left != 0) {
      return std::nullopt;
    }
    nonzeros += static_cast<std::size_t>(std::popcount(bits));
  }
  return masks + nonzeros <= bytes.size() / kWord ? std::optional(size_of(words, nonzeros)) : std::nullopt;
}

}  // namespace slidemesh::packed_words

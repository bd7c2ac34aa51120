#pragma once

// Words of eight bytes without those that are zero: a bit for each word, in order, in words of their own, and then the
// words whose bits are set. Never more than a 64th longer than the words themselves, and n bytes are never more than
// 64 n when they are unpacked.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace slidemesh::packed_words {

inline constexpr std::size_t kWord = 8;
inline constexpr std::size_t kBits = 64;
inline constexpr std::size_t kFewest = 64;  ///< words that are worth it

inline std::size_t mask_words(std::size_t words) { return (words + kBits - 1) / kBits; }
inline std::size_t size_of(std::size_t words, std::size_t nonzeros) { return (mask_words(words) + nonzeros) * kWord; }

inline bool is_shorter(std::size_t words, std::size_t nonzeros) {
  return words >= kFewest && size_of(words, nonzeros) < words * kWord;
}

inline std::uint64_t word_at(std::string_view bytes, std::size_t k) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + k * kWord, kWord);
  return word;
}

/// Writes so many words behind `bytes`: those that are not zero, by ascending places. Done when it ends.
class Packer {
 public:
  Packer(std::string& bytes, std::size_t words) : bytes_(bytes), mask_(bytes.size()) {
    bytes_.resize(mask_ + mask_words(words) * kWord, '\0');
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { flush(); }

  void put(std::size_t place, std::uint64_t word) {
    if (place / kBits != group_) {
      flush();
      group_ = place / kBits;
    }
    bits_ |= std::uint64_t{word != 0 ? 1U : 0U} << place % kBits;
    numbers_[count_] = word;
    count_ += word != 0 ? 1 : 0;
  }

 private:
  void flush() {
    std::memcpy(bytes_.data() + mask_ + group_ * kWord, &bits_, count_ > 0 ? kWord : 0);
    bytes_.append(reinterpret_cast<const char*>(numbers_.data()), count_ * kWord);
    bits_ = 0;
    count_ = 0;
  }

  std::string& bytes_;
  std::size_t mask_;       ///< where the bits begin
  std::size_t group_ = 0;  ///< of 64 words, that is under way
  std::uint64_t bits_ = 0;
  std::size_t count_ = 0;
  std::array<std::uint64_t, kBits + 1> numbers_ = {};  ///< one more, where a zero may be put down
};

/// How many bytes so many packed words take at the beginning of `bytes`; nothing where they are not there.
std::optional<std::size_t> size_at(std::string_view bytes, std::size_t words);

/// Words first .. first + count - 1 of `packed`, whose size is known to be right: body(place, word) for those that are
/// not zero, places counted from `first`.
template <class Body>
void for_each(std::string_view packed, std::size_t words, std::size_t first, std::size_t count, Body&& body) {
  std::size_t next = mask_words(words);
  for (std::size_t m = 0; m < first / kBits; ++m) {
    next += static_cast<std::size_t>(std::popcount(word_at(packed, m)));
  }
  const std::size_t end = first + count;
  for (std::size_t m = first / kBits; m * kBits < end; ++m) {
    for (std::uint64_t bits = word_at(packed, m); bits != 0; bits &= bits - 1) {
      const std::size_t place = m * kBits + static_cast<std::size_t>(std::countr_zero(bits));
      if (place >= first && place < end) {
        body(place - first, word_at(packed, next));
      }
      ++next;
    }
  }
}

}  // namespace slidemesh::packed_words

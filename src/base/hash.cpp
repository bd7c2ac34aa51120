#include "slidemesh/base/hash.h"

#define XXH_INLINE_ALL  // a header and nothing to link: the installed library does not depend on it
#include <xxhash.h>

#include <bit>

namespace slidemesh {

std::uint64_t hash_of(std::string_view bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

// Each piece is hashed with what came before as the seed, and its length is a part of that.
void Hash::add_bytes(const void* data, std::size_t size) noexcept {
  state_ = XXH3_64bits_withSeed(data, size, state_ + size);
}

void Hash::add(std::uint64_t word) noexcept { add_bytes(&word, sizeof word); }
void Hash::add(double value) noexcept { add(std::bit_cast<std::uint64_t>(value)); }
void Hash::add(std::string_view text) noexcept { add_bytes(text.data(), text.size()); }

}  // namespace slidemesh

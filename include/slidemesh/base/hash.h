#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace slidemesh {

/// 64 bits of XXH3 over bytes: tells contents apart that differ by mistake, not by malice.
[[nodiscard]] std::uint64_t hash_of(std::string_view bytes) noexcept;

/// The same for contents that come in pieces. Pieces do not run into one another: "ab", "c" is not "a", "bc".
class Hash {
 public:
  void add(std::uint64_t word) noexcept;
  void add(double value) noexcept;
  void add(std::string_view text) noexcept;
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

 private:
  void add_bytes(const void* data, std::size_t size) noexcept;

  std::uint64_t state_ = 0;
};

}  // namespace slidemesh

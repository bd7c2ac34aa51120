#pragma once

// One process's part of a checkpoint. All numbers are in the machine's own byte order, and the mark says which:
//
//   "SLMCHECK"  u32 mark  u32 version  u64 size of what follows the header  u64 checksum of that
//   entries:  u32 type  u32 length of name  i64 node  i64 rows  i64 columns  name  data     name and data padded to 8
//
// The data of a matrix, a vector or a list that is shorter without its zeros has none of them (packed_words.h), and the
// type is marked so: iterates of a million columns are mostly zero, and a run keeps a copy of its state.
//
// The first entries are the identity, the others the state in the order in which it was visited.

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "slidemesh/linalg/types.h"

namespace slidemesh::checkpoint_format {

inline constexpr std::string_view kMagic = "SLMCHECK";
inline constexpr std::uint32_t kMark = 0x01020304U;
inline constexpr std::uint32_t kVersion = 4;
inline constexpr std::size_t kHeader = 32;
inline constexpr std::size_t kEntryHeader = 32;
inline constexpr std::size_t kWord = 8;
inline constexpr Count kMostSettings = 100'000;

inline constexpr std::uint32_t kPacked = 0x100U;  ///< beside the type

enum Type : std::uint32_t { kText = 1, kDouble, kCount, kMatrix, kVector, kDoubles, kCounts };
inline constexpr std::array<const char*, 8> kTypeNames{"?",        "text",     "a number", "a count",
                                                       "a matrix", "a vector", "numbers",  "counts"};

inline std::size_t padded(std::size_t size) { return (size + kWord - 1) / kWord * kWord; }

template <class T>
void put(std::string& bytes, T value) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  bytes.append(raw.data(), raw.size());
}

template <class T>
T get(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

inline std::string shape(Index rows, Index columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

}  // namespace slidemesh::checkpoint_format

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace slidemesh {

/// Bytes in order, from wherever they are. Reading takes bounded memory.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills the front of `into` and says how much of it; 0 only at the end.
  virtual std::size_t read(std::span<char> into) = 0;
};

/// How a file is packed, told by its first bytes: its name is not asked.
enum class Compression { kNone, kGzip, kBzip2, kXz, kZstd };

[[nodiscard]] Compression compression_of(std::string_view first_bytes);

/// The contents of a file, unpacked on the way. A missing or unreadable file and an archive that is
/// cut short or damaged throw a DataError that names the file.
[[nodiscard]] std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path);

/// The same for bytes in memory (which must outlive the stream); `name` stands for the file in errors.
[[nodiscard]] std::unique_ptr<ByteStream> open_bytes(std::string_view memory, std::string name);

}  // namespace slidemesh

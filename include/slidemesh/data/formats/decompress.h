#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
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

/// How a file is packed, by its first bytes and not its name.
enum class Compression { kNone, kGzip, kBzip2, kXz, kZstd };

[[nodiscard]] Compression compression_of(std::string_view first_bytes);

/// The contents of a file, unpacked on the way. A missing or unreadable file and an archive that is
/// cut short or damaged throw a DataError that names the file.
[[nodiscard]] std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path);

/// Some bytes of a plain file, from the start of a line on.
struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t lines_before = 0;  ///< in the file: messages count from there
};

/// The bytes of a range and no others. With `beyond`, what follows them too, but in small pieces: for whoever looks
/// for the end of a line that begins in the range.
[[nodiscard]] std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path, const ByteRange& range,
                                                     bool beyond = false);

/// The size of a file of plain bytes; nothing for one that is packed, or is no regular file.
[[nodiscard]] std::optional<std::int64_t> plain_size(const std::filesystem::path& path);

/// The same for bytes in memory (which must outlive the stream); `name` stands for the file in errors.
[[nodiscard]] std::unique_ptr<ByteStream> open_bytes(std::string_view memory, std::string name);

}  // namespace slidemesh

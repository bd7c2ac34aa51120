#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace slidemesh {

/// Puts `bytes` at `path` so that a reader, a crash or a power cut finds the old file or the new one
/// and never a part: a temporary file in the same directory, flushed to disk, renamed over `path`, and
/// the directory flushed too. Who may read it says file_access.h. A UsageError names the path and the reason.
void atomic_write(const std::filesystem::path& path, std::string_view bytes);

/// The largest text file that a reader of this module takes into memory.
inline constexpr std::size_t kLargestTextFile = std::size_t{1} << 30U;

/// The whole file. A DataError names the path and the reason: absent, a directory, too large.
[[nodiscard]] std::string read_text(const std::filesystem::path& path, std::size_t limit = kLargestTextFile);

/// Makes the directory and its parents where they are missing, with the rights of file_access.h. UsageError if that
/// cannot be done.
void make_directory(const std::filesystem::path& path);

}  // namespace slidemesh

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace slidemesh {

/// Who may read what this process writes. Models, traces, ledgers and checkpoints are derived from private rows, so by
/// default their owner alone may, whatever the umask says.
enum class FileAccess { kOwner, kUmask };

/// For all files and directories that are made from now on, by any thread.
void set_file_access(FileAccess access);

/// What to give open(2) and mkdir(2) for new files and directories.
[[nodiscard]] mode_t new_file_mode();
[[nodiscard]] mode_t new_directory_mode();

/// Takes others' rights from a file that was there before, where files are their owner's alone. Devices and pipes keep
/// theirs.
void restrict_access(int descriptor);

/// Makes the file, empty, where there is none, for streams that take no mode; and restricts one that is there.
/// Returns `path`. Says nothing where it fails: whoever opens the file then will.
const std::filesystem::path& claim_file(const std::filesystem::path& path);

/// Writes all of them to a descriptor; false, with errno, where that cannot be done.
[[nodiscard]] bool write_all(int descriptor, std::string_view bytes);

/// A file that is written piece by piece, so that a reader, a crash or a power cut finds the old file or the new one
/// and never a part: a temporary file in the same directory, flushed to disk, renamed over `path`, and the directory
/// flushed too. Who may read it says FileAccess. UsageErrors name the path and the reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  /// Removes what was written, if it was not kept.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Puts all that was written at `path`.
  void keep();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;  ///< empty once it was kept
  int descriptor_ = -1;
};

/// The same for bytes that are there.
void atomic_write(const std::filesystem::path& path, std::string_view bytes);

/// The largest text file that a reader of this module takes into memory.
inline constexpr std::size_t kLargestTextFile = std::size_t{1} << 30U;

/// The whole file. A DataError names the path and the reason: absent, a directory, too large.
[[nodiscard]] std::string read_text(const std::filesystem::path& path, std::size_t limit = kLargestTextFile);

/// Makes the directory and its parents where they are missing, with the rights that FileAccess says. UsageError if that
/// cannot be done.
void make_directory(const std::filesystem::path& path);

}  // namespace slidemesh

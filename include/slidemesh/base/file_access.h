#pragma once

#include <sys/types.h>

#include <filesystem>

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

}  // namespace slidemesh

#include "slidemesh/base/file_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace slidemesh {
namespace {

std::atomic<FileAccess> access{FileAccess::kOwner};

constexpr mode_t kOwnersFile = S_IRUSR | S_IWUSR;
constexpr mode_t kOwnersDirectory = S_IRWXU;
constexpr mode_t kAnyonesFile = 0666;  // less the umask
constexpr mode_t kAnyonesDirectory = 0777;

}  // namespace

void set_file_access(FileAccess wanted) { access = wanted; }

mode_t new_file_mode() { return access == FileAccess::kOwner ? kOwnersFile : kAnyonesFile; }
mode_t new_directory_mode() { return access == FileAccess::kOwner ? kOwnersDirectory : kAnyonesDirectory; }

void restrict_access(int descriptor) {
  struct stat status {};
  const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (access == FileAccess::kOwner && is_file && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    static_cast<void>(::fchmod(descriptor, kOwnersFile));  // another user's file stays as that user wants it
  }
}

const std::filesystem::path& claim_file(const std::filesystem::path& path) {
  // Without O_NONBLOCK a pipe that nobody reads would be waited for here.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, new_file_mode());
  if (descriptor >= 0) {
    restrict_access(descriptor);
    ::close(descriptor);
  }
  return path;
}

}  // namespace slidemesh

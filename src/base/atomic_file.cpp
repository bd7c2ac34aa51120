#include "slidemesh/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "slidemesh/base/fail.h"

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

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

namespace {

std::string reason(int error) { return std::system_category().message(error); }

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error) {
  throw UsageError(path.string() + ": cannot write: " + reason(error));
}

/// Makes the rename itself durable. Some file systems cannot flush a directory; then there is nothing to do.
void flush_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  constexpr int kAttempts = 100;  // names left behind by a killed process of the same id
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name(".");
    name += path_.filename().string() + "." + std::to_string(::getpid()) + "." + std::to_string(attempt) + ".tmp";
    temporary_ = path_.parent_path() / name;
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, new_file_mode());
    if (descriptor_ >= 0 || errno != EEXIST) {
      break;
    }
  }
  if (descriptor_ < 0) {
    cannot_write(path_, errno);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
}

void AtomicFile::write(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) {
    cannot_write(path_, errno);
  }
}

void AtomicFile::keep() {
  const bool is_flushed = ::fsync(descriptor_) == 0 && ::close(std::exchange(descriptor_, -1)) == 0;
  if (!is_flushed || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    cannot_write(path_, errno);
  }
  temporary_.clear();
  flush_directory(path_.parent_path());
}

void atomic_write(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.keep();
}

std::string read_text(const std::filesystem::path& path, std::size_t limit) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw DataError(path.string() + ": cannot read: " + reason(errno));
  }
  std::string text;
  constexpr std::size_t kChunk = std::size_t{1} << 16U;
  ssize_t got = 0;
  int error = 0;
  do {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    got = ::read(descriptor, text.data() + before, kChunk);
    error = got < 0 ? errno : 0;
    text.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
  } while ((got > 0 && text.size() <= limit) || error == EINTR);
  ::close(descriptor);
  if (error != 0) {
    throw DataError(path.string() + ": cannot read: " + reason(error));
  }
  require<DataError>(text.size() <= limit, path.string(), fmt::format("at most {} bytes", limit), "more");
  return text;
}

void make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path partial;
  for (const auto& part : path) {
    partial /= part;
    const int refused = ::mkdir(partial.c_str(), new_directory_mode()) == 0 ? 0 : errno;
    if (refused != 0 && !std::filesystem::exists(partial, error)) {
      throw UsageError(path.string() + ": cannot make the directory: " + reason(refused));
    }
  }
  require<UsageError>(std::filesystem::is_directory(path, error), path.string(), "a directory", "a file");
}

}  // namespace slidemesh

#include "slidemesh/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/file_access.h"

namespace slidemesh {
namespace {

std::string reason(int error) { return std::system_category().message(error); }

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error) {
  throw UsageError(path.string() + ": cannot write: " + reason(error));
}

/// A file that is closed, and if it was not kept also removed, when it goes out of scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target) {
    constexpr int kAttempts = 100;  // names left behind by a killed process of the same id
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::string name(".");
      name += target.filename().string() + "." + std::to_string(::getpid()) + "." + std::to_string(attempt) + ".tmp";
      path_ = target.parent_path() / name;
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, new_file_mode());
      if (descriptor_ >= 0 || errno != EEXIST) {
        break;
      }
    }
    if (descriptor_ < 0) {
      cannot_write(target, errno);
    }
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
    if (!kept_) {
      ::unlink(path_.c_str());
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
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
  [[nodiscard]] bool flush_and_close() {
    return ::fsync(descriptor_) == 0 && ::close(std::exchange(descriptor_, -1)) == 0;
  }
  [[nodiscard]] bool rename_to(const std::filesystem::path& target) {
    kept_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return kept_;
  }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool kept_ = false;
};

/// Makes the rename itself durable. Some file systems cannot flush a directory; then there is nothing to do.
void flush_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

}  // namespace

void atomic_write(const std::filesystem::path& path, std::string_view bytes) {
  TemporaryFile file(path);
  if (!file.write(bytes) || !file.flush_and_close() || !file.rename_to(path)) {
    cannot_write(path, errno);
  }
  flush_directory(path.parent_path());
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
  if (text.size() > limit) {
    fail<DataError>(path.string(), fmt::format("at most {} bytes", limit), "more");
  }
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
  if (!std::filesystem::is_directory(path, error)) {
    fail<UsageError>(path.string(), "a directory", "a file");
  }
}

}  // namespace slidemesh

#include "slidemesh/data/formats/decompress.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "slidemesh/base/fail.h"
#include "unpackers.h"

namespace slidemesh {
namespace {

constexpr std::size_t kMagicBytes = 6;

class FileBytes final : public ByteStream {
 public:
  explicit FileBytes(const std::filesystem::path& path)
      : name_(path.string()), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) {
      fail(errno);
    }
    if (S_ISDIR(status.st_mode)) {
      ::close(file_);
      slidemesh::fail<DataError>(name_, "a file", "a directory");
    }
    ::posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() override { ::close(file_); }

  void skip_to(std::int64_t place) {
    if (::lseek(file_, place, SEEK_SET) < 0) {
      fail(errno);
    }
  }

  /// Of a regular file.
  [[nodiscard]] std::optional<std::int64_t> size() const {
    struct stat status {};
    return ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode) ? std::optional<std::int64_t>(status.st_size)
                                                                   : std::nullopt;
  }

  std::size_t read(std::span<char> into) override {
    for (;;) {
      const ssize_t got = ::read(file_, into.data(), into.size());
      if (got >= 0) {
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) {
        fail(errno);
      }
    }
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw DataError(name_ + ": expected a file that can be read, got: " + std::strerror(error));
  }

  std::string name_;
  int file_;
};

/// A part of a file, for `open_bytes` of a range.
class RangeBytes final : public ByteStream {
 public:
  RangeBytes(const std::filesystem::path& path, const ByteRange& range, bool beyond)
      : file_(path), left_(range.end - range.begin), beyond_(beyond) {
    file_.skip_to(range.begin);
  }

  std::size_t read(std::span<char> into) override {
    if (left_ <= 0 && !beyond_) {
      return 0;
    }
    const std::size_t most = left_ > 0 ? static_cast<std::size_t>(left_) : kPieceBeyond;
    const std::size_t got = file_.read(into.first(std::min(into.size(), most)));
    left_ -= static_cast<std::int64_t>(got);
    return got;
  }

 private:
  static constexpr std::size_t kPieceBeyond = 4096;

  FileBytes file_;
  std::int64_t left_;
  bool beyond_;
};

class MemoryBytes final : public ByteStream {
 public:
  explicit MemoryBytes(std::string_view memory) : rest_(memory) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t size = std::min(into.size(), rest_.size());
    std::copy_n(rest_.data(), size, into.data());
    rest_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view rest_;
};

/// Gives back the bytes that were read to look at the magic number, then the rest.
class Rewound final : public ByteStream {
 public:
  Rewound(std::string front, std::unique_ptr<ByteStream> rest) : front_(std::move(front)), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> into) override {
    if (given_ == front_.size()) {
      return rest_->read(into);
    }
    const std::size_t size = std::min(into.size(), front_.size() - given_);
    std::copy_n(front_.data() + given_, size, into.data());
    given_ += size;
    return size;
  }

 private:
  std::string front_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

std::unique_ptr<ByteStream> unpack(std::unique_ptr<ByteStream> raw, std::string name) {
  std::string front(kMagicBytes, '\0');
  std::size_t size = 0;
  while (size < front.size()) {
    const std::size_t got = raw->read(std::span(front).subspan(size));
    if (got == 0) {
      break;
    }
    size += got;
  }
  front.resize(size);
  const Compression compression = compression_of(front);
  return unpacked(compression, std::make_unique<Rewound>(std::move(front), std::move(raw)), std::move(name));
}

}  // namespace

Compression compression_of(std::string_view first_bytes) {
  using namespace std::string_view_literals;
  static constexpr std::pair<std::string_view, Compression> kMagic[] = {{"\x1f\x8b"sv, Compression::kGzip},
                                                                        {"BZh"sv, Compression::kBzip2},
                                                                        {"\xfd"
                                                                         "7zXZ\0"sv,
                                                                         Compression::kXz},
                                                                        {"\x28\xb5\x2f\xfd"sv, Compression::kZstd}};
  for (const auto& [magic, compression] : kMagic) {
    if (first_bytes.starts_with(magic)) {
      return compression;
    }
  }
  return Compression::kNone;
}

std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path) {
  return unpack(std::make_unique<FileBytes>(path), path.string());
}

std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path, const ByteRange& range, bool beyond) {
  return std::make_unique<RangeBytes>(path, range, beyond);
}

std::optional<std::int64_t> plain_size(const std::filesystem::path& path) {
  FileBytes file(path);
  const auto size = file.size();
  if (!size) {
    return std::nullopt;
  }
  std::string front(kMagicBytes, '\0');
  front.resize(file.read(front));
  return compression_of(front) == Compression::kNone ? size : std::nullopt;
}

std::unique_ptr<ByteStream> open_bytes(std::string_view memory, std::string name) {
  return unpack(std::make_unique<MemoryBytes>(memory), std::move(name));
}

}  // namespace slidemesh

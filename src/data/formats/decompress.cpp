#include "slidemesh/data/formats/decompress.h"

#include <fmt/format.h>

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{64} << 10U;
constexpr std::size_t kMagicBytes = 6;
constexpr std::uint64_t kXzMemoryLimit = std::uint64_t{512} << 20U;

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

/// What the four unpackers share: a buffer of packed bytes, and the words for what went wrong.
class Unpacker : public ByteStream {
 public:
  Unpacker(std::unique_ptr<ByteStream> packed, std::string name, const char* format)
      : packed_(std::move(packed)), name_(std::move(name)), format_(format), buffer_(kPackedBytes) {}

 protected:
  /// Makes sure that there is packed input, unless the file is at its end.
  void refill() {
    if (begin_ == end_ && !at_end_) {
      begin_ = 0;
      end_ = packed_->read(buffer_);
      at_end_ = end_ == 0;
    }
  }
  [[nodiscard]] char* input() { return buffer_.data() + begin_; }
  [[nodiscard]] std::size_t available() const { return end_ - begin_; }
  void consumed(std::size_t bytes) { begin_ += bytes; }
  [[nodiscard]] bool at_end() const { return at_end_ && begin_ == end_; }

  [[noreturn]] void fail_truncated() const {
    slidemesh::fail<DataError>(name_, fmt::format("a whole {} archive", format_), "one that is cut short");
  }
  [[noreturn]] void fail_corrupt() const {
    slidemesh::fail<DataError>(name_, fmt::format("a sound {} archive", format_), "damaged or foreign bytes");
  }
  [[noreturn]] void fail_memory() const {
    slidemesh::fail<DataError>(name_, fmt::format("a {} archive that unpacks in little memory", format_),
                               "one that needs more than is allowed");
  }

 private:
  std::unique_ptr<ByteStream> packed_;
  std::string name_;
  const char* format_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
};

unsigned int clamp_size(std::size_t size) {
  return static_cast<unsigned int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

class GzipBytes final : public Unpacker {
 public:
  GzipBytes(std::unique_ptr<ByteStream> packed, std::string name)
      : Unpacker(std::move(packed), std::move(name), "gzip") {
    constexpr int kGzipWindow = 15 + 16;
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) {
      fail_memory();
    }
  }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  ~GzipBytes() override { ::inflateEnd(&stream_); }

  std::size_t read(std::span<char> into) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = clamp_size(into.size());
    const unsigned int wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      refill();
      if (at_end()) {
        if (inside_) {
          fail_truncated();
        }
        return 0;
      }
      inside_ = true;
      stream_.next_in = reinterpret_cast<Bytef*>(input());
      stream_.avail_in = clamp_size(available());
      const unsigned int given = stream_.avail_in;
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      consumed(given - stream_.avail_in);
      if (status == Z_STREAM_END) {
        inside_ = false;  // another member may follow
        ::inflateReset(&stream_);
      } else if (status == Z_MEM_ERROR) {
        fail_memory();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail_corrupt();
      }
    }
    return wanted - stream_.avail_out;
  }

 private:
  z_stream stream_{};
  bool inside_ = true;
};

class Bzip2Bytes final : public Unpacker {
 public:
  Bzip2Bytes(std::unique_ptr<ByteStream> packed, std::string name)
      : Unpacker(std::move(packed), std::move(name), "bzip2") {
    start();
  }
  Bzip2Bytes(const Bzip2Bytes&) = delete;
  Bzip2Bytes& operator=(const Bzip2Bytes&) = delete;
  ~Bzip2Bytes() override { ::BZ2_bzDecompressEnd(&stream_); }

  std::size_t read(std::span<char> into) override {
    stream_.next_out = into.data();
    stream_.avail_out = clamp_size(into.size());
    const unsigned int wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      refill();
      if (at_end()) {
        if (inside_) {
          fail_truncated();
        }
        return 0;
      }
      inside_ = true;
      stream_.next_in = input();
      stream_.avail_in = clamp_size(available());
      const unsigned int given = stream_.avail_in;
      const int status = ::BZ2_bzDecompress(&stream_);
      consumed(given - stream_.avail_in);
      if (status == BZ_STREAM_END) {
        inside_ = false;
        const auto* out = stream_.next_out;
        const unsigned int left = stream_.avail_out;
        ::BZ2_bzDecompressEnd(&stream_);
        start();
        stream_.next_out = const_cast<char*>(out);
        stream_.avail_out = left;
      } else if (status == BZ_MEM_ERROR) {
        fail_memory();
      } else if (status != BZ_OK) {
        fail_corrupt();
      }
    }
    return wanted - stream_.avail_out;
  }

 private:
  void start() {
    stream_ = bz_stream{};
    if (::BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) {
      fail_memory();
    }
  }

  bz_stream stream_{};
  bool inside_ = true;
};

class XzBytes final : public Unpacker {
 public:
  XzBytes(std::unique_ptr<ByteStream> packed, std::string name) : Unpacker(std::move(packed), std::move(name), "xz") {
    if (::lzma_stream_decoder(&stream_, kXzMemoryLimit, LZMA_CONCATENATED) != LZMA_OK) {
      fail_memory();
    }
  }
  XzBytes(const XzBytes&) = delete;
  XzBytes& operator=(const XzBytes&) = delete;
  ~XzBytes() override { ::lzma_end(&stream_); }

  std::size_t read(std::span<char> into) override {
    if (finished_) {
      return 0;
    }
    stream_.next_out = reinterpret_cast<std::uint8_t*>(into.data());
    stream_.avail_out = into.size();
    while (stream_.avail_out == into.size() && !finished_) {
      refill();
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(input());
      stream_.avail_in = available();
      const bool last = at_end();
      const lzma_ret status = ::lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
      consumed(available() - stream_.avail_in);
      if (status == LZMA_STREAM_END) {
        finished_ = true;
      } else if (status == LZMA_BUF_ERROR && last) {
        fail_truncated();
      } else if (status == LZMA_MEM_ERROR || status == LZMA_MEMLIMIT_ERROR) {
        fail_memory();
      } else if (status != LZMA_OK && status != LZMA_BUF_ERROR) {
        fail_corrupt();
      }
    }
    return into.size() - stream_.avail_out;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool finished_ = false;
};

class ZstdBytes final : public Unpacker {
 public:
  ZstdBytes(std::unique_ptr<ByteStream> packed, std::string name)
      : Unpacker(std::move(packed), std::move(name), "zstd"), context_(::ZSTD_createDStream()) {
    if (context_ == nullptr) {
      fail_memory();
    }
  }
  ZstdBytes(const ZstdBytes&) = delete;
  ZstdBytes& operator=(const ZstdBytes&) = delete;
  ~ZstdBytes() override { ::ZSTD_freeDStream(context_); }

  std::size_t read(std::span<char> into) override {
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos == 0) {
      refill();
      // An empty input still flushes what the decoder holds; only then does the end count.
      ZSTD_inBuffer in{input(), available(), 0};
      const bool last = at_end();
      const std::size_t status = ::ZSTD_decompressStream(context_, &out, &in);
      consumed(in.pos);
      if (::ZSTD_isError(status) != 0U) {
        fail_corrupt();
      }
      if (in.pos > 0 || out.pos > 0) {
        inside_ = status != 0;
      }
      if (last && out.pos == 0) {
        if (inside_) {
          fail_truncated();
        }
        return 0;
      }
    }
    return out.pos;
  }

 private:
  ZSTD_DStream* context_;
  bool inside_ = true;
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
  auto packed = std::make_unique<Rewound>(std::move(front), std::move(raw));
  switch (compression) {
    case Compression::kGzip:
      return std::make_unique<GzipBytes>(std::move(packed), std::move(name));
    case Compression::kBzip2:
      return std::make_unique<Bzip2Bytes>(std::move(packed), std::move(name));
    case Compression::kXz:
      return std::make_unique<XzBytes>(std::move(packed), std::move(name));
    case Compression::kZstd:
      return std::make_unique<ZstdBytes>(std::move(packed), std::move(name));
    case Compression::kNone:
      break;
  }
  return packed;
}

}  // namespace

Compression compression_of(std::string_view first_bytes) {
  using namespace std::string_view_literals;
  if (first_bytes.starts_with("\x1f\x8b"sv)) {
    return Compression::kGzip;
  }
  if (first_bytes.starts_with("BZh"sv)) {
    return Compression::kBzip2;
  }
  if (first_bytes.starts_with("\xfd"
                              "7zXZ\0"sv)) {
    return Compression::kXz;
  }
  if (first_bytes.starts_with("\x28\xb5\x2f\xfd"sv)) {
    return Compression::kZstd;
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

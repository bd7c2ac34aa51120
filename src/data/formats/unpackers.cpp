#include "unpackers.h"

#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{64} << 10U;
constexpr std::uint64_t kXzMemoryLimit = std::uint64_t{512} << 20U;

/// What the four unpackers share: a buffer of packed bytes, and the words for what went wrong.
class Unpacker : public ByteStream {
 public:
  Unpacker(std::unique_ptr<ByteStream> packed, std::string name, const char* format)
      : packed_(std::move(packed)), name_(std::move(name)), format_(format), buffer_(kPackedBytes) {}
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

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

/// The libraries count in int.
std::size_t clamp_size(std::size_t size) { return std::min<std::size_t>(size, std::numeric_limits<int>::max()); }

/// Archives of members, one after the other, that are unpacked a step at a time.
class MembersUnpacker : public Unpacker {
 public:
  using Unpacker::Unpacker;

  std::size_t read(std::span<char> into) final {
    for (;;) {
      refill();
      if (at_end()) {
        if (inside_) {
          fail_truncated();
        }
        return 0;
      }
      const Step done = step({input(), clamp_size(available())}, into.first(clamp_size(into.size())));
      consumed(done.taken);
      inside_ = !done.ends_member;
      if (done.given > 0) {
        return done.given;
      }
    }
  }

 protected:
  struct Step {
    std::size_t taken = 0;     ///< packed bytes
    std::size_t given = 0;     ///< others
    bool ends_member = false;  ///< another may follow
  };
  [[nodiscard]] virtual Step step(std::span<char> packed, std::span<char> into) = 0;

 private:
  bool inside_ = true;
};

class GzipBytes final : public MembersUnpacker {
 public:
  GzipBytes(std::unique_ptr<ByteStream> packed, std::string name)
      : MembersUnpacker(std::move(packed), std::move(name), "gzip") {
    constexpr int kGzipWindow = 15 + 16;
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) {
      fail_memory();
    }
  }
  ~GzipBytes() override { ::inflateEnd(&stream_); }

 private:
  Step step(std::span<char> packed, std::span<char> into) override {
    stream_.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream_.avail_in = static_cast<unsigned int>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<unsigned int>(into.size());
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    const Step done{packed.size() - stream_.avail_in, into.size() - stream_.avail_out, status == Z_STREAM_END};
    if (done.ends_member) {
      ::inflateReset(&stream_);
    } else if (status == Z_MEM_ERROR) {
      fail_memory();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail_corrupt();
    }
    return done;
  }

  z_stream stream_{};
};

class Bzip2Bytes final : public MembersUnpacker {
 public:
  Bzip2Bytes(std::unique_ptr<ByteStream> packed, std::string name)
      : MembersUnpacker(std::move(packed), std::move(name), "bzip2") {
    start();
  }
  ~Bzip2Bytes() override { ::BZ2_bzDecompressEnd(&stream_); }

 private:
  void start() {
    stream_ = bz_stream{};
    if (::BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) {
      fail_memory();
    }
  }

  Step step(std::span<char> packed, std::span<char> into) override {
    stream_.next_in = packed.data();
    stream_.avail_in = static_cast<unsigned int>(packed.size());
    stream_.next_out = into.data();
    stream_.avail_out = static_cast<unsigned int>(into.size());
    const int status = ::BZ2_bzDecompress(&stream_);
    const Step done{packed.size() - stream_.avail_in, into.size() - stream_.avail_out, status == BZ_STREAM_END};
    if (done.ends_member) {
      ::BZ2_bzDecompressEnd(&stream_);
      start();
    } else if (status == BZ_MEM_ERROR) {
      fail_memory();
    } else if (status != BZ_OK) {
      fail_corrupt();
    }
    return done;
  }

  bz_stream stream_{};
};

class XzBytes final : public Unpacker {
 public:
  XzBytes(std::unique_ptr<ByteStream> packed, std::string name) : Unpacker(std::move(packed), std::move(name), "xz") {
    if (::lzma_stream_decoder(&stream_, kXzMemoryLimit, LZMA_CONCATENATED) != LZMA_OK) {
      fail_memory();
    }
  }
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

}  // namespace

std::unique_ptr<ByteStream> unpacked(Compression compression, std::unique_ptr<ByteStream> packed, std::string name) {
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

}  // namespace slidemesh

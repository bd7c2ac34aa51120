#include "line_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {
constexpr std::size_t kFirstPiece = std::size_t{1} << 12U;
constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;
// A packed file of a few kilobytes can hold one line of any length; memory must not follow it.
constexpr std::size_t kLongestLine = std::size_t{1} << 28U;
}  // namespace

LineReader::LineReader(std::unique_ptr<ByteStream> bytes, std::string name, Count lines_before)
    : bytes_source_(std::move(bytes)),
      name_(std::move(name)),
      buffer_(kBufferBytes),
      piece_(kFirstPiece),
      number_(lines_before) {}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    if (const void* found = std::memchr(buffer_.data() + searched, '\n', end_ - searched); found != nullptr) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
      line = std::string_view(start, length);
      begin_ += length + 1;
      bytes_ += static_cast<Count>(length + 1);
      break;
    }
    const std::size_t pending = end_ - begin_;
    if (!refill()) {
      if (pending == 0) {
        return false;
      }
      line = std::string_view(buffer_.data() + begin_, pending);
      begin_ = end_;
      bytes_ += static_cast<Count>(pending);
      break;
    }
    searched = begin_ + pending;
  }
  ++number_;
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return true;
}

bool LineReader::refill() {
  if (at_end_) {
    return false;
  }
  const std::size_t pending = end_ - begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, pending);
  begin_ = 0;
  end_ = pending;
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kLongestLine) {
      ++number_;
      fail<DataError>(where(), "a line of at most 256 MiB", "a longer one");
    }
    buffer_.resize(2 * buffer_.size());
  }
  const auto room = std::span(buffer_).subspan(end_);
  const std::size_t got = bytes_source_->read(room.first(std::min(room.size(), piece_)));
  piece_ = std::max(piece_, std::min(2 * piece_, kBufferBytes));
  end_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

}  // namespace slidemesh

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/data/formats/decompress.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Lines of a stream, without their ends (LF or CRLF), counted from 1. Holds one buffer, which grows
/// only for a line that does not fit it.
class LineReader {
 public:
  /// `lines_before` of the file are not in the stream.
  LineReader(std::unique_ptr<ByteStream> bytes, std::string name, Count lines_before = 0);

  /// The next line, valid until the next call. False at the end.
  bool next(std::string_view& line);

  [[nodiscard]] Count number() const { return number_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// "file:line", for messages about the line that `next` gave last.
  [[nodiscard]] std::string where() const { return name_ + ":" + std::to_string(number_); }
  /// Bytes handed out so far, line ends included.
  [[nodiscard]] Count bytes() const { return bytes_; }

 private:
  bool refill();

  std::unique_ptr<ByteStream> bytes_source_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t piece_;  ///< of the next read: who wants the first line alone does not have the file read far
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Count number_ = 0;
  Count bytes_ = 0;
  bool at_end_ = false;
};

}  // namespace slidemesh

#include "csv_records.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "number.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// An opening quote that is never closed must not take the rest of a large file into memory.
constexpr std::size_t kLongestRecord = std::size_t{1} << 28U;
}  // namespace

CsvRecords::CsvRecords(std::unique_ptr<ByteStream> bytes, std::string name, char delimiter, Count lines_before)
    : lines_(std::move(bytes), std::move(name), lines_before), delimiter_(delimiter) {
  require<UsageError>(delimiter != '"' && delimiter != '\n' && delimiter != '\r' && delimiter != '\0', "data.delimiter",
                      "a character that cannot be part of a quoted field",
                      text::quoted(std::string_view(&delimiter, 1)));
}

bool CsvRecords::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) {
      return false;
    }
    if (lines_.number() == 1 && line.starts_with(kByteOrderMark)) {
      line.remove_prefix(kByteOrderMark.size());
    }
  } while (line.empty());
  first_line_ = lines_.number();
  if (line.find('"') == std::string_view::npos) {
    split(line);
  } else {
    split_quoted(line);
  }
  return true;
}

void expect_fields(const CsvRecords& records, std::size_t count) {
  if (records.fields().size() != count) {
    fail<DataError>(records.where(), fmt::format("{} fields", count), std::to_string(records.fields().size()));
  }
}

void CsvRecords::split(std::string_view line) {
  fields_.clear();
  const char* begin = line.data();
  const char* end = begin + line.size();
  for (;;) {
    const void* found = std::memchr(begin, delimiter_, static_cast<std::size_t>(end - begin));
    const char* stop = found == nullptr ? end : static_cast<const char*>(found);
    fields_.emplace_back(begin, static_cast<std::size_t>(stop - begin));
    if (found == nullptr) {
      return;
    }
    begin = stop + 1;
  }
}

void CsvRecords::split_quoted(std::string_view line) {
  unquoted_.clear();
  ends_.clear();
  std::size_t at = 0;
  for (;;) {
    bool more = false;
    if (at < line.size() && line[at] == '"') {
      more = read_quoted(line, at);
    } else {
      const std::size_t stop = std::min(line.find(delimiter_, at), line.size());
      if (line.substr(at, stop - at).find('"') != std::string_view::npos) {
        fail<DataError>(lines_.where(), "a quote at the start of a field only",
                        text::quoted(line.substr(at, stop - at)));
      }
      unquoted_.append(line.substr(at, stop - at));
      more = stop < line.size();
      at = stop + 1;
    }
    ends_.push_back(unquoted_.size());
    if (!more) {
      break;
    }
  }
  fields_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    fields_.push_back(std::string_view(unquoted_).substr(begin, end - begin));
    begin = end;
  }
}

/// A quoted field from its opening quote on, perhaps over several lines. True if another field follows.
bool CsvRecords::read_quoted(std::string_view& line, std::size_t& at) {
  ++at;
  for (;;) {
    const std::size_t quote = line.find('"', at);
    if (quote == std::string_view::npos) {
      unquoted_.append(line.substr(at));
      unquoted_.push_back('\n');
      at = 0;
      if (unquoted_.size() > kLongestRecord || !lines_.next(line)) {
        fail<DataError>(where(), "a closing quote", "the end of the file or 256 MiB without one");
      }
      continue;
    }
    unquoted_.append(line.substr(at, quote - at));
    at = quote + 1;
    if (at < line.size() && line[at] == '"') {  // a doubled quote is a quote
      unquoted_.push_back('"');
      ++at;
      continue;
    }
    if (at < line.size() && line[at] != delimiter_) {
      fail<DataError>(lines_.where(), "the delimiter behind a closing quote", text::quoted(line.substr(at, 1)));
    }
    return at++ < line.size();
  }
}

}  // namespace slidemesh

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "line_reader.h"

namespace slidemesh {

/// Splits a stream into records of fields (RFC 4180). A field may span lines inside quotes.
class CsvRecords {
 public:
  CsvRecords(std::unique_ptr<ByteStream> bytes, std::string name, char delimiter, Count lines_before = 0);

  /// The next record that is not a blank line; false at the end. Valid until the next call.
  bool next();
  [[nodiscard]] const std::vector<std::string_view>& fields() const { return fields_; }

  [[nodiscard]] const std::string& name() const { return lines_.name(); }
  /// "file:line" of the record's first line.
  [[nodiscard]] std::string where() const { return name() + ":" + std::to_string(first_line_); }

 private:
  void split(std::string_view line);
  void split_quoted(std::string_view line);
  bool read_quoted(std::string_view& line, std::size_t& at);

  LineReader lines_;
  char delimiter_;
  Count first_line_ = 0;
  std::vector<std::string_view> fields_;
  std::string unquoted_;           ///< the text of a record that has quotes
  std::vector<std::size_t> ends_;  ///< its fields' ends in `unquoted_`
};

/// The record has so many fields, or it is a DataError.
void expect_fields(const CsvRecords& records, std::size_t count);

}  // namespace slidemesh

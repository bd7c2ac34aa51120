#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv_records.h"
#include "slidemesh/data/formats/csv.h"

namespace slidemesh {

/// Which column of a file is what: settled by its first record and the options.
struct CsvLayout {
  std::vector<std::string> names;  ///< of all columns: from the header, else their numbers from 1
  bool has_header = false;
  std::optional<std::size_t> label;   ///< its column, unless there is none
  std::optional<std::size_t> id;      ///< the column that names rows, where the options say so
  std::vector<std::size_t> features;  ///< columns, in the order in which they become features
  std::vector<std::string> notes;     ///< what was guessed, for people
};

/// Whether a column is called as people call what is to be predicted: label, target, y, ...
[[nodiscard]] bool is_called_like_a_target(std::string_view name);

/// Throws where `line`, which is all of a record, has another delimiter in it than `delimiter`.
void refuse_other_delimiter(const std::string& file, std::string_view line, char delimiter);

/// From the first record, which has just been read. A guess that is doubtful is a UsageError with the choices.
[[nodiscard]] CsvLayout find_layout(const CsvRecords& first, const CsvOptions& options);

/// Opens the bytes of a file from its first.
using OpenCsvBytes = std::function<std::unique_ptr<ByteStream>()>;

/// Passes over the rows of a file whose layout is known.
[[nodiscard]] CsvSurvey survey_rows(const OpenCsvBytes& open, const std::string& name, const CsvLayout& layout,
                                    const CsvOptions& options);

}  // namespace slidemesh

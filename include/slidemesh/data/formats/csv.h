#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "slidemesh/data/formats/decompress.h"
#include "slidemesh/data/formats/row_reader.h"

namespace slidemesh {

/// What to do about a field with nothing in it (or NA, NaN, null, ?).
enum class MissingValues {
  kReject,  ///< an error that names the line and the column
  kZero,    ///< the number 0
  kMean,    ///< the mean of the column's other numbers, over the whole file
};

/// What to do about a column of words.
enum class CategoricalColumns {
  kReject,  ///< an error that names the line and the column
  kOneHot,  ///< a column of zeros and ones for each word, words in order of their bytes
};

[[nodiscard]] MissingValues parse_missing_values(std::string_view name);            // reject, zero, mean
[[nodiscard]] CategoricalColumns parse_categorical_columns(std::string_view name);  // reject, one-hot

/// A CSV file has one row a record, fields as RFC 4180 has them: separated by one character, quoted
/// with " where they hold that character, a quote (doubled) or a line end. Blank lines do not count.
struct CsvOptions {
  Index max_rows = 0;  ///< read so many rows and no further; 0: all
  char delimiter = ',';
  std::optional<bool> header = {};  ///< absent: there is one if no field of the first record is a number
  /// The label's column: its name, or its number from 1. Empty: the one called "label", else the first.
  std::string label = {};
  MissingValues missing = MissingValues::kReject;
  CategoricalColumns categorical = CategoricalColumns::kReject;
  /// The rows of these bytes of a plain file alone. The first record of the file is looked at all the same, for the
  /// number of columns and their names. Not with kMean or kOneHot, which want the whole file.
  std::optional<ByteRange> range = {};
};

/// Plain or packed; sparse, as every reader gives it. With `kMean` or `kOneHot` the file is read
/// twice, the first time for its means and words. Labels that are words become 0, 1, ... in order of
/// their bytes (with `kOneHot` only). Anything malformed is a DataError that names file and line.
[[nodiscard]] Rows read_csv(const std::filesystem::path& path, const CsvOptions& options = {});
[[nodiscard]] Rows parse_csv(std::string_view text, const std::string& name, const CsvOptions& options = {});
[[nodiscard]] std::unique_ptr<RowReader> open_csv(const std::filesystem::path& path, const CsvOptions& options = {});

}  // namespace slidemesh

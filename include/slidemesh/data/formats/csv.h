#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/data/feature_map.h"
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
/// with " where they hold that character, a quote (doubled) or a line end. Blank lines do not count. A column is known
/// by its name, or by its number from 1.
struct CsvOptions {
  Index max_rows = 0;  ///< read so many rows and no further; 0: all
  char delimiter = ',';
  /// Absent: the first record is one if no field of it is a number, or if those that are count 0, 1, 2, ... beside
  /// names.
  std::optional<bool> header = {};
  /// The label's column. Empty: the one called "label", else the first, unless another is called like a label.
  std::string label = {};
  bool unlabelled = false;                 ///< no column is the label: rows that are to be predicted
  std::vector<std::string> features = {};  ///< columns, in the order of the features; empty: all that are left
  std::vector<std::string> ignore = {};    ///< columns that are not looked at
  std::string id = {};                     ///< a column that names rows and is no feature
  MissingValues missing = MissingValues::kReject;
  CategoricalColumns categorical = CategoricalColumns::kReject;
  /// The rows of these bytes of a plain file alone. The first record of the file is looked at all the same, for the
  /// number of columns and their names. Not with kMean or kOneHot, which want the whole file.
  std::optional<ByteRange> range = {};
  /// What becomes of the features' columns and which words labels are, where that was settled elsewhere, as by parties
  /// that have a file each: `missing` and `categorical` then mean nothing.
  std::optional<std::vector<FeatureColumn>> columns = {};
  std::vector<std::string> label_words = {};
};

/// What one column was seen to hold.
struct ColumnSurvey {
  std::string name;
  std::vector<std::string> words = {};  ///< in order of their bytes; with kOneHot, and of labels
  bool is_boolean = false;              ///< true and false alone
  Count numbers = 0;
  double mean = 0.0;  ///< of them
};

/// What is in a file, whichever columns its options make features.
struct CsvSurvey {
  ColumnSurvey label;
  std::vector<ColumnSurvey> columns;
  Count rows = 0;
};

/// Passes over the file once.
[[nodiscard]] CsvSurvey survey_csv(const std::filesystem::path& path, const CsvOptions& options = {});
/// The names of the features' columns and of the label's, from the first two records alone.
struct CsvNames {
  std::vector<std::string> features;
  std::string label;           ///< empty: there is none
  bool from_header = false;    ///< else they are numbers
  bool label_is_word = false;  ///< in the first row; true and false among them
};
[[nodiscard]] CsvNames names_of_csv(const std::filesystem::path& path, const CsvOptions& options = {});

/// What a survey and the options make of the columns.
[[nodiscard]] std::vector<FeatureColumn> feature_columns(std::span<const ColumnSurvey> columns,
                                                         const CsvOptions& options);
[[nodiscard]] std::vector<std::string> label_words(const ColumnSurvey& label);

/// Plain or packed; sparse, as every reader gives it. With `kMean` or `kOneHot`, and where labels are words, the file
/// is read twice, the first time for its means and words. Labels that are words become 0, 1, ... in order of their
/// bytes; true is 1 and false 0. Anything malformed is a DataError that names file and line.
[[nodiscard]] std::unique_ptr<RowReader> open_csv(const std::filesystem::path& path, const CsvOptions& options = {});
[[nodiscard]] Rows parse_csv(std::string_view text, const std::string& name, const CsvOptions& options = {});

}  // namespace slidemesh

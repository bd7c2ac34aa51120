#include "slidemesh/data/formats/csv.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "csv_records.h"
#include "number.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/base/utf8.h"

namespace slidemesh {
namespace {

constexpr std::size_t kMostWords = 10000;  // a column of more is an identifier, not a category

enum class FieldKind { kNumber, kMissing, kWord, kNotFinite };

std::string_view trimmed(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) {
    field.remove_prefix(1);
  }
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) {
    field.remove_suffix(1);
  }
  return field;
}

FieldKind parse_field(std::string_view field, double& value) {
  field = trimmed(field);
  if (field.empty() || field == "NA" || field == "NaN" || field == "nan" || field == "null" || field == "NULL" ||
      field == "?") {
    return FieldKind::kMissing;
  }
  const char* end = field.data() + field.size();
  const char* stop = nullptr;
  const text::Parsed parsed = text::parse_number(field.data(), end, value, stop);
  if (parsed == text::Parsed::kMalformed || stop != end) {
    return FieldKind::kWord;
  }
  return parsed == text::Parsed::kNumber ? FieldKind::kNumber : FieldKind::kNotFinite;
}

/// What is known of one column of the file.
struct Column {
  std::string name;                    ///< from the header, else its number
  std::map<std::string, Index> words;  ///< with one-hot: word to place, in order of bytes
  bool numeric = false;                ///< a number was seen
  double mean = 0.0;
  Count numbers = 0;
  Index first_feature = 0;
};

class CsvReader final : public RowReader {
 public:
  /// The whole file, or the bytes of the options' range.
  using Open = std::function<std::unique_ptr<ByteStream>(const std::optional<ByteRange>& range)>;

  CsvReader(Open open, std::string name, const CsvOptions& options)
      : open_(std::move(open)), options_(options), records_(open_({}), std::move(name), options.delimiter) {
    start(records_, true);
    if (options_.missing == MissingValues::kMean || options_.categorical == CategoricalColumns::kOneHot) {
      survey();
    }
    number_features();
    if (options_.range) {
      held_back_ = false;
      records_ = CsvRecords(open_(options_.range), records_.name(), options_.delimiter, options_.range->lines_before);
    }
  }

  Index read(Index most, Rows& rows) override {
    Index count = 0;
    while (count < most && advance(records_)) {
      append(rows);
      ++count;
    }
    rows.features = features_;
    return count;
  }

  [[nodiscard]] Index features() const override { return features_; }
  [[nodiscard]] const std::string& name() const override { return records_.name(); }
  [[nodiscard]] bool has_header() const override { return has_header_; }

  [[nodiscard]] std::vector<std::string> feature_names() const override {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c == label_) {
        continue;
      }
      if (columns_[c].words.empty()) {
        names.push_back(columns_[c].name);
      }
      for (const auto& [word, place] : columns_[c].words) {
        names.push_back(columns_[c].name + "=" + word);
      }
    }
    return names;
  }
  [[nodiscard]] std::vector<std::string> label_names() const override {
    std::vector<std::string> names;
    if (!columns_.empty()) {
      for (const auto& [word, place] : columns_[label_].words) {
        names.push_back(word);
      }
    }
    return names;
  }

 private:
  /// Reads the first record: a header, or a row that is kept back.
  void start(CsvRecords& records, bool first_time) {
    if (!records.next()) {
      throw DataError(records.name() + ": expected rows, got none");
    }
    const auto& fields = records.fields();
    double ignored = 0.0;
    const bool header =
        options_.header.value_or(std::none_of(fields.begin(), fields.end(), [&](std::string_view field) {
          const FieldKind kind = parse_field(field, ignored);
          return kind == FieldKind::kNumber || kind == FieldKind::kNotFinite;
        }));
    held_back_ = !header;
    has_header_ = header;
    if (!first_time) {
      return;
    }
    if (static_cast<Index>(fields.size()) > kMostFeatures) {
      throw DataError(records.where() + ": expected at most 2147483646 columns, got more");
    }
    columns_.resize(fields.size());
    for (std::size_t c = 0; c < fields.size(); ++c) {
      columns_[c].name = header ? std::string(trimmed(fields[c])) : std::to_string(c + 1);
      if (!is_utf8(columns_[c].name)) {
        throw DataError(records.where() + ": expected column names in UTF-8, got " + text::quoted(columns_[c].name));
      }
    }
    label_ = find_label(header);
  }

  [[nodiscard]] std::size_t find_label(bool header) const {
    const std::string wanted = options_.label.empty() && header ? "label" : options_.label;
    if (header) {
      const auto matches = [&](const Column& column) { return column.name == wanted; };
      const auto found = std::find_if(columns_.begin(), columns_.end(), matches);
      if (found != columns_.end()) {
        if (std::find_if(found + 1, columns_.end(), matches) != columns_.end()) {
          throw DataError(records_.where() + ": expected one column called " + text::quoted(wanted) + ", got several");
        }
        return static_cast<std::size_t>(found - columns_.begin());
      }
    }
    if (options_.label.empty()) {
      return 0;
    }
    std::size_t number = 0;
    const char* end = wanted.data() + wanted.size();
    const auto [stop, error] = std::from_chars(wanted.data(), end, number);
    if (error != std::errc() || stop != end || number < 1 || number > columns_.size()) {
      throw UsageError("data.label: expected the name of a column of " + records_.name() + " or a number from 1 to " +
                       std::to_string(columns_.size()) + ", got " + text::quoted(wanted));
    }
    return number - 1;
  }

  bool advance(CsvRecords& records) {
    if (held_back_) {
      held_back_ = false;
    } else if (!records.next()) {
      return false;
    }
    if (records.fields().size() != columns_.size()) {
      throw DataError(records.where() + ": expected " + std::to_string(columns_.size()) + " fields, got " +
                      std::to_string(records.fields().size()));
    }
    return true;
  }

  /// The first of two readings: means and words.
  void survey() {
    CsvRecords records(open_({}), records_.name(), options_.delimiter);
    start(records, false);
    for (Index count = 0; (options_.max_rows == 0 || count < options_.max_rows) && advance(records); ++count) {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        survey_field(records, c);
      }
    }
    for (Column& column : columns_) {
      Index place = 0;
      for (auto& [word, number] : column.words) {
        number = place++;
      }
    }
    // Back to where the second reading starts.
    held_back_ = false;
    records_ = CsvRecords(open_({}), records.name(), options_.delimiter);
    start(records_, false);
  }

  void survey_field(const CsvRecords& records, std::size_t c) {
    Column& column = columns_[c];
    const std::string_view field = records.fields()[c];
    double value = 0.0;
    const FieldKind kind = parse_field(field, value);
    if (kind == FieldKind::kNumber) {
      column.numeric = true;
      ++column.numbers;
      column.mean += (value - column.mean) / static_cast<double>(column.numbers);
    } else if (kind == FieldKind::kWord && options_.categorical == CategoricalColumns::kOneHot) {
      const std::string word(trimmed(field));
      if (!is_utf8(word)) {
        throw DataError(records.where() + ": expected words in UTF-8 in column " + text::quoted(column.name) +
                        ", got " + text::quoted(word));
      }
      column.words.try_emplace(word, 0);
      if (column.words.size() > kMostWords) {
        throw DataError(records.where() + ": expected at most 10000 different words in column " +
                        text::quoted(column.name) + ", got more");
      }
    }
    if (column.numeric && !column.words.empty()) {
      throw DataError(records.where() + ": expected column " + text::quoted(column.name) +
                      " to hold numbers or words, got both, " + text::quoted(trimmed(field)) + " among them");
    }
  }

  void number_features() {
    features_ = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c != label_) {
        columns_[c].first_feature = features_;
        features_ += std::max<Index>(1, static_cast<Index>(columns_[c].words.size()));
      }
    }
  }

  void append(Rows& rows) {
    const auto& fields = records_.fields();
    for (std::size_t c = 0; c < fields.size(); ++c) {
      const Column& column = columns_[c];
      if (c == label_) {
        rows.labels.push_back(label(fields[c], column));
        continue;
      }
      if (!column.words.empty()) {
        append_word(fields[c], column, rows);
        continue;
      }
      if (const double value = number(fields[c], column); value != 0.0) {
        rows.columns.push_back(static_cast<std::int32_t>(column.first_feature));
        rows.values.push_back(value);
      }
    }
    rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
  }

  [[nodiscard]] double number(std::string_view field, const Column& column) const {
    double value = 0.0;
    switch (parse_field(field, value)) {
      case FieldKind::kNumber:
        return value;
      case FieldKind::kMissing:
        if (options_.missing == MissingValues::kZero) {
          return 0.0;
        }
        if (options_.missing == MissingValues::kMean && column.numbers > 0) {
          return column.mean;
        }
        fail("a number", field, column);
      case FieldKind::kNotFinite:
        fail("a finite number", field, column);
      case FieldKind::kWord:
        break;
    }
    fail("a number", field, column);
  }

  [[nodiscard]] double label(std::string_view field, const Column& column) const {
    double value = 0.0;
    const FieldKind kind = parse_field(field, value);
    if (kind == FieldKind::kNumber) {
      return value;
    }
    if (const auto word = column.words.find(std::string(trimmed(field))); word != column.words.end()) {
      return static_cast<double>(word->second);
    }
    fail(kind == FieldKind::kNotFinite ? "a finite number as label" : "a label", field, column);
  }

  void append_word(std::string_view field, const Column& column, Rows& rows) const {
    const auto word = column.words.find(std::string(trimmed(field)));
    if (word != column.words.end()) {
      rows.columns.push_back(static_cast<std::int32_t>(column.first_feature + word->second));
      rows.values.push_back(1.0);
    } else if (double ignored = 0.0;
               parse_field(field, ignored) != FieldKind::kMissing || options_.missing == MissingValues::kReject) {
      fail("a word", field, column);
    }  // a missing word is none of the words
  }

  [[noreturn]] void fail(const char* expected, std::string_view field, const Column& column) const {
    throw DataError(records_.where() + ": expected " + expected + " in column " + text::quoted(column.name) + ", got " +
                    (field.empty() ? "nothing" : text::quoted(field)));
  }

  Open open_;
  CsvOptions options_;
  CsvRecords records_;
  std::vector<Column> columns_;
  std::size_t label_ = 0;
  Index features_ = 0;
  bool held_back_ = false;
  bool has_header_ = false;
};

}  // namespace

MissingValues parse_missing_values(std::string_view name) {
  if (name == "reject") {
    return MissingValues::kReject;
  }
  if (name == "zero") {
    return MissingValues::kZero;
  }
  if (name == "mean") {
    return MissingValues::kMean;
  }
  throw UsageError("data.missing: expected reject, zero or mean, got '" + std::string(name) + "'");
}

CategoricalColumns parse_categorical_columns(std::string_view name) {
  if (name == "reject") {
    return CategoricalColumns::kReject;
  }
  if (name == "one-hot") {
    return CategoricalColumns::kOneHot;
  }
  throw UsageError("data.categorical: expected reject or one-hot, got '" + std::string(name) + "'");
}

std::unique_ptr<RowReader> open_csv(const std::filesystem::path& path, const CsvOptions& options) {
  return std::make_unique<CsvReader>(
      [path](const std::optional<ByteRange>& range) { return range ? open_bytes(path, *range) : open_bytes(path); },
      path.string(), options);
}

Rows read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  return read_all(*open_csv(path, options), options.max_rows);
}

Rows parse_csv(std::string_view text, const std::string& name, const CsvOptions& options) {
  CsvReader reader([text, name](const std::optional<ByteRange>&) { return open_bytes(text, name); }, name, options);
  return read_all(reader, options.max_rows);
}

}  // namespace slidemesh

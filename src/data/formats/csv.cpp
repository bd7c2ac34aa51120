#include "slidemesh/data/formats/csv.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "csv_layout.h"
#include "csv_records.h"
#include "fields.h"
#include "number.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/words.h"

namespace slidemesh {
namespace {

constexpr Words<MissingValues, 3> kMissing = {
    {{MissingValues::kReject, "reject"}, {MissingValues::kZero, "zero"}, {MissingValues::kMean, "mean"}}};
constexpr Words<CategoricalColumns, 2> kCategorical = {
    {{CategoricalColumns::kReject, "reject"}, {CategoricalColumns::kOneHot, "one-hot"}}};

CsvLayout read_layout(CsvRecords& records, const CsvOptions& options) {
  require<DataError>(records.next(), records.name(), "rows", "none");
  return find_layout(records, options);
}

bool is_no_number(std::string_view field) {
  const FieldKind kind = kind_of(field);
  return kind == FieldKind::kWord || kind == FieldKind::kBoolean;
}

class CsvReader final : public RowReader {
 public:
  /// The whole file, or the bytes of the options' range.
  using Open = std::function<std::unique_ptr<ByteStream>(const std::optional<ByteRange>& range)>;

  CsvReader(Open open, std::string name, const CsvOptions& options)
      : open_(std::move(open)), options_(options), records_(open_({}), std::move(name), options.delimiter) {
    layout_ = read_layout(records_, options_);
    held_back_ = !layout_.has_header;
    settle_columns();
    require_parted_fields();
    if (options_.range) {
      held_back_ = false;
      records_ = CsvRecords(open_(options_.range), records_.name(), options_.delimiter, options_.range->lines_before);
    }
  }

  Index read(Index most, Rows& rows) override {
    Index count = 0;
    while (count < most && advance()) {
      append(rows);
      ++count;
    }
    rows.features = features_;
    rows_read_ += count;
    return count;
  }

  [[nodiscard]] Index features() const override { return features_; }
  [[nodiscard]] const std::string& name() const override { return records_.name(); }
  [[nodiscard]] bool has_fixed_width() const override { return true; }
  [[nodiscard]] Count rows_read() const override { return rows_read_; }
  [[nodiscard]] TableFacts facts() const override {
    return {columns_, label_.name, label_.words, layout_.notes, layout_.has_header};
  }
  [[nodiscard]] std::vector<std::string> take_ids() override { return std::exchange(ids_, {}); }

 private:
  /// What becomes of each column: as configured, or by a first reading, or numbers all.
  void settle_columns() {
    label_.name = layout_.label ? layout_.names[*layout_.label] : "";
    if (options_.columns) {
      columns_ = *options_.columns;
      label_.words = options_.label_words;
    } else if (options_.missing == MissingValues::kMean || options_.categorical == CategoricalColumns::kOneHot ||
               first_label_is_no_number()) {
      const CsvSurvey survey = survey_rows([this] { return open_({}); }, records_.name(), layout_, options_);
      rows_read_ += survey.rows;
      columns_ = feature_columns(survey.columns, options_);
      label_.words = label_words(survey.label);
    } else {
      std::vector<ColumnSurvey> plain;
      for (const std::size_t c : layout_.features) {
        plain.push_back({layout_.names[c]});
      }
      columns_ = feature_columns(plain, options_);
    }
    for (const FeatureColumn& column : columns_) {
      first_feature_.push_back(features_);
      features_ += column.features();
    }
  }

  /// One field per line, and no feature for want of another, is most often a table with another delimiter.
  void require_parted_fields() const {
    if (!columns_.empty() || layout_.names.size() != 1 || (held_back_ && records_.fields().empty())) {
      return;
    }
    refuse_other_delimiter(records_.name(),
                           layout_.has_header ? std::string_view(layout_.names[0]) : records_.fields()[0],
                           options_.delimiter);
  }

  /// Looks at the first row, which is kept back. Of a range, at its own first row: others' rows are not to be looked
  /// at.
  [[nodiscard]] bool first_label_is_no_number() {
    if (!layout_.label) {
      return false;
    }
    if (options_.range) {
      CsvRecords own(open_(options_.range), records_.name(), options_.delimiter, options_.range->lines_before);
      return own.next() && label_is_no_number(own);
    }
    if (!held_back_ && !records_.next()) {
      return false;
    }
    held_back_ = true;
    return label_is_no_number(records_);
  }

  /// A row of another width is refused when it is its turn.
  [[nodiscard]] bool label_is_no_number(const CsvRecords& records) const {
    return records.fields().size() == layout_.names.size() && is_no_number(records.fields()[*layout_.label]);
  }

  bool advance() {
    if (!std::exchange(held_back_, false) && !records_.next()) {
      return false;
    }
    expect_fields(records_, layout_.names.size());
    return true;
  }

  void append(Rows& rows) {
    const auto& fields = records_.fields();
    rows.labels.push_back(layout_.label ? label(fields[*layout_.label]) : 0.0);
    if (layout_.id) {
      ids_.emplace_back(trimmed(fields[*layout_.id]));
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const FeatureColumn& column = columns_[c];
      const std::string_view field = fields[layout_.features[c]];
      if (column.words.empty()) {
        double value = 0.0;
        if (!read_number(field, column, value)) {
          refuse(field, column.name.empty() ? std::to_string(layout_.features[c] + 1) : column.name,
                 rows.labels.size() == 1);
        }
        if (value != 0.0) {
          rows.columns.push_back(static_cast<std::int32_t>(first_feature_[c]));
          rows.values.push_back(value);
        }
        continue;
      }
      std::optional<std::size_t> word;
      if (!read_word(field, column, word)) {
        fail_word(field, column.name, records_.where());
      }
      if (word) {
        rows.columns.push_back(static_cast<std::int32_t>(first_feature_[c] + static_cast<Index>(*word)));
        rows.values.push_back(1.0);
      }
    }
    rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
  }

  /// A word where a number was expected may be the label, if which column that is was only a guess, or in the first
  /// line of all a name.
  [[noreturn]] void refuse(std::string_view field, const std::string& column, bool in_first_row) const {
    if (kind_of(field) == FieldKind::kMissing && options_.missing == MissingValues::kMean && !options_.columns) {
      fail<DataError>(records_.where(), fmt::format("a number in some row of column {}", text::quoted(column)),
                      "none, and so no mean (data.ignore leaves the column out)");
    }
    if (!is_no_number(field) || looks_like_date(field)) {
      fail_number(field, column, records_.where());
    }
    std::string got = describe_field(field);
    if (layout_.label && options_.label.empty() && layout_.names[*layout_.label] != "label") {
      got += fmt::format("; the label was taken to be {} (data.label = \"{}\" if it is this one)",
                         text::quoted(label_.name), column);
    }
    if (in_first_row && rows_read_ == 0 && !layout_.has_header && !options_.range) {
      got += "; the line was taken to be a row (data.header = true if it has names)";
    }
    fail<DataError>(records_.where(), fmt::format("a number in column {}", text::quoted(column)), got);
  }

  /// Where labels are words, a number is none of them: that it counts them in some order would be a guess.
  [[nodiscard]] double label(std::string_view field) const {
    if (!label_.words.empty()) {
      if (std::optional<std::size_t> word; read_word(field, label_, word) && word) {
        return static_cast<double>(*word);
      }
    }
    double value = 0.0;
    const FieldKind kind = parse_field(field, value);
    const bool takes_numbers = label_.words.empty() || are_truth_values(label_.words);
    if (takes_numbers && (kind == FieldKind::kNumber || kind == FieldKind::kBoolean)) {
      return value;
    }
    if (!takes_numbers && kind != FieldKind::kMissing) {
      fail_word(field, label_.name, records_.where());
    }
    const char* what = kind == FieldKind::kNotFinite ? "finite number as label"
                       : kind == FieldKind::kWord    ? "number as label"
                                                     : "label";
    fail<DataError>(records_.where(), fmt::format("a {} in column {}", what, text::quoted(label_.name)),
                    (field.empty() ? "nothing" : text::quoted(field)));
  }

  Open open_;
  CsvOptions options_;
  CsvRecords records_;
  CsvLayout layout_;
  std::vector<FeatureColumn> columns_;
  std::vector<Index> first_feature_;  ///< of each
  FeatureColumn label_;
  Index features_ = 0;
  Count rows_read_ = 0;
  std::vector<std::string> ids_;
  bool held_back_ = false;
};

}  // namespace

MissingValues parse_missing_values(std::string_view name) { return value_for(kMissing, name, "data.missing"); }

CategoricalColumns parse_categorical_columns(std::string_view name) {
  return value_for(kCategorical, name, "data.categorical");
}

CsvNames names_of_csv(const std::filesystem::path& path, const CsvOptions& options) {
  CsvRecords records(open_bytes(path), path.string(), options.delimiter);
  const CsvLayout layout = read_layout(records, options);
  CsvNames names{{}, layout.label ? layout.names[*layout.label] : "", layout.has_header, false};
  if (layout.label && (!layout.has_header || records.next())) {
    names.label_is_word = *layout.label < records.fields().size() && is_no_number(records.fields()[*layout.label]);
  }
  for (const std::size_t c : layout.features) {
    names.features.push_back(layout.names[c]);
  }
  return names;
}

CsvSurvey survey_csv(const std::filesystem::path& path, const CsvOptions& options) {
  CsvRecords records(open_bytes(path), path.string(), options.delimiter);
  const CsvLayout layout = read_layout(records, options);
  return survey_rows([&] { return open_bytes(path); }, path.string(), layout, options);
}

std::vector<FeatureColumn> feature_columns(std::span<const ColumnSurvey> columns, const CsvOptions& options) {
  std::vector<FeatureColumn> plan;
  for (const ColumnSurvey& column : columns) {
    FeatureColumn& made = plan.emplace_back(FeatureColumn{column.name, column.words, {}});
    if (options.missing == MissingValues::kZero || (options.missing == MissingValues::kMean && !made.words.empty())) {
      made.missing = 0.0;
    } else if (options.missing == MissingValues::kMean && column.numbers > 0) {
      made.missing = column.mean;
    }
  }
  return plan;
}

std::vector<std::string> label_words(const ColumnSurvey& label) {
  return label.is_boolean ? std::vector<std::string>{"false", "true"} : label.words;
}

std::unique_ptr<RowReader> open_csv(const std::filesystem::path& path, const CsvOptions& options) {
  return std::make_unique<CsvReader>(
      [path](const std::optional<ByteRange>& range) { return range ? open_bytes(path, *range) : open_bytes(path); },
      path.string(), options);
}

Rows parse_csv(std::string_view text, const std::string& name, const CsvOptions& options) {
  CsvReader reader([text, name](const std::optional<ByteRange>&) { return open_bytes(text, name); }, name, options);
  return read_all(reader, options.max_rows);
}

}  // namespace slidemesh

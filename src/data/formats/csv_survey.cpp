#include "csv_survey.h"

#include <fmt/format.h>

#include <set>

#include "fields.h"
#include "number.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

constexpr std::size_t kMostWords = 10000;  // a column of more is an identifier, not a category

/// What was seen of one column so far.
class Column {
 public:
  Column(std::string name, bool takes_words) : takes_words_(takes_words) { survey_.name = std::move(name); }

  void add(std::string_view field, const CsvRecords& records) {
    double value = 0.0;
    switch (parse_field(field, value)) {
      case FieldKind::kNumber:
        add_number(value);
        has_numbers_ = true;
        break;
      case FieldKind::kBoolean:
        add_number(value);
        spelled_.emplace(trimmed(field));
        break;
      case FieldKind::kWord:
        if (takes_words_) {
          add_word(field, records);
        }
        break;
      default:
        break;
    }
    if (has_numbers_ && !words_.empty()) {
      fail<DataError>(records.where(), fmt::format("column {} to hold numbers or words", text::quoted(survey_.name)),
                      fmt::format("both, {} among them", text::quoted(trimmed(field))));
    }
  }

  /// Words in order of their bytes. True and false are words where others are, and numbers else.
  [[nodiscard]] ColumnSurvey finish() {
    if (!words_.empty()) {
      words_.merge(spelled_);
      survey_.words.assign(words_.begin(), words_.end());
      survey_.numbers = 0;
    }
    survey_.is_boolean = words_.empty() && !has_numbers_ && !spelled_.empty();
    return std::move(survey_);
  }

 private:
  void add_number(double value) {
    ++survey_.numbers;
    survey_.mean += (value - survey_.mean) / static_cast<double>(survey_.numbers);
  }

  void add_word(std::string_view field, const CsvRecords& records) {
    const std::string word(trimmed(field));
    if (!is_utf8(word)) {
      fail<DataError>(records.where(), fmt::format("words in UTF-8 in column {}", text::quoted(survey_.name)),
                      text::quoted(word));
    }
    if (looks_like_date(word)) {
      fail<DataError>(records.where(), fmt::format("a number or a category in column {}", text::quoted(survey_.name)),
                      describe_field(word));
    }
    words_.insert(word);
    if (words_.size() > kMostWords) {
      fail<DataError>(records.where(),
                      fmt::format("at most 10000 different words in column {}", text::quoted(survey_.name)),
                      "more (data.ignore leaves the column out)");
    }
  }

  ColumnSurvey survey_;
  bool takes_words_;
  bool has_numbers_ = false;
  std::set<std::string> words_;
  std::set<std::string> spelled_;  ///< how true and false are
};

}  // namespace

CsvSurvey survey_rows(const OpenCsvBytes& open, const std::string& name, const CsvLayout& layout,
                      const CsvOptions& options) {
  const bool one_hot = options.categorical == CategoricalColumns::kOneHot;
  Column label(layout.label ? layout.names[*layout.label] : "", true);
  std::vector<Column> columns;
  for (const std::size_t c : layout.features) {
    columns.emplace_back(layout.names[c], one_hot);
  }
  CsvRecords records(open(), name, options.delimiter);
  if (layout.has_header) {
    records.next();
  }
  CsvSurvey survey;
  while ((options.max_rows == 0 || survey.rows < options.max_rows) && records.next()) {
    expect_fields(records, layout.names.size());
    if (layout.label) {
      label.add(records.fields()[*layout.label], records);
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      columns[c].add(records.fields()[layout.features[c]], records);
    }
    ++survey.rows;
  }
  survey.label = label.finish();
  for (Column& column : columns) {
    survey.columns.push_back(column.finish());
  }
  return survey;
}

}  // namespace slidemesh

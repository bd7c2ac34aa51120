#include "csv_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "fields.h"
#include "number.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

namespace {

/// What people call the column that is to be predicted.
constexpr std::array<std::string_view, 8> kTargets = {"label", "labels",  "target",   "class",
                                                      "y",     "outcome", "response", "output"};

bool is_number(std::string_view field) {
  const FieldKind kind = kind_of(field);
  return kind == FieldKind::kNumber || kind == FieldKind::kNotFinite || kind == FieldKind::kBoolean;
}

class LayoutFinder {
 public:
  LayoutFinder(const CsvRecords& first, const CsvOptions& options) : first_(first), options_(options) {}

  CsvLayout find() {
    const auto& fields = first_.fields();
    require<DataError>(static_cast<Index>(fields.size()) <= kMostFeatures, first_.where(), "at most 2147483646 columns",
                       "more");
    refuse_other_text();
    layout_.has_header = options_.header.value_or(looks_like_header());
    for (std::size_t c = 0; c < fields.size(); ++c) {
      layout_.names.push_back(layout_.has_header ? std::string(trimmed(fields[c])) : std::to_string(c + 1));
      require<DataError>(is_utf8(layout_.names.back()), first_.where(), "column names in UTF-8",
                         text::quoted(layout_.names.back()));
    }
    if (!options_.unlabelled) {
      layout_.label = options_.label.empty() ? guess_label() : column(options_.label, "data.label");
    }
    find_features();
    require_distinct_names();
    return std::move(layout_);
  }

 private:
  /// What other systems write.
  void refuse_other_text() const {
    const std::string_view first = first_.fields()[0];
    if (first.starts_with("\xff\xfe") || first.starts_with("\xfe\xff")) {
      fail<DataError>(first_.where(), "text in UTF-8", "UTF-16 (iconv -f UTF-16 -t UTF-8 makes it so)");
    }
    for (const std::string_view field : first_.fields()) {
      for (auto at = field.find('\r'); at != std::string_view::npos; at = field.find('\r', at + 1)) {
        if (at + 1 < field.size() && field[at + 1] != '\n') {
          fail<DataError>(first_.where(), "lines that end with a line feed",
                          "carriage returns alone (tr '\\r' '\\n' makes them so)");
        }
      }
    }
  }

  /// Names, or the numbers 0, 1, 2, ... that stand for names beside some that are.
  [[nodiscard]] bool looks_like_header() {
    const auto& fields = first_.fields();
    const auto numbers = std::count_if(fields.begin(), fields.end(), is_number);
    if (numbers == 0) {
      return true;
    }
    const bool counts = counts_up(0) || counts_up(1);
    if (counts && numbers == static_cast<std::ptrdiff_t>(fields.size()) && numbers > 3) {
      layout_.notes.push_back(first_.where() + ": " + std::string(fields.front()) + ", " + std::string(fields[1]) +
                              ", ... are taken for a row; if they are names, say data.header = true");
    }
    return counts && numbers > 1 && numbers < static_cast<std::ptrdiff_t>(fields.size());
  }

  /// Whether the fields that are numbers are `from`, `from` + 1, ...
  [[nodiscard]] bool counts_up(int from) const {
    return std::all_of(first_.fields().begin(), first_.fields().end(), [&](std::string_view field) {
      return !is_number(field) || trimmed(field) == std::to_string(from++);
    });
  }

  /// The column called "label"; else the first, unless another one is called like what is to be predicted.
  [[nodiscard]] std::size_t guess_label() {
    if (layout_.has_header && has_one_called("label")) {
      return column("label", "data.label");
    }
    std::string others;
    for (std::size_t c = 1; c < layout_.names.size() && layout_.has_header; ++c) {
      if (is_called_like_a_target(layout_.names[c])) {
        others += (others.empty() ? "" : ", ") + text::quoted(layout_.names[c]);
      }
    }
    const std::string first = text::quoted(layout_.names.front());
    require<UsageError>(others.empty() || is_called_like_a_target(layout_.names.front()), "data.label",
                        fmt::format("the name of the label's column of {}", first_.name()),
                        fmt::format("none: it may be the first, {}, or {}", first, others));
    layout_.notes.push_back(first_.name() + ": the label is the first column, " + first +
                            " (data.label names another)");
    return 0;
  }

  [[nodiscard]] bool has_one_called(std::string_view name) const {
    return std::find(layout_.names.begin(), layout_.names.end(), name) != layout_.names.end();
  }

  /// What was trained on has names, and a number is no name for it.
  void expect_one_called(const std::string& name) const {
    if (!has_one_called(name)) {
      if (layout_.names.size() == 1) {
        refuse_other_delimiter(first_.name(), first_.fields()[0], options_.delimiter);
      }
      std::vector<std::string> unknown = layout_.names;  // what has its place is not meant
      std::erase_if(unknown, [this](const std::string& other) {
        return std::find(options_.features.begin(), options_.features.end(), other) != options_.features.end();
      });
      const std::string near = nearest_word(name, unknown);
      fail<DataError>(first_.where(), fmt::format("a column called {}", text::quoted(name)),
                      fmt::format("none{}", (near.empty() ? "" : " (is it " + text::quoted(near) + "?)")));
    }
  }

  /// By name, or by number from 1.
  [[nodiscard]] std::size_t column(const std::string& wanted, const std::string& key) const {
    const auto& names = layout_.names;
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (layout_.has_header && found != names.end()) {
      require<DataError>(std::find(found + 1, names.end(), wanted) == names.end(), first_.where(),
                         fmt::format("one column called {}", text::quoted(wanted)), "several");
      return static_cast<std::size_t>(found - names.begin());
    }
    std::size_t number = 0;
    const char* end = wanted.data() + wanted.size();
    const auto [stop, error] = std::from_chars(wanted.data(), end, number);
    if (error != std::errc() || stop != end || number < 1 || number > names.size()) {
      if (options_.columns && layout_.has_header && key == "data.label") {
        expect_one_called(wanted);
      }
      if (names.size() == 1) {
        refuse_other_delimiter(first_.name(), first_.fields()[0], options_.delimiter);
      }
      const std::string near = layout_.has_header && wanted.size() > 2 ? nearest_word(wanted, names) : "";
      fail<UsageError>(key,
                       fmt::format("the name of a column of {} or a number from 1 to {}", first_.name(), names.size()),
                       fmt::format("{}{}", text::quoted(wanted),
                                   (near.empty() ? "" : " (did you mean " + text::quoted(near) + "?)")));
    }
    return number - 1;
  }

  void find_features() {
    std::vector<bool> left_out(layout_.names.size(), false);
    if (layout_.label) {
      left_out[*layout_.label] = true;
    }
    for (const std::string& name : options_.ignore) {
      left_out[column(name, "data.ignore")] = true;
    }
    if (!options_.id.empty()) {
      layout_.id = column(options_.id, "data.id");
      left_out[*layout_.id] = true;
    }
    for (const std::string& name : options_.features) {
      if (options_.columns && layout_.has_header) {
        expect_one_called(name);
      }
      const std::size_t c = column(name, "data.features");
      require<UsageError>(!left_out[c], "data.features",
                          fmt::format("a column of {} once, and not the label or one that is ignored", first_.name()),
                          text::quoted(name));
      left_out[c] = true;
      layout_.features.push_back(c);
    }
    for (std::size_t c = 0; c < left_out.size() && options_.features.empty(); ++c) {
      if (!left_out[c]) {
        layout_.features.push_back(c);
        note_nameless(c);
      }
    }
  }

  /// Models find their columns by name.
  void require_distinct_names() const {
    std::map<std::string_view, std::size_t> first_with;
    for (const std::size_t c : layout_.features) {
      const auto [found, is_new] = first_with.emplace(layout_.names[c], c);
      if (!is_new) {
        const std::size_t later = std::max(c, found->second) + 1;
        fail<DataError>(first_.where(), "columns with different names",
                        fmt::format("{} for columns {} and {} (a model finds columns by their names: rename one)",
                                    text::quoted(layout_.names[c]), std::min(c, found->second) + 1, later));
      }
    }
  }

  /// Tables that were written with the numbers of their rows have those in a column without a name.
  void note_nameless(std::size_t c) {
    if (layout_.has_header && layout_.names[c].empty()) {
      layout_.notes.push_back(fmt::format(
          "{}: column {} has no name and is a feature; if it numbers the rows, data.ignore = [\"{}\"] leaves it out",
          first_.where(), c + 1, c + 1));
    }
  }

  const CsvRecords& first_;
  const CsvOptions& options_;
  CsvLayout layout_;
};

}  // namespace

bool is_called_like_a_target(std::string_view name) {
  return std::find(kTargets.begin(), kTargets.end(), text::lower_case(name)) != kTargets.end();
}

void refuse_other_delimiter(const std::string& file, std::string_view line, char delimiter) {
  const std::size_t at = line.find_first_of(";\t| ");
  if (at != std::string_view::npos) {
    fail<DataError>(file, fmt::format("fields with {} between them", text::quoted(std::string_view(&delimiter, 1))),
                    fmt::format("{} (data.delimiter = \"{}\" parts it)", text::quoted(line),
                                line[at] == '\t' ? "\\t" : std::string(1, line[at])));
  }
}

CsvLayout find_layout(const CsvRecords& first, const CsvOptions& options) {
  return LayoutFinder(first, options).find();
}

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

  /// Words in order of their bytes. True and false are words where others are, and numbers else. Where all words are
  /// numbers with a comma in place of the point, nobody meant a category for each of them.
  [[nodiscard]] ColumnSurvey finish(const std::string& file) {
    if (!words_.empty() && spelled_.empty() && std::all_of(words_.begin(), words_.end(), has_decimal_comma)) {
      fail<DataError>(file, fmt::format("a number or a category in column {}", text::quoted(survey_.name)),
                      describe_field(*words_.begin()));
    }
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
  survey.label = label.finish(name);
  for (Column& column : columns) {
    survey.columns.push_back(column.finish(name));
  }
  return survey;
}

}  // namespace slidemesh

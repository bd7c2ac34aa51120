#include "slidemesh/data/formats/matrix_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "csv_records.h"
#include "fields.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/data/formats/row_reader.h"

namespace slidemesh {
namespace {

/// A column of the file that says which row (or column) of the matrix an entry is in, by numbers from 0 or by names.
class Axis {
 public:
  /// `known` are the names it may have, in order of their bytes; none: it is numbered. Absent: as the file has it.
  Axis(std::string name, bool always_names, const std::vector<std::string>* known)
      : name_(std::move(name)), always_names_(always_names), known_(known) {}

  [[nodiscard]] const std::string& name() const { return name_; }

  void add(std::string_view field, const CsvRecords& records) {
    field = trimmed(field);
    const auto [found, is_new] = distinct_.try_emplace(std::string(field), static_cast<Index>(distinct_.size()));
    if (is_new) {
      look_at(field, records);
    }
    entries_.push_back(found->second);
  }

  /// Settles what the fields that were seen mean: place(e) and extent(), names() where they are names.
  void finish(Index declared, const std::string& file) {
    std::vector<std::string> seen(distinct_.size());
    for (const auto& [text, number] : distinct_) {
      seen[static_cast<std::size_t>(number)] = text;
    }
    if (known_ != nullptr ? !known_->empty() : always_names_ || has_words_) {
      find_names(seen);
    } else if (!complaint_.empty()) {
      throw DataError(complaint_);
    } else {
      places_ = numbers_;
    }
    const Index least =
        names_.empty() ? 1 + *std::max_element(places_.begin(), places_.end()) : static_cast<Index>(names_.size());
    if (declared > 0 && (names_.empty() ? least > declared : least != declared)) {
      fail<DataError>(file,
                      names_.empty() ? fmt::format("numbers below {} in column '{}'", declared, name_)
                                     : fmt::format("{} names in column '{}'", declared, name_),
                      std::to_string(names_.empty() ? least - 1 : least));
    }
    extent_ = declared > 0 ? declared : least;
    are_gaps_meant_ = declared > 0;
  }

  /// Numbers that leave out most of those below them are hardly places, but what somebody calls things.
  void tell_gaps(std::vector<std::string>& notes) const {
    const auto used = static_cast<Index>(distinct_.size());
    if (names_.empty() && !are_gaps_meant_ && used < extent_ - used) {
      notes.push_back(
          fmt::format("column {} has {} different numbers, which are places among {} (data.names = true takes "
                      "them for names, data.matrix_rows and data.matrix_columns say that gaps are meant)",
                      text::quoted(name_), used, extent_));
    }
  }

  [[nodiscard]] Index place(std::size_t entry) const { return places_[static_cast<std::size_t>(entries_[entry])]; }
  [[nodiscard]] Index extent() const { return extent_; }
  [[nodiscard]] std::vector<std::string> take_names() { return std::move(names_); }

 private:
  /// A field that has not been there before. Whether it may be a number that does not count is known at the end.
  void look_at(std::string_view field, const CsvRecords& records) {
    double number = 0.0;
    const FieldKind kind = parse_field(field, number);
    if (kind == FieldKind::kMissing) {
      fail<DataError>(records.where(), fmt::format("a name or number in column {}", text::quoted(name_)),
                      field.empty() ? "nothing" : text::quoted(field));
    }
    if (!is_utf8(field)) {
      fail<DataError>(records.where(), fmt::format("a name in UTF-8 in column {}", text::quoted(name_)),
                      text::quoted(field));
    }
    if (known_ != nullptr && !known_->empty()) {
      if (!std::binary_search(known_->begin(), known_->end(), field)) {
        const std::string near = nearest_word(std::string(field), *known_);
        fail<DataError>(records.where(), fmt::format("a name that is known in column {}", text::quoted(name_)),
                        text::quoted(field) + (near.empty() ? "" : " (is it " + text::quoted(near) + "?)"));
      }
      return;
    }
    const bool counts = kind == FieldKind::kNumber && number >= 0.0 && number == std::floor(number) &&
                        number <= static_cast<double>(kMostFeatures);
    numbers_.push_back(counts ? static_cast<Index>(number) : -1);
    has_words_ = has_words_ || kind == FieldKind::kWord || kind == FieldKind::kBoolean;
    if (!counts && complaint_.empty()) {
      complaint_ = fmt::format("{}: expected a number from 0 in column {}, got {}", records.where(),
                               text::quoted(name_), text::quoted(field));
    }
  }

  /// Names in order of their bytes, whatever the order of the file.
  void find_names(const std::vector<std::string>& seen) {
    names_ = known_ != nullptr ? *known_ : seen;
    std::sort(names_.begin(), names_.end());
    for (const std::string& name : seen) {
      places_.push_back(std::lower_bound(names_.begin(), names_.end(), name) - names_.begin());
    }
  }

  std::string name_;
  bool always_names_;
  const std::vector<std::string>* known_;
  std::unordered_map<std::string, Index> distinct_;  ///< fields in the order in which they first came
  std::vector<Index> entries_;                       ///< of each entry, the number of its field among those
  std::vector<Index> numbers_;                       ///< of each distinct field; -1: it is none
  std::vector<Index> places_;                        ///< of each distinct field, in the matrix
  std::vector<std::string> names_;
  std::string complaint_;  ///< of the first field that is no number from 0, unless the axis has names
  bool has_words_ = false;
  bool are_gaps_meant_ = false;
  Index extent_ = 0;
};

class EntriesReader {
 public:
  EntriesReader(const std::filesystem::path& path, const MatrixEntriesOptions& options)
      : options_(options),
        records_(open_bytes(path), path.string(), options.delimiter),
        rows_(options.row, options.row_names, options.known ? &options.known->row_names : nullptr),
        columns_(options.column, options.column_names, options.known ? &options.known->column_names : nullptr) {}

  MatrixEntries read() {
    read_records();
    rows_.finish(options_.matrix_rows, records_.name());
    columns_.finish(options_.matrix_columns, records_.name());
    MatrixEntries entries;
    entries.rows = rows_.extent();
    entries.columns = columns_.extent();
    rows_.tell_gaps(entries.notes);
    columns_.tell_gaps(entries.notes);
    require<DataError>(entries.rows <= kMostFeatures / entries.columns, records_.name(),
                       "a matrix of at most 2147483646 entries",
                       fmt::format("{} x {} (data.names = true takes numbers for names, not for places)", entries.rows,
                                   entries.columns));
    Rows& table = entries.table;
    table.features = entries.rows * entries.columns;
    table.labels = std::move(values_);
    table.values.assign(table.labels.size(), 1.0);
    table.offsets.resize(table.labels.size() + 1);
    std::iota(table.offsets.begin(), table.offsets.end(), std::int64_t{0});
    for (std::size_t e = 0; e < table.labels.size(); ++e) {
      table.columns.push_back(static_cast<std::int32_t>(rows_.place(e) + columns_.place(e) * entries.rows));
    }
    if (!options_.node.empty()) {
      entries.partition = by_node();
    }
    entries.names = {options_.row, options_.column, rows_.take_names(), columns_.take_names()};
    return entries;
  }

 private:
  void read_records() {
    require<DataError>(records_.next(), records_.name(), "entries of a matrix", "nothing");
    const std::size_t row = column(options_.row, "data.row");
    const std::size_t col = column(options_.column, "data.column");
    const std::size_t value = options_.value.empty() ? 0 : column(options_.value, "data.value");
    const std::size_t node = options_.node.empty() ? 0 : column(options_.node, "data.node");
    if (row == col || (!options_.value.empty() && (value == row || value == col))) {
      fail<UsageError>(row == col ? "data.column" : "data.value", "another column than those of row and column",
                       fmt::format("column {} of {} (a number counts columns from 1, whatever their names)",
                                   (row == col ? col : value) + 1, records_.name()));
    }
    const std::size_t width = records_.fields().size();
    const auto most = static_cast<std::size_t>(options_.max_rows);
    // Where columns are known by their place, the first record may be an entry.
    bool held_back =
        !has_header_ && (options_.value.empty() || kind_of(records_.fields()[value]) == FieldKind::kNumber);
    while (std::exchange(held_back, false) || records_.next()) {
      expect_fields(records_, width);
      const auto& fields = records_.fields();
      rows_.add(fields[row], records_);
      columns_.add(fields[col], records_);
      values_.push_back(options_.value.empty() ? 0.0 : number(fields[value], options_.value));
      if (!options_.node.empty()) {
        nodes_.push_back(node_number(fields[node]));
      }
      if (values_.size() == most) {
        break;
      }
    }
    require<DataError>(!values_.empty(), records_.name(), "entries of a matrix", "a header alone");
  }

  /// Of the file, by its name or by its number from 1.
  [[nodiscard]] std::size_t column(const std::string& wanted, const std::string& key) {
    std::vector<std::string> names;
    for (const std::string_view field : records_.fields()) {
      names.emplace_back(trimmed(field));
    }
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (wanted == std::to_string(c + 1)) {
        return c;
      }
    }
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found != names.end()) {
      has_header_ = true;
      return static_cast<std::size_t>(found - names.begin());
    }
    std::erase_if(names, [&](const std::string& name) {  // what has its place is not meant
      return name == options_.row || name == options_.column || name == options_.value || name == options_.node;
    });
    const std::string near = nearest_word(wanted, names);
    fail<DataError>(records_.where(), fmt::format("a column called {}", text::quoted(wanted)),
                    fmt::format("none{} ({} names another)", near.empty() ? "" : ", but " + text::quoted(near), key));
  }

  [[nodiscard]] double number(std::string_view field, const std::string& name) const {
    double value = 0.0;
    if (!read_number(field, FeatureColumn{name}, value)) {
      fail_number(field, name, records_.where());
    }
    return value;
  }

  [[nodiscard]] Index node_number(std::string_view field) const {
    const double value = number(field, options_.node);
    if (value < 0.0 || value != std::floor(value) || value > static_cast<double>(kMostFeatures)) {
      fail<DataError>(records_.where(), fmt::format("a number from 0 in column {}", text::quoted(options_.node)),
                      text::quoted(trimmed(field)));
    }
    return static_cast<Index>(value);
  }

  [[nodiscard]] Partition by_node() const {
    Partition partition;
    partition.order = stable_order(std::span<const Index>(nodes_));
    const Index largest = *std::max_element(nodes_.begin(), nodes_.end());
    require<DataError>(largest < static_cast<Index>(nodes_.size()), records_.name(), "an entry for every node",
                       fmt::format("{} entries and a node {}", nodes_.size(), largest));
    partition.offsets.assign(static_cast<std::size_t>(largest) + 2, 0);
    for (const Index node : nodes_) {
      ++partition.offsets[static_cast<std::size_t>(node) + 1];
    }
    for (std::size_t i = 1; i < partition.offsets.size(); ++i) {
      if (partition.offsets[i] == 0) {
        fail<DataError>(records_.name(), "an entry for every node", fmt::format("none for node {}", i - 1));
      }
    }
    std::partial_sum(partition.offsets.begin(), partition.offsets.end(), partition.offsets.begin());
    return partition;
  }

  const MatrixEntriesOptions& options_;
  CsvRecords records_;
  Axis rows_;
  Axis columns_;
  std::vector<double> values_;
  std::vector<Index> nodes_;
  bool has_header_ = false;
};

}  // namespace

MatrixEntries read_matrix_entries(const std::filesystem::path& path, const MatrixEntriesOptions& options) {
  return EntriesReader(path, options).read();
}

}  // namespace slidemesh

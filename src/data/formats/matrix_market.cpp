#include "slidemesh/data/formats/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "line_reader.h"
#include "number.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {
namespace {

/// Words of a line, with messages that name where they stand.
class Words {
 public:
  Words(const LineReader& lines, std::string_view line) : lines_(lines), rest_(line) {}

  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t"));
    rest_.remove_prefix(word.size());
    return word;
  }

  Index whole(const char* what, Index least, Index most) {
    const std::string_view word = next();
    Index value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc() || stop != word.data() + word.size() || value < least || value > most) {
      fail(std::string(what) + " from " + std::to_string(least) + " to " + std::to_string(most), word);
    }
    return value;
  }

  double number(const char* what) {
    const std::string_view word = next();
    double value = 0.0;
    const char* end = word.data() + word.size();
    const char* stop = nullptr;
    const text::Parsed parsed = text::parse_number(word.data(), end, value, stop);
    if (parsed == text::Parsed::kNotFinite) {
      fail(std::string("a finite ") + what, word);
    }
    if (word.empty() || parsed == text::Parsed::kMalformed || stop != end) {
      fail(std::string("a ") + what, word);
    }
    return value;
  }

  void end() {
    if (const std::string_view word = next(); !word.empty()) {
      fail("the end of the line", word);
    }
  }

  [[noreturn]] void fail(const std::string& expected, std::string_view got) const {
    slidemesh::fail<DataError>(lines_.where(), expected, (got.empty() ? "nothing" : text::quoted(got)));
  }

 private:
  const LineReader& lines_;
  std::string_view rest_;
};

struct Entry {
  Index row;
  std::int32_t column;
  double value;
};

class MatrixMarketFile {
 public:
  MatrixMarketFile(std::unique_ptr<ByteStream> bytes, std::string name) : lines_(std::move(bytes), std::move(name)) {
    read_banner();
    read_size();
    if (array_) {
      read_array();
    } else {
      read_coordinates();
    }
  }

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] std::vector<Entry>& entries() { return entries_; }
  [[nodiscard]] const std::string& name() const { return lines_.name(); }

 private:
  bool next_line(std::string_view& line) {
    while (lines_.next(line)) {
      if (!line.starts_with('%') && !std::all_of(line.begin(), line.end(), text::is_blank)) {
        return true;
      }
    }
    return false;
  }

  void read_banner() {
    std::string_view line;
    require<DataError>(lines_.next(line), name(), "a Matrix Market file", "an empty one");
    Words words(lines_, line);
    expect(words, {"%%matrixmarket"});
    expect(words, {"matrix"});
    array_ = expect(words, {"coordinate", "array"}) == "array";
    pattern_ = expect(words, array_ ? std::vector<std::string>{"real", "integer"}
                                    : std::vector<std::string>{"real", "integer", "pattern"}) == "pattern";
    expect(words, {"general"});
    words.end();
  }

  static std::string expect(Words& words, const std::vector<std::string>& known) {
    const std::string_view word = words.next();
    const auto found = std::find(known.begin(), known.end(), text::lower_case(word));
    if (found == known.end()) {
      words.fail(text::joined(known, " or "), word);
    }
    return *found;
  }

  void read_size() {
    std::string_view line;
    require<DataError>(next_line(line), name(), "a line with the size of the matrix", "the end of the file");
    Words words(lines_, line);
    constexpr Index kMostRows = Index{1} << 40U;
    rows_ = words.whole("a number of rows", 1, kMostRows);
    columns_ = words.whole("a number of columns", 1, kMostFeatures);
    declared_ = array_ ? 0 : words.whole("a number of entries", 0, Index{1} << 48U);
    words.end();
    if (array_ && rows_ > (Index{1} << 48U) / columns_) {
      words.fail("a matrix of at most 2^48 numbers", std::to_string(rows_) + " x " + std::to_string(columns_));
    }
  }

  void read_coordinates() {
    std::string_view line;
    Index count = 0;
    while (next_line(line)) {
      Words words(lines_, line);
      if (count == declared_) {
        words.fail(std::to_string(declared_) + " entries", "one more");
      }
      const Index row = words.whole("a row", 1, rows_) - 1;
      const Index column = words.whole("a column", 1, columns_) - 1;
      const double value = pattern_ ? 1.0 : words.number("number");
      words.end();
      entries_.push_back({row, static_cast<std::int32_t>(column), value});
      ++count;
    }
    require<DataError>(count == declared_, name(), fmt::format("{} entries", declared_), std::to_string(count));
  }

  /// Numbers by columns, one per line.
  void read_array() {
    std::string_view line;
    for (Index column = 0; column < columns_; ++column) {
      for (Index row = 0; row < rows_; ++row) {
        if (!next_line(line)) {
          slidemesh::fail<DataError>(name(), fmt::format("{} numbers", rows_ * columns_),
                                     std::to_string(column * rows_ + row));
        }
        Words words(lines_, line);
        const double value = words.number("number");
        words.end();
        if (value != 0.0) {
          entries_.push_back({row, static_cast<std::int32_t>(column), value});
        }
      }
    }
    if (next_line(line)) {
      Words(lines_, line).fail(std::to_string(rows_ * columns_) + " numbers", "one more");
    }
  }

  LineReader lines_;
  bool array_ = false;
  bool pattern_ = false;
  Index rows_ = 0;
  Index columns_ = 0;
  Index declared_ = 0;
  std::vector<Entry> entries_;
};

std::vector<double> read_labels(std::unique_ptr<ByteStream> bytes, const std::string& name) {
  LineReader lines(std::move(bytes), name);
  std::vector<double> labels;
  std::string_view line;
  bool market = false;
  bool size_seen = false;
  while (lines.next(line)) {
    if (lines.number() == 1) {
      market = line.starts_with("%%");
    }
    if (line.starts_with('%') || line.find_first_not_of(" \t") == std::string_view::npos) {
      continue;
    }
    Words words(lines, line);
    if (market && !size_seen) {
      words.whole("a number of rows", 1, Index{1} << 40U);
      words.whole("one column", 1, 1);
      size_seen = true;
    } else {
      labels.push_back(words.number("number as label"));
    }
    words.end();
  }
  return labels;
}

/// `labels_bytes` are the file of labels, null where there is none.
Rows to_rows(MatrixMarketFile& file, const MatrixMarketOptions& options, std::unique_ptr<ByteStream> labels_bytes,
             const std::string& labels_name) {
  std::optional<std::vector<double>> labels;
  if (labels_bytes) {
    labels = read_labels(std::move(labels_bytes), labels_name);
  }
  const Index all = file.rows();
  const Index kept = options.max_rows > 0 ? std::min(options.max_rows, all) : all;
  auto& entries = file.entries();
  // A size line can promise any number of rows. Believe it only as far as entries back it up.
  constexpr Index kRowsPerEntry = 1000;
  require<DataError>(labels || kept / kRowsPerEntry <= static_cast<Index>(entries.size()), file.name(),
                     "an entry in one row of 1000 at least", fmt::format("{} entries in {} rows", entries.size(), all));
  if (labels && static_cast<Index>(labels->size()) != all) {
    slidemesh::fail<DataError>(labels_name, fmt::format("{} labels", all), std::to_string(labels->size()));
  }
  const bool in_file = !labels && options.label_column != 0;
  require<UsageError>(!in_file || (options.label_column >= 1 && options.label_column <= file.columns()), "data.label",
                      fmt::format("a column from 1 to {} of {}", file.columns(), file.name()),
                      std::to_string(options.label_column));
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.row, a.column) < std::pair(b.row, b.column); });

  Rows rows;
  const auto label_column = in_file ? static_cast<std::int32_t>(options.label_column - 1) : std::int32_t{-1};
  rows.features = file.columns() - (in_file ? 1 : 0);
  require<DataError>(rows.features > 0, file.name(), "a feature in some row", "labels alone");
  rows.labels.assign(static_cast<std::size_t>(kept), 0.0);
  if (labels) {
    std::copy_n(labels->begin(), kept, rows.labels.begin());
  }
  rows.offsets.assign(static_cast<std::size_t>(kept) + 1, 0);
  for (std::size_t e = 0; e < entries.size() && entries[e].row < kept; ++e) {
    const Entry& entry = entries[e];
    if (e > 0 && entries[e - 1].row == entry.row && entries[e - 1].column == entry.column) {
      slidemesh::fail<DataError>(file.name(), "every entry once",
                                 fmt::format("row {}, column {} twice", entry.row + 1, entry.column + 1));
    }
    if (entry.column == label_column) {
      rows.labels[static_cast<std::size_t>(entry.row)] = entry.value;
    } else if (entry.value != 0.0) {
      rows.columns.push_back(entry.column - (label_column >= 0 && entry.column > label_column ? 1 : 0));
      rows.values.push_back(entry.value);
      ++rows.offsets[static_cast<std::size_t>(entry.row) + 1];
    }
  }
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  return rows;
}

}  // namespace

Rows read_matrix_market(const std::filesystem::path& path, const MatrixMarketOptions& options) {
  MatrixMarketFile file(open_bytes(path), path.string());
  return to_rows(file, options, options.labels.empty() ? nullptr : open_bytes(options.labels), options.labels.string());
}

Rows parse_matrix_market(std::string_view text, const std::string& name, const MatrixMarketOptions& options,
                         std::string_view labels_text) {
  const std::string labels_name = name + " labels";
  MatrixMarketFile file(open_bytes(text, name), name);
  return to_rows(file, options, labels_text.empty() ? nullptr : open_bytes(labels_text, labels_name), labels_name);
}

}  // namespace slidemesh

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/lines.h"
#include "slidemesh/base/text.h"
#include "slidemesh/sets/polytope.h"

namespace slidemesh {
namespace {

using detail::kInfinity;

// ---- MPS

constexpr double kAsGoodAsInfinite = 1e30;

double bound_of(double value) { return std::abs(value) < kAsGoodAsInfinite ? value : std::copysign(kInfinity, value); }

class MpsReader {
 public:
  void take(const Line& line) {
    if (is_at_end_) {
      line.fail("nothing after ENDATA", text::quoted(line.words.front()));
    }
    if (!line.is_indented) {
      begin_section(line);
    } else if (take_in_section_ == nullptr) {
      line.fail("a section, such as ROWS, before its lines", text::quoted(line.words.front()));
    } else {
      (this->*take_in_section_)(line);
    }
  }

  [[nodiscard]] PolytopeRows finish(const std::filesystem::path& path, Index dimension) const {
    const auto fail = [&](const std::string& expected, const std::string& got) {
      slidemesh::fail<DataError>(path.string(), expected, got);
    };
    if (!is_at_end_) {
      fail("ENDATA at the end of an MPS file", "none");
    }
    if (static_cast<Index>(columns_.size()) != dimension) {
      fail(std::to_string(dimension) + " columns", std::to_string(columns_.size()));
    }
    PolytopeRows result;
    result.dimension = dimension;
    result.variable_lower.resize(dimension);
    result.variable_upper.resize(dimension);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const Column& column = columns_[j];
      if (!column.lower && column.upper < 0.0) {
        fail("a lower bound for column " + text::quoted(column.name) + ", whose upper bound is below 0", "none");
      }
      result.variable_lower(static_cast<Index>(j)) = column.lower.value_or(0.0);
      result.variable_upper(static_cast<Index>(j)) = column.upper;
    }
    add_rows(result);
    return result;
  }

 private:
  struct Row {
    char kind = 'N';
    double right_side = 0.0;
    std::optional<double> range;
    std::size_t last_column = 0;  ///< that has an entry here, from 1
  };
  struct Column {
    std::string name;
    std::optional<double> lower;  ///< 0 if the file does not say
    double upper = kInfinity;
  };
  struct Entry {
    std::size_t row;
    Index column;
    double value;
  };

  void begin_section(const Line& line) {
    const std::string_view name = line.words.front();
    if (name == "NAME") {
      return;
    }
    static const std::unordered_map<std::string_view, TakeLine> sections{
        {"OBJSENSE", &MpsReader::pass_over},  {"ROWS", &MpsReader::take_row},     {"COLUMNS", &MpsReader::take_column},
        {"RHS", &MpsReader::take_right_side}, {"RANGES", &MpsReader::take_range}, {"BOUNDS", &MpsReader::take_bound},
        {"ENDATA", &MpsReader::pass_over}};
    const auto found = sections.find(name);
    if (found == sections.end()) {
      line.fail("a section of a linear program in MPS", text::quoted(name));
    }
    take_in_section_ = found->second;
    is_at_end_ = name == "ENDATA";
  }

  void pass_over(const Line& /*line*/) {}

  void take_right_side(const Line& line) {
    for_each_pair(line, [this](std::size_t row, double value) { rows_[row].right_side = value; });
  }

  void take_range(const Line& line) {
    for_each_pair(line, [this](std::size_t row, double value) { rows_[row].range = value; });
  }

  void take_row(const Line& line) {
    if (line.words.size() != 2 || line.words[0].size() != 1 ||
        std::string_view("NLGE").find(line.words[0][0]) == std::string_view::npos) {
      line.fail("N, L, G or E and a name", words_of(line));
    }
    if (!row_numbers_.emplace(line.words[1], rows_.size()).second) {
      line.fail("every row once", text::quoted(line.words[1]) + " again");
    }
    rows_.push_back({.kind = line.words[0][0], .right_side = 0.0, .range = {}, .last_column = 0});
  }

  void take_column(const Line& line) {
    if (line.words.size() >= 2 && line.words[1] == "'MARKER'") {
      line.fail("variables that are not integers", "a marker of some that are");
    }
    if (line.words.size() != 3 && line.words.size() != 5) {
      line.fail("a column, and one or two rows with a value each", words_of(line));
    }
    if (columns_.empty() || columns_.back().name != line.words[0]) {
      if (!column_numbers_.emplace(line.words[0], columns_.size()).second) {
        line.fail("the entries of a column together", text::quoted(line.words[0]) + " again");
      }
      columns_.push_back({.name = std::string(line.words[0]), .lower = {}, .upper = kInfinity});
    }
    for_each_pair(line, [&](std::size_t row, double value) {
      if (rows_[row].last_column == columns_.size()) {
        line.fail("every row once in a column", "one again");
      }
      rows_[row].last_column = columns_.size();
      if (rows_[row].kind != 'N' && value != 0.0) {
        entries_.push_back({row, static_cast<Index>(columns_.size()) - 1, value});
      }
    });
  }

  /// (row, value) once or twice, behind a name that may be missing.
  template <class Use>
  void for_each_pair(const Line& line, const Use& use) {
    const std::size_t words = line.words.size();
    if (words < 2 || words > 5) {
      line.fail("one or two rows with a value each", words_of(line));
    }
    for (std::size_t k = words % 2; k < words; k += 2) {
      const auto row = row_numbers_.find(std::string(line.words[k]));
      if (row == row_numbers_.end()) {
        line.fail("a row of the section ROWS", text::quoted(line.words[k]));
      }
      use(row->second, line.number_in(line.words[k + 1]));
    }
  }

  /// A kind, a name that may be missing, a column, and for most kinds a value.
  void take_bound(const Line& line) {
    const std::string_view kind = line.words.front();
    const bool has_value = kind == "UP" || kind == "LO" || kind == "FX";
    if (!has_value && kind != "FR" && kind != "MI" && kind != "PL") {
      line.fail("UP, LO, FX, FR, MI or PL", text::quoted(kind));
    }
    const std::size_t words = line.words.size();
    const std::size_t least = has_value ? 3 : 2;
    if (words < least || words > 4) {
      line.fail("a kind of bound, a column" + std::string(has_value ? " and a value" : ""), words_of(line));
    }
    // Without a value there may be a name or a value that says nothing; columns are known, so it is clear which.
    const bool named = has_value ? words == 4 : words > 2 && column_numbers_.contains(std::string(line.words[2]));
    const std::string_view name = line.words[named ? 2 : 1];
    const auto found = column_numbers_.find(std::string(name));
    if (found == column_numbers_.end()) {
      line.fail("a column of the section COLUMNS", text::quoted(name));
    }
    Column& column = columns_[found->second];
    const double value = has_value ? bound_of(line.number_in(line.words.back())) : 0.0;
    if (kind == "LO" || kind == "FX") {
      column.lower = value;
    }
    if (kind == "UP" || kind == "FX") {
      column.upper = value;
    }
    if (kind == "FR" || kind == "MI") {
      column.lower = -kInfinity;
    }
    if (kind == "FR" || kind == "PL") {
      column.upper = kInfinity;
    }
  }

  /// The entries, which came by columns, by rows.
  void add_rows(PolytopeRows& result) const {
    std::vector<std::size_t> place(rows_.size(), 0);  // of each row among those that constrain
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].kind != 'N') {
        place[i] = result.lower.size();
        const auto [lower, upper] = ends_of(rows_[i]);
        result.lower.push_back(lower);
        result.upper.push_back(upper);
      }
    }
    std::vector<std::vector<Entry>> by_rows(result.lower.size());
    for (const Entry& entry : entries_) {
      by_rows[place[entry.row]].push_back(entry);
    }
    for (const std::vector<Entry>& row : by_rows) {
      for (const Entry& entry : row) {
        result.columns.push_back(entry.column);
        result.values.push_back(entry.value);
      }
      result.offsets.push_back(result.values.size());
    }
  }

  [[nodiscard]] static std::pair<double, double> ends_of(const Row& row) {
    const double side = bound_of(row.right_side);
    if (row.kind == 'E' && !row.range) {
      return {side, side};
    }
    const double width = std::abs(row.range.value_or(kInfinity));
    const bool is_open = width >= kAsGoodAsInfinite;
    if (row.kind == 'L' || (row.kind == 'E' && *row.range < 0.0)) {
      return {is_open ? -kInfinity : side - width, side};
    }
    return {side, is_open ? kInfinity : side + width};
  }

  [[nodiscard]] static std::string words_of(const Line& line) {
    return std::to_string(line.words.size()) + " words that begin with " + text::quoted(line.words.front());
  }

  using TakeLine = void (MpsReader::*)(const Line&);
  TakeLine take_in_section_ = nullptr;
  bool is_at_end_ = false;
  std::vector<Row> rows_;
  std::vector<Column> columns_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> row_numbers_;
  std::unordered_map<std::string, std::size_t> column_numbers_;
};

/// Reads an MPS file with names that have no blanks in them, as both forms of it usually are; its objective and other
/// free rows are ignored. 1e30 and beyond is infinite. What readers differ on, and integer variables, are refused.
PolytopeRows read_mps(const std::filesystem::path& path, Index dimension) {
  MpsReader reader;
  for_each_line(path, {.between = " \t\r", .comment = '*', .comment_anywhere = false},
                [&](const Line& line) { reader.take(line); });
  return reader.finish(path, dimension);
}

// ---- text

constexpr LineRules kRules{.between = " \t\r,", .comment = '#', .comment_anywhere = true};

/// `j:value`, or nothing if the word has no colon.
std::optional<std::pair<Index, double>> sparse_term(const Line& line, std::string_view word, Index dimension) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const double column = line.number_in(word.substr(0, colon));
  if (column != std::floor(column) || column < 0.0 || column >= static_cast<double>(dimension)) {
    line.fail("a coordinate from 0 to " + std::to_string(dimension - 1), std::string(word.substr(0, colon)));
  }
  return std::pair(static_cast<Index>(column), line.number_in(word.substr(colon + 1)));
}

/// `last_line`: of each coordinate, the last line where it was.
void read_constraint(const Line& line, std::vector<Index>& last_line, PolytopeRows& rows) {
  const std::size_t terms = line.words.size() < 3 ? 0 : line.words.size() - 2;
  const std::string_view relation = terms > 0 ? line.words[terms] : std::string_view{};
  if (relation != "<=" && relation != ">=" && relation != "=") {
    line.fail("coefficients, then <=, >= or =, then a number",
              std::to_string(line.words.size()) + " words without one");
  }
  const double bound = line.number_in(line.words.back());
  rows.lower.push_back(relation == "<=" ? -kInfinity : bound);
  rows.upper.push_back(relation == ">=" ? kInfinity : bound);
  const bool is_sparse = line.words[0].find(':') != std::string_view::npos;
  if (!is_sparse && static_cast<Index>(terms) != rows.dimension) {
    line.fail(std::to_string(rows.dimension) + " coefficients", std::to_string(terms));
  }
  for (std::size_t k = 0; k < terms; ++k) {
    const auto sparse = sparse_term(line, line.words[k], rows.dimension);
    if (is_sparse != sparse.has_value()) {
      line.fail("either all coefficients or j:value throughout", text::quoted(line.words[k]));
    }
    if (sparse && std::exchange(last_line[static_cast<std::size_t>(sparse->first)], line.number) == line.number) {
      line.fail("every coordinate once", text::quoted(line.words[k]) + " again");
    }
    const double value = sparse ? sparse->second : line.number_in(line.words[k]);
    if (value != 0.0) {
      rows.columns.push_back(sparse ? sparse->first : static_cast<Index>(k));
      rows.values.push_back(value);
    }
  }
  rows.offsets.push_back(rows.values.size());
}

}  // namespace

PolytopeRows read_polytope(const std::filesystem::path& path, Index dimension) {
  if (path.extension() == ".mps") {
    return read_mps(path, dimension);
  }
  PolytopeRows rows;
  rows.dimension = dimension;
  std::vector<Index> last_line(static_cast<std::size_t>(dimension), 0);
  for_each_line(path, kRules, [&](const Line& line) { read_constraint(line, last_line, rows); });
  require<DataError>(!rows.lower.empty(), path.string(), "constraints", "none");
  return rows;
}

Matrix read_points(const std::filesystem::path& path, Index dimension) {
  std::vector<double> numbers;
  for_each_line(path, kRules, [&](const Line& line) {
    if (static_cast<Index>(line.words.size()) != dimension) {
      line.fail(std::to_string(dimension) + " numbers", std::to_string(line.words.size()));
    }
    for (const std::string_view word : line.words) {
      numbers.push_back(line.number_in(word));
    }
  });
  require<DataError>(!numbers.empty(), path.string(), "points", "none");
  return Eigen::Map<const Matrix>(numbers.data(), dimension, static_cast<Index>(numbers.size()) / dimension);
}

}  // namespace slidemesh

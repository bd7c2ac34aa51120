#include <coin/CoinMpsIO.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/core/errors.h"
#include "slidemesh/sets/polytope.h"
#include "text.h"

namespace slidemesh {
namespace {

/// A line of a file, and how to complain about it.
struct Line {
  const std::filesystem::path& path;
  Index number;
  std::vector<std::string_view> words;

  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw DataError(path.string() + ":" + std::to_string(number) + ": expected " + expected + ", got " + got);
  }

  [[nodiscard]] double number_in(std::string_view word) const {
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) {
      fail("a finite number", '"' + std::string(word) + '"');
    }
    return value;
  }
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBetween = " \t\r,";
  for (std::size_t begin = text.find_first_not_of(kBetween); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBetween, end);
  }
  return words;
}

DataError unreadable(const std::filesystem::path& path) {
  return DataError(path.string() + ": expected a file that can be read, got none");
}

/// Calls `take` for every line that says something.
template <class Take>
void for_each_line(const std::filesystem::path& path, const Take& take) {
  std::ifstream file(path);
  if (!file) {
    throw unreadable(path);
  }
  std::string text;
  for (Index number = 1; std::getline(file, text); ++number) {
    const std::string_view content = std::string_view(text).substr(0, text.find('#'));
    const Line line{path, number, split(content)};
    if (!line.words.empty()) {
      take(line);
    }
  }
}

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

void read_constraint(const Line& line, PolytopeRows& rows) {
  const std::size_t terms = line.words.size() < 3 ? 0 : line.words.size() - 2;
  const std::string_view relation = terms > 0 ? line.words[terms] : std::string_view{};
  if (relation != "<=" && relation != ">=" && relation != "=") {
    line.fail("coefficients, then <=, >= or =, then a number",
              std::to_string(line.words.size()) + " words without one");
  }
  const double bound = line.number_in(line.words.back());
  constexpr double kInfinity = std::numeric_limits<double>::max();  // what Clp calls infinite
  rows.lower.push_back(relation == "<=" ? -kInfinity : bound);
  rows.upper.push_back(relation == ">=" ? kInfinity : bound);
  const bool is_sparse = line.words[0].find(':') != std::string_view::npos;
  if (!is_sparse && static_cast<Index>(terms) != rows.dimension) {
    line.fail(std::to_string(rows.dimension) + " coefficients", std::to_string(terms));
  }
  for (std::size_t k = 0; k < terms; ++k) {
    const auto sparse = sparse_term(line, line.words[k], rows.dimension);
    if (is_sparse != sparse.has_value()) {
      line.fail("either all coefficients or j:value throughout", '"' + std::string(line.words[k]) + '"');
    }
    const auto row = std::span(rows.columns).subspan(rows.offsets.back());
    if (sparse && std::find(row.begin(), row.end(), sparse->first) != row.end()) {
      line.fail("every coordinate once", '"' + std::string(line.words[k]) + "\" again");
    }
    const double value = sparse ? sparse->second : line.number_in(line.words[k]);
    if (value != 0.0) {
      rows.columns.push_back(sparse ? sparse->first : static_cast<Index>(k));
      rows.values.push_back(value);
    }
  }
  rows.offsets.push_back(rows.values.size());
}

PolytopeRows read_mps(const std::filesystem::path& path, Index dimension) {
  if (!std::ifstream(path)) {
    throw unreadable(path);
  }
  CoinMpsIO reader;
  reader.messageHandler()->setLogLevel(0);
  if (reader.readMps(path.c_str(), "") != 0) {
    throw DataError(path.string() + ": expected an MPS file, got one that cannot be read as such");
  }
  if (reader.getNumCols() != dimension) {
    throw DataError(path.string() + ": expected " + std::to_string(dimension) + " columns, got " +
                    std::to_string(reader.getNumCols()));
  }
  PolytopeRows rows;
  rows.dimension = dimension;
  rows.lower.assign(reader.getRowLower(), reader.getRowLower() + reader.getNumRows());
  rows.upper.assign(reader.getRowUpper(), reader.getRowUpper() + reader.getNumRows());
  const CoinPackedMatrix& matrix = *reader.getMatrixByRow();
  for (int i = 0; i < reader.getNumRows(); ++i) {
    const CoinBigIndex begin = matrix.getVectorStarts()[i];
    for (CoinBigIndex k = begin; k < begin + matrix.getVectorLengths()[i]; ++k) {
      rows.columns.push_back(matrix.getIndices()[k]);
      rows.values.push_back(matrix.getElements()[k]);
    }
    rows.offsets.push_back(rows.values.size());
  }
  rows.variable_lower = Eigen::Map<const Vector>(reader.getColLower(), dimension);
  rows.variable_upper = Eigen::Map<const Vector>(reader.getColUpper(), dimension);
  return rows;
}

}  // namespace

PolytopeRows read_polytope(const std::filesystem::path& path, Index dimension) {
  if (path.extension() == ".mps") {
    return read_mps(path, dimension);
  }
  PolytopeRows rows;
  rows.dimension = dimension;
  for_each_line(path, [&rows](const Line& line) { read_constraint(line, rows); });
  if (rows.lower.empty()) {
    throw DataError(path.string() + ": expected constraints, got none");
  }
  return rows;
}

Matrix read_points(const std::filesystem::path& path, Index dimension) {
  std::vector<double> numbers;
  for_each_line(path, [&](const Line& line) {
    if (static_cast<Index>(line.words.size()) != dimension) {
      line.fail(std::to_string(dimension) + " numbers", std::to_string(line.words.size()));
    }
    for (const std::string_view word : line.words) {
      numbers.push_back(line.number_in(word));
    }
  });
  if (numbers.empty()) {
    throw DataError(path.string() + ": expected points, got none");
  }
  return Eigen::Map<const Matrix>(numbers.data(), dimension, static_cast<Index>(numbers.size()) / dimension);
}

}  // namespace slidemesh

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mps.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/lines.h"
#include "slidemesh/base/text.h"
#include "slidemesh/sets/polytope.h"

namespace slidemesh {
namespace {

using detail::kInfinity;

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
    return detail::read_mps(path, dimension);
  }
  PolytopeRows rows;
  rows.dimension = dimension;
  std::vector<Index> last_line(static_cast<std::size_t>(dimension), 0);
  for_each_line(path, kRules, [&](const Line& line) { read_constraint(line, last_line, rows); });
  if (rows.lower.empty()) {
    fail<DataError>(path.string(), "constraints", "none");
  }
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
  if (numbers.empty()) {
    fail<DataError>(path.string(), "points", "none");
  }
  return Eigen::Map<const Matrix>(numbers.data(), dimension, static_cast<Index>(numbers.size()) / dimension);
}

}  // namespace slidemesh

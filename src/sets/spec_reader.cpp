#include "spec_reader.h"

#include <cmath>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh::detail {
namespace {

constexpr double kLargestIndex = 9.0e15;  // below 2^53: every integer up to here is a double

bool is_index(double value) { return value == std::floor(value) && std::abs(value) < kLargestIndex; }

}  // namespace

std::string describe(const SetValue& value) {
  struct Describe {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(double x) const { return text::shortest(x); }
    std::string operator()(const std::string& s) const { return text::quoted(s, '"'); }
    std::string operator()(const std::vector<double>& list) const { return list_of(list.size(), "numbers"); }
    std::string operator()(const std::vector<std::vector<double>>& list) const { return list_of(list.size(), "lists"); }
    std::string operator()(const std::vector<SetSpec>& list) const { return list_of(list.size(), "tables"); }
    static std::string list_of(std::size_t count, const char* what) {
      return "a list of " + std::to_string(count) + " " + what;
    }
  };
  return std::visit(Describe{}, value);
}

Bounds read_bounds(const SpecReader& reader) {
  Bounds bounds{reader.per_coordinate("lower"), reader.per_coordinate("upper")};
  for (Index j = 0; j < bounds.lower.size(); ++j) {
    if (bounds.lower[j] > bounds.upper[j]) {
      reader.fail("upper", "no less than lower at position " + std::to_string(j), text::shortest(bounds.upper[j]));
    }
  }
  return bounds;
}

void SpecReader::fail(const std::string& key, const std::string& expected, const std::string& got) const {
  const std::string place = key.empty() ? spec_.where : spec_.where + "." + key;
  slidemesh::fail<UsageError>(place, expected, got);
}

template <class T>
const T& SpecReader::need(const std::string& key, const std::string& expected, bool (*accepts)(const T&)) const {
  const auto found = spec_.parameters.find(key);
  if (found == spec_.parameters.end()) {
    fail(key, expected, "nothing");
  }
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr || !accepts(*value)) {
    fail(key, expected, describe(found->second));
  }
  return *value;
}

double SpecReader::number(const std::string& key) const {
  return need<double>(key, "a number", [](const double& x) { return std::isfinite(x); });
}

double SpecReader::positive(const std::string& key) const {
  return need<double>(key, "a positive number", [](const double& x) { return std::isfinite(x) && x > 0.0; });
}

double SpecReader::positive(const std::string& key, double fallback) const {
  return has(key) ? positive(key) : fallback;
}

Index SpecReader::integer(const std::string& key) const {
  return static_cast<Index>(need<double>(key, "a whole number", [](const double& x) { return is_index(x); }));
}

Index SpecReader::integer(const std::string& key, Index least, Index most) const {
  const Index value = integer(key);
  require(value >= least && value <= most, key,
          "a whole number from " + std::to_string(least) + " to " + std::to_string(most), std::to_string(value));
  return value;
}

std::string SpecReader::text(const std::string& key) const { return need<std::string>(key, "text"); }

std::filesystem::path SpecReader::file(const std::string& key) const {
  const std::filesystem::path path = text(key);
  return path.is_absolute() || spec_.base_directory.empty() ? path : spec_.base_directory / path;
}

Vector SpecReader::numbers(const std::string& key) const {
  const auto& list = need<std::vector<double>>(key, "a list of numbers");
  Vector result(static_cast<Index>(list.size()));
  for (Index j = 0; j < result.size(); ++j) {
    result[j] = list[static_cast<std::size_t>(j)];
    if (!std::isfinite(result[j])) {
      fail(key + "[" + std::to_string(j) + "]", "a finite number", text::shortest(result[j]));
    }
  }
  return result;
}

Vector SpecReader::numbers(const std::string& key, Index count) const {
  Vector result = numbers(key);
  require(result.size() == count, key, "a list of " + std::to_string(count) + " numbers",
          std::to_string(result.size()) + " numbers");
  return result;
}

Vector SpecReader::per_coordinate(const std::string& key) const {
  const auto found = spec_.parameters.find(key);
  if (found != spec_.parameters.end() && std::holds_alternative<double>(found->second)) {
    return Vector::Constant(dimension_, number(key));
  }
  need<std::vector<double>>(key, "a number or a list of numbers");
  return numbers(key, dimension_);
}

std::vector<std::vector<double>> SpecReader::lists(const std::string& key) const {
  const auto& lists = need<std::vector<std::vector<double>>>(key, "a list of lists of numbers");
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const double number : lists[i]) {
      if (!std::isfinite(number)) {
        fail(key + "[" + std::to_string(i) + "]", "finite numbers", text::shortest(number));
      }
    }
  }
  return lists;
}

Matrix SpecReader::columns(const std::string& key, Index rows) const {
  const auto all = lists(key);
  Matrix matrix(rows, static_cast<Index>(all.size()));
  for (Index k = 0; k < matrix.cols(); ++k) {
    const auto& column = all[static_cast<std::size_t>(k)];
    if (static_cast<Index>(column.size()) != rows) {
      fail(key + "[" + std::to_string(k) + "]", std::to_string(rows) + " numbers", std::to_string(column.size()));
    }
    matrix.col(k) = Eigen::Map<const Vector>(column.data(), rows);
  }
  return matrix;
}

std::vector<std::vector<Index>> SpecReader::index_lists(const std::string& key, Index limit) const {
  std::vector<std::vector<Index>> result;
  const auto outer = lists(key);
  for (std::size_t i = 0; i < outer.size(); ++i) {
    std::vector<Index>& row = result.emplace_back();
    for (const double number : outer[i]) {
      if (!is_index(number) || number < 0.0 || number >= static_cast<double>(limit)) {
        fail(key + "[" + std::to_string(i) + "]", "whole numbers from 0 to " + std::to_string(limit - 1),
             text::shortest(number));
      }
      row.push_back(static_cast<Index>(number));
    }
  }
  return result;
}

const std::vector<SetSpec>& SpecReader::sets(const std::string& key) const {
  return need<std::vector<SetSpec>>(key, "a list of sets", [](const auto& list) { return !list.empty(); });
}

Index SpecReader::divisor(const std::string& key) const {
  const Index value = integer(key);
  require(value >= 1 && dimension_ % value == 0, key, "a divisor of the dimension " + std::to_string(dimension_),
          std::to_string(value));
  return value;
}

Index SpecReader::rows_of_matrix() const {
  if (has("rows")) {
    return divisor("rows");
  }
  return matrix_rows_ > 0 ? matrix_rows_ : side_of_square();
}

Index SpecReader::side_of_square() const {
  const auto side = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(dimension_))));
  require(side * side == dimension_, "", "a square matrix as the variable", "dimension " + std::to_string(dimension_));
  return side;
}

}  // namespace slidemesh::detail

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
    std::string operator()(const std::vector<double>& list) const {
      return "a list of " + std::to_string(list.size()) + " numbers";
    }
    std::string operator()(const std::vector<std::vector<double>>& list) const {
      return "a list of " + std::to_string(list.size()) + " lists";
    }
    std::string operator()(const std::vector<SetSpec>& list) const {
      return "a list of " + std::to_string(list.size()) + " tables";
    }
  };
  return std::visit(Describe{}, value);
}

void require_ordered(const SpecReader& reader, const Vector& lower, const Vector& upper) {
  for (Index j = 0; j < lower.size(); ++j) {
    if (lower[j] > upper[j]) {
      reader.fail("upper", "no less than lower at position " + std::to_string(j), text::shortest(upper[j]));
    }
  }
}

void SpecReader::fail(const std::string& key, const std::string& expected, const std::string& got) const {
  const std::string place = key.empty() ? spec_.where : spec_.where + "." + key;
  slidemesh::fail<UsageError>(place, expected, got);
}

const SetValue* SpecReader::find(const std::string& key) const {
  const auto found = spec_.parameters.find(key);
  return found == spec_.parameters.end() ? nullptr : &found->second;
}

const SetValue& SpecReader::need(const std::string& key, const std::string& expected) const {
  const SetValue* value = find(key);
  if (value == nullptr) {
    fail(key, expected, "nothing");
  }
  return *value;
}

double SpecReader::number(const std::string& key) const {
  const SetValue& value = need(key, "a number");
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number)) {
    fail(key, "a number", describe(value));
  }
  return *number;
}

double SpecReader::number(const std::string& key, double fallback) const { return has(key) ? number(key) : fallback; }

double SpecReader::positive(const std::string& key) const {
  const SetValue& value = need(key, "a positive number");
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number) || *number <= 0.0) {
    fail(key, "a positive number", describe(value));
  }
  return *number;
}

double SpecReader::positive(const std::string& key, double fallback) const {
  return has(key) ? positive(key) : fallback;
}

Index SpecReader::integer(const std::string& key) const {
  const SetValue& value = need(key, "a whole number");
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !is_index(*number)) {
    fail(key, "a whole number", describe(value));
  }
  return static_cast<Index>(*number);
}

std::string SpecReader::text(const std::string& key) const {
  const SetValue& value = need(key, "text");
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) {
    fail(key, "text", describe(value));
  }
  return *text;
}

std::filesystem::path SpecReader::file(const std::string& key) const {
  const std::filesystem::path path = text(key);
  return path.is_absolute() || spec_.base_directory.empty() ? path : spec_.base_directory / path;
}

Vector SpecReader::numbers(const std::string& key) const {
  const SetValue& value = need(key, "a list of numbers");
  const auto* list = std::get_if<std::vector<double>>(&value);
  if (list == nullptr) {
    fail(key, "a list of numbers", describe(value));
  }
  Vector result(static_cast<Index>(list->size()));
  for (Index j = 0; j < result.size(); ++j) {
    result[j] = (*list)[static_cast<std::size_t>(j)];
    if (!std::isfinite(result[j])) {
      fail(key + "[" + std::to_string(j) + "]", "a finite number", text::shortest(result[j]));
    }
  }
  return result;
}

Vector SpecReader::numbers(const std::string& key, Index count) const {
  Vector result = numbers(key);
  if (result.size() != count) {
    fail(key, "a list of " + std::to_string(count) + " numbers", std::to_string(result.size()) + " numbers");
  }
  return result;
}

Vector SpecReader::per_coordinate(const std::string& key) const {
  const SetValue& value = need(key, "a number or a list of numbers");
  if (std::holds_alternative<double>(value)) {
    return Vector::Constant(dimension_, number(key));
  }
  if (!std::holds_alternative<std::vector<double>>(value)) {
    fail(key, "a number or a list of numbers", describe(value));
  }
  return numbers(key, dimension_);
}

std::vector<std::vector<double>> SpecReader::lists(const std::string& key) const {
  const SetValue& value = need(key, "a list of lists of numbers");
  const auto* lists = std::get_if<std::vector<std::vector<double>>>(&value);
  if (lists == nullptr) {
    fail(key, "a list of lists of numbers", describe(value));
  }
  for (std::size_t i = 0; i < lists->size(); ++i) {
    for (const double number : (*lists)[i]) {
      if (!std::isfinite(number)) {
        fail(key + "[" + std::to_string(i) + "]", "finite numbers", text::shortest(number));
      }
    }
  }
  return *lists;
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
  const SetValue& value = need(key, "a list of sets");
  const auto* list = std::get_if<std::vector<SetSpec>>(&value);
  if (list == nullptr || list->empty()) {
    fail(key, "a list of sets", describe(value));
  }
  return *list;
}

Index SpecReader::rows_of_matrix() const {
  if (has("rows")) {
    const Index rows = integer("rows");
    if (rows < 1 || dimension_ % rows != 0) {
      fail("rows", "a divisor of the dimension " + std::to_string(dimension_), std::to_string(rows));
    }
    return rows;
  }
  return matrix_rows_ > 0 ? matrix_rows_ : side_of_square();
}

Index SpecReader::side_of_square() const {
  const auto side = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(dimension_))));
  if (side * side != dimension_) {
    fail("", "a square matrix as the variable", "dimension " + std::to_string(dimension_));
  }
  return side;
}

}  // namespace slidemesh::detail

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/sets/registry.h"

namespace slidemesh::detail {

/// Typed, checked access to the keys of a spec. Every complaint is `where.key: expected ..., got ...`.
class SpecReader {
 public:
  SpecReader(const SetSpec& spec, Index dimension, Index matrix_rows)
      : spec_(spec), dimension_(dimension), matrix_rows_(matrix_rows) {}

  [[nodiscard]] Index dimension() const { return dimension_; }
  [[nodiscard]] Index matrix_rows() const { return matrix_rows_; }
  [[nodiscard]] const SetSpec& spec() const { return spec_; }
  [[nodiscard]] bool has(const std::string& key) const { return spec_.parameters.contains(key); }

  [[nodiscard]] double number(const std::string& key) const;
  [[nodiscard]] double positive(const std::string& key) const;
  [[nodiscard]] double positive(const std::string& key, double fallback) const;
  [[nodiscard]] Index integer(const std::string& key) const;
  [[nodiscard]] Index integer(const std::string& key, Index least, Index most) const;
  [[nodiscard]] std::string text(const std::string& key) const;
  /// A file name, relative to the config's directory.
  [[nodiscard]] std::filesystem::path file(const std::string& key) const;
  /// `count` finite numbers.
  [[nodiscard]] Vector numbers(const std::string& key, Index count) const;
  /// However many finite numbers there are.
  [[nodiscard]] Vector numbers(const std::string& key) const;
  /// A number for every coordinate, or dimension() numbers.
  [[nodiscard]] Vector per_coordinate(const std::string& key) const;
  [[nodiscard]] std::vector<std::vector<double>> lists(const std::string& key) const;
  /// Lists of `rows` numbers as the columns of a matrix.
  [[nodiscard]] Matrix columns(const std::string& key, Index rows) const;
  /// Lists of integers, each in 0 .. limit-1.
  [[nodiscard]] std::vector<std::vector<Index>> index_lists(const std::string& key, Index limit) const;
  [[nodiscard]] const std::vector<SetSpec>& sets(const std::string& key) const;

  /// A number that the dimension can be divided by.
  [[nodiscard]] Index divisor(const std::string& key) const;
  /// The shape of a set of matrices: `rows`, or the model's, or a square one.
  [[nodiscard]] Index rows_of_matrix() const;
  /// The side of a set of square matrices.
  [[nodiscard]] Index side_of_square() const;

  [[noreturn]] void fail(const std::string& key, const std::string& expected, const std::string& got) const;
  /// The same unless `holds`.
  void require(bool holds, const std::string& key, const std::string& expected, const std::string& got) const {
    if (!holds) {
      fail(key, expected, got);
    }
  }

 private:
  /// The value of a key that must be there, of this type, and accepted.
  template <class T>
  const T& need(
      const std::string& key, const std::string& expected,
      bool (*accepts)(const T&) = [](const T&) { return true; }) const;

  const SetSpec& spec_;
  Index dimension_;
  Index matrix_rows_;
};

struct Bounds {
  Vector lower;
  Vector upper;
};
/// `lower` and `upper`, which is nowhere below it.
[[nodiscard]] Bounds read_bounds(const SpecReader& reader);

/// How the message names a value of the wrong kind.
[[nodiscard]] std::string describe(const SetValue& value);

[[nodiscard]] std::vector<SetKind> norm_ball_kinds();
[[nodiscard]] std::vector<SetKind> simplex_kinds();
[[nodiscard]] std::vector<SetKind> spectral_kinds();
[[nodiscard]] std::vector<SetKind> combinatorial_kinds();
[[nodiscard]] std::vector<SetKind> combinator_kinds();

}  // namespace slidemesh::detail

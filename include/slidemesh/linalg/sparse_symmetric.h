#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// A symmetric n x n matrix that is a sum of outer products of sparse vectors, kept where some of these have two
/// numbers: 12 bytes per element, and a product with a vector costs what the columns of that vector's non-zeros have.
///
/// Vectors are put aside and added some at a time, when they have at least as many pairs of numbers as the matrix has
/// elements: so that the work per pair does not grow with the matrix. What is added together depends on the vectors
/// alone, and so do the bits of the sum. Used by one thread at a time.
class SparseSymmetric {
 public:
  explicit SparseSymmetric(Index n = 0);

  [[nodiscard]] Index size() const { return static_cast<Index>(lower_.begin.size()) - 1; }
  /// Of the whole matrix.
  [[nodiscard]] Count elements() const;

  /// S += factor v v', v with `values` at ascending `columns`; in force after the next `finish`.
  void add(double factor, std::span<const std::int32_t> columns, const double* values);
  void finish();

  /// out += S v.
  void add_product(ConstVectorRef v, VectorRef out) const;
  /// out_l += s S_{rows_l, j}.
  void add_elements(double s, std::span<const Index> rows, Index j, double* out) const;
  [[nodiscard]] double diagonal(Index j) const;

  /// The lower triangle with the diagonal, a column after the other: how many elements each has, their rows and values.
  struct Triangle {
    std::vector<Count> counts;
    std::vector<Count> rows;
    std::vector<double> values;
  };
  [[nodiscard]] Triangle lower_triangle() const;
  /// Replaces the matrix; false, and nothing changed, where that is no lower triangle of n columns with rows ascending.
  [[nodiscard]] bool assign(const Triangle& triangle);

 private:
  /// Columns of one triangle, their rows ascending.
  struct Columns {
    std::vector<std::int64_t> begin;  ///< where a column begins; one more for the end
    std::vector<std::int32_t> rows;
    std::vector<double> values;
  };
  /// Vectors that have been put aside.
  struct Waiting {
    std::vector<double> factors;
    std::vector<std::int64_t> begin{0};
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    std::int64_t pairs = 0;
  };
  /// Where the vectors that wait have numbers in each column.
  struct ByColumn {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> vectors;  ///< ascending within a column
    std::vector<std::int64_t> places;   ///< of the number in Waiting
  };

  /// body(row, value) for the elements of a column of the whole matrix.
  template <class Body>
  void for_each_in_column(Index j, Body&& body) const {
    const auto column = static_cast<std::size_t>(j);
    for (const Columns* half : {&upper_, &lower_}) {
      const auto end = static_cast<std::size_t>(half->begin[column + 1]);
      for (auto k = static_cast<std::size_t>(half->begin[column]); k < end; ++k) {
        body(half->rows[k], half->values[k]);
      }
    }
  }
  void add_waiting();
  void sort_waiting();
  /// Makes room for elements that the waiting vectors bring.
  void extend_pattern();
  void find_new_rows(Index j);
  void append_merged(Index j, Columns& longer) const;
  void add_values();
  void mirror();

  Columns lower_;  ///< with the diagonal
  Columns upper_;  ///< without
  bool has_new_elements_ = false;
  Waiting waiting_;
  ByColumn by_column_;
  mutable std::vector<double> sums_;  ///< a whole column while one is worked on, else zero
  std::vector<std::int32_t> marks_;   ///< the last column, from 1, that had an element in a row
  std::vector<std::int32_t> new_rows_;
};

}  // namespace slidemesh

#pragma once

#include <vector>

#include "slidemesh/linalg/compact_vector.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// A stacked variable that is put away for later, column by column without its zeros where most of a column is zero:
/// points to come back to, and those that others are compared with now and then.
class KeptColumns {
 public:
  KeptColumns() = default;
  KeptColumns(const Stacked& x) { assign(x); }  // NOLINT(google-explicit-constructor): the same numbers

  void assign(const Stacked& x) {
    rows_ = x.rows();
    columns_.resize(static_cast<std::size_t>(x.cols()));
    for (Index i = 0; i < x.cols(); ++i) {
      assign(i, x.col(i));
    }
  }
  void assign(Index i, ConstVectorRef column) { columns_[static_cast<std::size_t>(i)].assign(column); }

  [[nodiscard]] const CompactVector& column(Index i) const { return columns_[static_cast<std::size_t>(i)]; }
  void expand(Stacked& out) const {
    out.resize(rows_, static_cast<Index>(columns_.size()));
    for (Index i = 0; i < out.cols(); ++i) {
      column(i).expand(out.col(i));
    }
  }

  /// How many numbers are kept.
  [[nodiscard]] Count numbers() const {
    Count sum = 0;
    for (const CompactVector& column : columns_) {
      sum += column.numbers();
    }
    return sum;
  }

 private:
  Index rows_ = 0;
  std::vector<CompactVector> columns_;
};

}  // namespace slidemesh

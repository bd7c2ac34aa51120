#pragma once

#include <memory>
#include <string_view>

#include "slidemesh/base/cloned.h"
#include "slidemesh/core/feasible_set.h"

namespace slidemesh {

/// Matrices (column-major) whose last row is free, but for a bound on its entries, and whose other rows are in a set:
/// a model with an intercept that the set says nothing about. Sets are bounded, so the bound must be there; it is meant
/// to be so large that no answer comes near it.
class FreeRowSet final : public FeasibleSet {
 public:
  /// `others` is over (rows - 1) x columns.
  FreeRowSet(std::unique_ptr<FeasibleSet> others, Index columns, double bound);

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<FreeRowSet>(*this); }
  [[nodiscard]] std::string_view name() const override { return others_->name(); }
  [[nodiscard]] Index dimension() const override { return rows_ * columns_; }
  [[nodiscard]] Index matrix_rows() const override { return rows_; }

  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] ProjectionKind projection_kind() const override { return others_->projection_kind(); }
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] double diameter() const override;
  void start(VectorRef x) const override;
  void visit_state(StateVisitor& visitor) override { others_->visit_state(visitor); }

 private:
  [[nodiscard]] auto as_matrix(ConstVectorRef x) const { return Eigen::Map<const Matrix>(x.data(), rows_, columns_); }
  /// Calls answer(others' part of x, room for theirs of `out`) and puts both parts together.
  template <class Answer, class OfLastRow>
  void part_by_part(ConstVectorRef x, VectorRef out, const Answer& answer, const OfLastRow& of_last_row);

  Cloned<FeasibleSet> others_;
  Index rows_;
  Index columns_;
  double bound_;
};

}  // namespace slidemesh

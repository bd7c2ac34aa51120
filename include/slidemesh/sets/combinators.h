#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "slidemesh/base/cloned.h"
#include "slidemesh/core/feasible_set.h"
#include "slidemesh/core/wrapped_set.h"

namespace slidemesh {

/// The product of sets over consecutive blocks of coordinates: each block in its own set.
class ProductSet final : public FeasibleSet {
 public:
  explicit ProductSet(std::vector<std::unique_ptr<FeasibleSet>> parts);

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<ProductSet>(*this); }
  [[nodiscard]] std::string_view name() const override { return "product"; }
  [[nodiscard]] Index dimension() const override { return dimension_; }

  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  /// The most expensive of the parts'.
  [[nodiscard]] ProjectionKind projection_kind() const override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  /// The largest of the parts'.
  [[nodiscard]] bool is_curved() const override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  /// Of parts that are, at most one of them not a box.
  [[nodiscard]] std::optional<BoxAndBall> box_and_ball() const override;
  [[nodiscard]] double diameter() const override;
  void start(VectorRef x) const override;
  void visit_state(StateVisitor& visitor) override;

 private:
  std::vector<Cloned<FeasibleSet>> parts_;
  Index dimension_ = 0;
};

/// { offset + factor x : x in base } for a factor other than 0 (a negative one mirrors the set).
class AffineSet final : public WrappedSet {
 public:
  AffineSet(std::unique_ptr<FeasibleSet> base, double factor, Vector offset);

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<AffineSet>(*this); }
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] std::optional<BoxAndBall> box_and_ball() const override;
  [[nodiscard]] double diameter() const override;
  void start(VectorRef x) const override;

 private:
  double factor_;
  Vector offset_;
  Vector work_;
};

/// { offset + x : x in base }.
[[nodiscard]] std::unique_ptr<FeasibleSet> shifted(std::unique_ptr<FeasibleSet> base, Vector offset);
/// { factor x : x in base }.
[[nodiscard]] std::unique_ptr<FeasibleSet> scaled(std::unique_ptr<FeasibleSet> base, double factor);

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
  [[nodiscard]] bool is_curved() const override { return others_->is_curved(); }

  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] bool has_sparse_vertices() const override { return columns_ == 1 && others_->has_sparse_vertices(); }
  void sparse_minimizer(const SparseView& g, SparseVector& v) override;
  [[nodiscard]] ProjectionKind projection_kind() const override { return others_->projection_kind(); }
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] std::optional<BoxAndBall> box_and_ball() const override;
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

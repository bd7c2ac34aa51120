#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "slidemesh/base/cloned.h"
#include "slidemesh/core/feasible_set.h"

namespace slidemesh {

/// A set around a set that answers as it does; a wrapper changes one thing.
class WrappedSet : public FeasibleSet {
 public:
  [[nodiscard]] std::string_view name() const override { return base_->name(); }
  [[nodiscard]] Index dimension() const override { return base_->dimension(); }
  [[nodiscard]] Index matrix_rows() const override { return base_->matrix_rows(); }
  void linear_minimizer(ConstVectorRef g, VectorRef v) override { base_->linear_minimizer(g, v); }
  [[nodiscard]] ProjectionKind projection_kind() const override { return base_->projection_kind(); }
  void project(ConstVectorRef x, VectorRef nearest) override { base_->project(x, nearest); }
  [[nodiscard]] bool is_curved() const override { return base_->is_curved(); }
  [[nodiscard]] double violation(ConstVectorRef x) const override { return base_->violation(x); }
  [[nodiscard]] double diameter() const override { return base_->diameter(); }
  void start(VectorRef x) const override { base_->start(x); }
  void visit_state(StateVisitor& visitor) override { base_->visit_state(visitor); }

 protected:
  explicit WrappedSet(std::unique_ptr<FeasibleSet> base) : base_(std::move(base)) {}

  [[nodiscard]] FeasibleSet& base() const { return *base_; }

 private:
  Cloned<FeasibleSet> base_;
};

}  // namespace slidemesh

#pragma once

#include <memory>

#include "slidemesh/core/feasible_set.h"
#include "slidemesh/core/meters.h"

namespace slidemesh {

/// A node's set whose linear-oracle calls are charged to the node, so that no algorithm counts them. What a set asks of
/// itself (a projection by its own linear oracle) is not seen here and not charged.
class MeteredSet final : public FeasibleSet {
 public:
  /// Charges local node `local` of `meters`, which must outlive the set.
  MeteredSet(const FeasibleSet& set, Meters& meters, Index local) : set_(set.clone()), meters_(meters), local_(local) {}

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override {
    return std::make_unique<MeteredSet>(*set_, meters_, local_);
  }
  [[nodiscard]] std::string_view name() const override { return set_->name(); }
  [[nodiscard]] Index dimension() const override { return set_->dimension(); }
  void linear_minimizer(ConstVectorRef g, VectorRef v) override {
    ++meters_.at(local_).linear_oracle_calls;
    set_->linear_minimizer(g, v);
  }
  [[nodiscard]] bool has_rank_one_vertices() const override { return set_->has_rank_one_vertices(); }
  [[nodiscard]] LeadingVector& begin_rank_one_search(double accuracy) override {
    return set_->begin_rank_one_search(accuracy);
  }
  void rank_one_minimizer(const SparseColumns& places, ConstVectorRef numbers, VectorRef left,
                          VectorRef right) override {
    ++meters_.at(local_).linear_oracle_calls;
    set_->rank_one_minimizer(places, numbers, left, right);
  }
  [[nodiscard]] ProjectionKind projection_kind() const override { return set_->projection_kind(); }
  void project(ConstVectorRef x, VectorRef nearest) override { set_->project(x, nearest); }
  void project_from(ConstVectorRef x, VectorRef nearest) override { set_->project_from(x, nearest); }
  [[nodiscard]] bool is_curved() const override { return set_->is_curved(); }
  [[nodiscard]] double violation(ConstVectorRef x) const override { return set_->violation(x); }
  [[nodiscard]] double diameter() const override { return set_->diameter(); }
  void start(VectorRef x) const override { set_->start(x); }
  void visit_state(StateVisitor& visitor) override { set_->visit_state(visitor); }
  [[nodiscard]] Index matrix_rows() const override { return set_->matrix_rows(); }

 private:
  std::unique_ptr<FeasibleSet> set_;
  Meters& meters_;
  Index local_;
};

}  // namespace slidemesh

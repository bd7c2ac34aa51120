#pragma once

#include <memory>
#include <optional>

#include "slidemesh/core/meters.h"
#include "slidemesh/core/wrapped_set.h"

namespace slidemesh {

/// A node's set whose linear-oracle calls are charged to the node, so that no algorithm counts them. What a set asks of
/// itself (a projection by its own linear oracle) is not seen here and not charged.
class MeteredSet final : public WrappedSet {
 public:
  /// Charges local node `local` of `meters`, which must outlive the set.
  MeteredSet(const FeasibleSet& set, Meters& meters, Index local)
      : WrappedSet(set.clone()), meters_(meters), local_(local) {}

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<MeteredSet>(*this); }
  void linear_minimizer(ConstVectorRef g, VectorRef v) override {
    ++meters_.at(local_).linear_oracle_calls;
    base().linear_minimizer(g, v);
  }
  [[nodiscard]] bool has_single_entry_vertices() const override { return base().has_single_entry_vertices(); }
  [[nodiscard]] SingleEntry single_entry_minimizer(const double* g) override {
    ++meters_.at(local_).linear_oracle_calls;
    return base().single_entry_minimizer(g);
  }
  [[nodiscard]] bool has_rank_one_vertices() const override { return base().has_rank_one_vertices(); }
  [[nodiscard]] LeadingVector& begin_rank_one_search(double accuracy) override {
    return base().begin_rank_one_search(accuracy);
  }
  void rank_one_minimizer(const SparseColumns& places, ConstVectorRef numbers, VectorRef left,
                          VectorRef right) override {
    ++meters_.at(local_).linear_oracle_calls;
    base().rank_one_minimizer(places, numbers, left, right);
  }
  [[nodiscard]] bool has_sparse_vertices() const override { return base().has_sparse_vertices(); }
  void sparse_minimizer(const SparseView& g, SparseVector& v) override {
    ++meters_.at(local_).linear_oracle_calls;
    base().sparse_minimizer(g, v);
  }
  [[nodiscard]] std::optional<BoxAndBall> box_and_ball() const override { return base().box_and_ball(); }
  void project_from(ConstVectorRef x, VectorRef nearest) override { base().project_from(x, nearest); }

 private:
  Meters& meters_;
  Index local_;
};

}  // namespace slidemesh

#pragma once

#include <memory>
#include <utility>

#include "slidemesh/core/vertex_cache.h"
#include "slidemesh/core/wrapped_set.h"

namespace slidemesh {

/// Counts what it is asked. Copies share one count, so that it can be read from outside of a method that cloned it;
/// they are not to be used from several threads.
class CountingSet final : public WrappedSet {
 public:
  struct Counts {
    Count linear_minimizers = 0;
    Count projections = 0;
  };
  explicit CountingSet(std::unique_ptr<FeasibleSet> base)
      : WrappedSet(std::move(base)), counts_(std::make_shared<Counts>()) {}

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<CountingSet>(*this); }
  void linear_minimizer(ConstVectorRef g, VectorRef v) override {
    ++counts_->linear_minimizers;
    base().linear_minimizer(g, v);
  }
  void project(ConstVectorRef x, VectorRef nearest) override {
    ++counts_->projections;
    base().project(x, nearest);
  }
  [[nodiscard]] const Counts& counts() const { return *counts_; }

 private:
  std::shared_ptr<Counts> counts_;
};

/// Remembers the last few questions with their answers: the same g, bit for bit, is not asked twice. For a base whose
/// answers do not depend on its past, this changes what an answer costs and never the answer. For one that starts warm
/// it may: what is remembered is not always what the base would say now. So questions and answers are state, and go
/// into checkpoints.
class CachingSet final : public WrappedSet {
 public:
  CachingSet(std::unique_ptr<FeasibleSet> base, Index capacity);

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<CachingSet>(*this); }
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] Count hits() const { return hits_; }
  void visit_state(StateVisitor& visitor) override;

 private:
  Index capacity_;
  Count next_ = 0;
  Count size_ = 0;
  Count hits_ = 0;
  Matrix questions_;
  Matrix answers_;
};

/// A linear oracle that is content with good enough (Braun, Pokutta and Zink 2017): keeps past vertices and looks among
/// them first.
class LazySet final : public WrappedSet {
 public:
  LazySet(std::unique_ptr<FeasibleSet> base, Index capacity)
      : WrappedSet(std::move(base)), cache_(dimension(), capacity) {}

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<LazySet>(*this); }
  /// The exact oracle; its answer is kept.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  /// A point v with <g, v> <= threshold: the best of the kept ones if that will do (returns true), else the exact
  /// answer.
  bool point_below(ConstVectorRef g, double threshold, VectorRef v);
  void visit_state(StateVisitor& visitor) override;

 private:
  VertexCache cache_;
};

}  // namespace slidemesh

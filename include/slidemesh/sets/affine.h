#pragma once

#include <memory>

#include "slidemesh/core/wrapped_set.h"

namespace slidemesh {

/// { offset + factor x : x in base } for a factor other than 0 (a negative one mirrors the set).
class AffineSet final : public WrappedSet {
 public:
  AffineSet(std::unique_ptr<FeasibleSet> base, double factor, Vector offset);

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<AffineSet>(*this); }
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] double violation(ConstVectorRef x) const override;
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

}  // namespace slidemesh

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "slidemesh/base/cloned.h"
#include "slidemesh/core/feasible_set.h"

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
  [[nodiscard]] double diameter() const override;
  void start(VectorRef x) const override;
  void visit_state(StateVisitor& visitor) override;

 private:
  std::vector<Cloned<FeasibleSet>> parts_;
  Index dimension_ = 0;
};

}  // namespace slidemesh

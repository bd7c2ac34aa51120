#pragma once

#include <memory>
#include <string_view>

#include "slidemesh/sets/set_base.h"

namespace slidemesh {

/// { offset + factor x : x in base } for a factor other than 0 (a negative one mirrors the set).
class AffineSet final : public FeasibleSet {
 public:
  AffineSet(std::unique_ptr<FeasibleSet> base, double factor, Vector offset);
  AffineSet(const AffineSet& other);
  AffineSet& operator=(const AffineSet&) = delete;
  ~AffineSet() override = default;

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<AffineSet>(*this); }
  [[nodiscard]] std::string_view name() const override { return base_->name(); }
  [[nodiscard]] Index dimension() const override { return base_->dimension(); }
  [[nodiscard]] Index matrix_rows() const override { return base_->matrix_rows(); }

  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  [[nodiscard]] ProjectionKind projection_kind() const override { return base_->projection_kind(); }
  void project(ConstVectorRef x, VectorRef nearest) override;
  [[nodiscard]] bool is_curved() const override { return base_->is_curved(); }
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  [[nodiscard]] double diameter() const override;
  void start(VectorRef x) const override;
  void visit_state(StateVisitor& visitor) override { base_->visit_state(visitor); }

 private:
  std::unique_ptr<FeasibleSet> base_;
  double factor_;
  Vector offset_;
  Vector work_;
};

/// { offset + x : x in base }.
[[nodiscard]] std::unique_ptr<FeasibleSet> shifted(std::unique_ptr<FeasibleSet> base, Vector offset);
/// { factor x : x in base }.
[[nodiscard]] std::unique_ptr<FeasibleSet> scaled(std::unique_ptr<FeasibleSet> base, double factor);

}  // namespace slidemesh

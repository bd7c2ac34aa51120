#include "slidemesh/sets/affine.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "checks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

AffineSet::AffineSet(std::unique_ptr<FeasibleSet> base, double factor, Vector offset)
    : WrappedSet(std::move(base)), factor_(factor), offset_(std::move(offset)), work_(dimension()) {
  if (!std::isfinite(factor_) || factor_ == 0.0) {
    fail<UsageError>("scaled", "a factor other than 0", text::shortest(factor_));
  }
  if (offset_.size() != dimension()) {
    fail<UsageError>("shifted", fmt::format("an offset of {} numbers", dimension()), std::to_string(offset_.size()));
  }
  detail::require_finite(offset_, "shifted", "offset");
}

void AffineSet::linear_minimizer(ConstVectorRef g, VectorRef v) {
  if (factor_ > 0.0) {
    base().linear_minimizer(g, v);
  } else {
    work_ = -g;
    base().linear_minimizer(work_, v);
  }
  v = offset_ + factor_ * v;
}

void AffineSet::project(ConstVectorRef x, VectorRef nearest) {
  work_ = (x - offset_) / factor_;
  base().project(work_, nearest);
  nearest = offset_ + factor_ * nearest;
}

double AffineSet::violation(ConstVectorRef x) const {
  return std::abs(factor_) * base().violation((x - offset_) / factor_);
}

double AffineSet::diameter() const { return std::abs(factor_) * base().diameter(); }

void AffineSet::start(VectorRef x) const {
  base().start(x);
  x = offset_ + factor_ * x;
}

std::unique_ptr<FeasibleSet> shifted(std::unique_ptr<FeasibleSet> base, Vector offset) {
  return std::make_unique<AffineSet>(std::move(base), 1.0, std::move(offset));
}

std::unique_ptr<FeasibleSet> scaled(std::unique_ptr<FeasibleSet> base, double factor) {
  const Index d = base->dimension();
  return std::make_unique<AffineSet>(std::move(base), factor, Vector::Zero(d));
}

}  // namespace slidemesh

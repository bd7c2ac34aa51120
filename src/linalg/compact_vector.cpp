#include "slidemesh/linalg/compact_vector.h"

#include <algorithm>

#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/kernels_inline.h"

namespace slidemesh {

namespace {

constexpr Index kWorthIt = 4;  ///< a number with its place costs as much as four in a row

}  // namespace

void CompactVector::assign(ConstVectorRef v) {
  places_.clear();
  values_.clear();
  const auto numbers = v.size() - std::count(v.begin(), v.end(), 0.0);
  if (kWorthIt * numbers > v.size()) {
    values_.assign(v.begin(), v.end());
    return;
  }
  for (Index j = 0; j < v.size(); ++j) {
    if (v(j) != 0.0) {
      places_.push_back(j);
      values_.push_back(v(j));
    }
  }
}

double CompactVector::dot(const double* b) const noexcept {
  if (!is_compact()) {
    return slidemesh::dot(values_.data(), b, static_cast<Index>(values_.size()));
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    sum = inlined::multiply_add(values_[k], b[places_[k]], sum);
  }
  return sum;
}

void CompactVector::add_to(double s, double* y) const noexcept {
  if (!is_compact()) {
    axpy(s, values_.data(), y, static_cast<Index>(values_.size()));
    return;
  }
  for (std::size_t k = 0; k < places_.size(); ++k) {
    y[places_[k]] = inlined::multiply_add(s, values_[k], y[places_[k]]);
  }
}

void CompactVector::expand(VectorRef out) const {
  out.setZero();
  add_to(1.0, out.data());
}

}  // namespace slidemesh

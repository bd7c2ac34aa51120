#include "slidemesh/linalg/compact_vector.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/kernels_inline.h"

namespace slidemesh {

namespace {

constexpr Index kWorthIt = 4;  ///< a number with its place costs as much as four in a row

/// A zero with a sign is kept: what comes back has the bits of what was given.
bool is_kept(double number) { return std::bit_cast<std::uint64_t>(number) != 0; }

}  // namespace

void CompactVector::assign(ConstVectorRef v) {
  places_.clear();
  values_.clear();
  const auto numbers = std::count_if(v.begin(), v.end(), is_kept);
  if (kWorthIt * numbers > v.size()) {
    values_.assign(v.begin(), v.end());
    return;
  }
  for (Index j = 0; j < v.size(); ++j) {
    if (is_kept(v(j))) {
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
  if (!is_compact() && !values_.empty()) {
    std::copy(values_.begin(), values_.end(), out.data());
    return;
  }
  out.setZero();
  for (std::size_t k = 0; k < places_.size(); ++k) {
    out(places_[k]) = values_[k];
  }
}

}  // namespace slidemesh

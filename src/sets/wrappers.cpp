#include "slidemesh/sets/wrappers.h"

#include <algorithm>

namespace slidemesh {

CachingSet::CachingSet(std::unique_ptr<FeasibleSet> base, Index capacity)
    : WrappedSet(std::move(base)),
      capacity_(std::max<Index>(capacity, 1)),
      questions_(dimension(), capacity_),
      answers_(dimension(), capacity_) {}

void CachingSet::linear_minimizer(ConstVectorRef g, VectorRef v) {
  for (Index k = 0; k < size_; ++k) {
    if (std::equal(g.data(), g.data() + g.size(), questions_.col(k).data())) {
      v = answers_.col(k);
      ++hits_;
      return;
    }
  }
  base().linear_minimizer(g, v);
  questions_.col(next_) = g;
  answers_.col(next_) = v;
  next_ = (next_ + 1) % capacity_;
  size_ = std::min(size_ + 1, capacity_);
}

void LazySet::linear_minimizer(ConstVectorRef g, VectorRef v) {
  base().linear_minimizer(g, v);
  cache_.add(v);
}

bool LazySet::point_below(ConstVectorRef g, double threshold, VectorRef v) {
  double least = 0.0;
  const Index k = cache_.best(g, least);
  if (k >= 0 && least <= threshold) {
    std::copy_n(cache_.point(k), v.size(), v.data());
    return true;
  }
  linear_minimizer(g, v);
  return false;
}

void LazySet::visit_state(StateVisitor& visitor) {
  cache_.visit_state(visitor);
  WrappedSet::visit_state(visitor);
}

}  // namespace slidemesh

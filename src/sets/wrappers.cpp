#include "slidemesh/sets/wrappers.h"

#include <algorithm>

#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

/// What a checkpoint calls points of a set must be that: they go into iterates.
bool all_in(const FeasibleSet& set, const Eigen::Ref<const Matrix>& points) {
  for (Index k = 0; k < points.cols(); ++k) {
    if (!set.contains(points.col(k))) {
      return false;
    }
  }
  return true;
}

}  // namespace

CachingSet::CachingSet(std::unique_ptr<FeasibleSet> base, Index capacity)
    : WrappedSet(std::move(base)),
      capacity_(std::max<Index>(capacity, 1)),
      questions_(Matrix::Zero(dimension(), capacity_)),  // a checkpoint has all of it, and takes no NaN
      answers_(questions_) {}

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

// A remembered answer may differ from what a base that starts warm would say now, so it is state.
void CachingSet::visit_state(StateVisitor& visitor) {
  visitor.visit("caching_set.questions", questions_);
  visitor.visit("caching_set.answers", answers_);
  visitor.visit("caching_set.next", next_);
  visitor.visit("caching_set.size", size_);
  visitor.visit("caching_set.hits", hits_);
  const bool fits = questions_.rows() == dimension() && questions_.cols() == capacity_ &&
                    answers_.rows() == dimension() && answers_.cols() == capacity_ && size_ >= 0 &&
                    size_ <= capacity_ && next_ >= 0 && next_ < capacity_;
  const bool is_sound = !visitor.is_reading() ||
                        (fits && questions_.leftCols(size_).allFinite() && all_in(base(), answers_.leftCols(size_)));
  require<DataError>(fits && is_sound, "checkpoint", "the questions and answers of a caching set", "something else");
  WrappedSet::visit_state(visitor);
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
  const auto points =
      Eigen::Map<const Matrix>(cache_.size() > 0 ? cache_.point(0) : nullptr, dimension(), cache_.size());
  require<DataError>(!visitor.is_reading() || all_in(base(), points), "checkpoint", "points of the set in its cache",
                     "others");
  WrappedSet::visit_state(visitor);
}

}  // namespace slidemesh

#include "active_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {
namespace {

constexpr Index kIdleNumbers = Index{1} << 18;  // at most 2 MiB of idle atoms per node, beyond the first few
constexpr Index kFewestIdle = 4;
constexpr Index kMostIdle = 64;
constexpr Index kFirstRoom = 8;
constexpr Index kAtomNumbers = Index{1} << 21;  // 16 MiB of atoms per node
constexpr Index kFewestAtoms = 64;
constexpr Index kMostAtoms = 1024;
constexpr double kWeightRounding = 1e-6;  // of weights that are read back

}  // namespace

ActiveSet::ActiveSet(Index dimension)
    : dimension_(dimension),
      idle_limit_(std::clamp(kIdleNumbers / dimension, kFewestIdle, kMostIdle)),
      most_atoms_(std::clamp(kAtomNumbers / dimension, kFewestAtoms, kMostAtoms)) {}

Index ActiveSet::active() const {
  return static_cast<Index>(
      std::count_if(weights_.begin(), weights_.begin() + size_, [](double w) { return w > 0.0; }));
}

void ActiveSet::grow() {
  const Index old_stride = stride_;
  stride_ = std::max(kFirstRoom, 2 * stride_);
  atoms_.resize(at(stride_ * dimension_));
  weights_.resize(at(stride_));
  last_used_.resize(at(stride_));
  products_.resize(at(stride_ * stride_));
  for (Index k = size_ - 1; k >= 0; --k) {
    for (Index l = size_ - 1; l >= 0; --l) {
      products_[at(k * stride_ + l)] = products_[at(k * old_stride + l)];
    }
  }
}

void ActiveSet::compute_products(Index k) {
  for (Index l = 0; l < size_; ++l) {
    const double value = dot(atom(k), atom(l), dimension_);
    products_[at(k * stride_ + l)] = value;
    products_[at(l * stride_ + k)] = value;
  }
}

void ActiveSet::reset(ConstVectorRef point) {
  size_ = 0;
  weights_[at(find_or_add(point))] = 1.0;
}

Index ActiveSet::find_or_add(ConstVectorRef v) {
  for (Index k = 0; k < size_; ++k) {
    if (std::equal(v.data(), v.data() + dimension_, atom(k))) {
      return k;
    }
  }
  if (size_ >= most_atoms_) {
    make_room();
  }
  if (size_ == stride_) {
    grow();
  }
  const Index k = size_++;
  std::copy_n(v.data(), dimension_, atoms_.data() + k * dimension_);
  weights_[at(k)] = 0.0;
  last_used_[at(k)] = problem_;
  compute_products(k);
  return k;
}

void ActiveSet::shift(Index from, Index to, double amount) {
  weights_[at(from)] = std::max(weights_[at(from)] - amount, 0.0);
  weights_[at(to)] += amount;
}

void ActiveSet::blend(Index k, double step) {
  for (Index l = 0; l < size_; ++l) {
    weights_[at(l)] *= 1.0 - step;
  }
  weights_[at(k)] += step;
}

/// The last atom takes the place of the removed one.
void ActiveSet::remove(Index k) {
  const Index last = --size_;
  if (k == last) {
    return;
  }
  std::copy_n(atom(last), dimension_, atoms_.data() + k * dimension_);
  weights_[at(k)] = weights_[at(last)];
  last_used_[at(k)] = last_used_[at(last)];
  for (Index l = 0; l < size_; ++l) {
    const double value = product(last, l == k ? last : l);
    products_[at(k * stride_ + l)] = value;
    products_[at(l * stride_ + k)] = value;
  }
}

Index ActiveSet::longest_idle() const {
  Index oldest = -1;
  for (Index k = 0; k < size_; ++k) {
    if (weights_[at(k)] == 0.0 && (oldest < 0 || last_used_[at(k)] < last_used_[at(oldest)])) {
      oldest = k;
    }
  }
  return oldest;
}

void ActiveSet::make_room() {
  const Index idle = longest_idle();
  if (idle >= 0) {
    remove(idle);
  } else {
    merge_lightest();
  }
}

// The mean of two points of X is a point of X, and u stays where it is: an atom need not be a vertex.
void ActiveSet::merge_lightest() {
  Index a = 0;
  Index b = 1;
  if (weights_[at(b)] < weights_[at(a)]) {
    std::swap(a, b);
  }
  for (Index k = 2; k < size_; ++k) {
    if (weights_[at(k)] < weights_[at(a)]) {
      b = std::exchange(a, k);
    } else if (weights_[at(k)] < weights_[at(b)]) {
      b = k;
    }
  }
  const double total = weights_[at(a)] + weights_[at(b)];
  double* merged = atoms_.data() + b * dimension_;
  for (Index j = 0; j < dimension_; ++j) {
    merged[j] = (weights_[at(b)] * merged[j] + weights_[at(a)] * atom(a)[j]) / total;
  }
  weights_[at(b)] = total;
  compute_products(b);
  remove(a);
}

void ActiveSet::prune() {
  ++problem_;
  Index idle = 0;
  for (Index k = 0; k < size_; ++k) {
    if (weights_[at(k)] > 0.0) {
      last_used_[at(k)] = problem_;
    } else {
      ++idle;
    }
  }
  for (; idle > idle_limit_; --idle) {
    remove(longest_idle());
  }
}

void ActiveSet::reconstruct(VectorRef u) {
  double total = 0.0;
  for (Index k = 0; k < size_; ++k) {
    total += weights_[at(k)];
  }
  u.setZero();
  for (Index k = 0; k < size_; ++k) {
    weights_[at(k)] /= total;
    if (weights_[at(k)] > 0.0) {
      axpy(weights_[at(k)], atom(k), u.data(), dimension_);
    }
  }
}

bool ActiveSet::is_mixture() const {
  double total = 0.0;
  bool sensible = size_ <= most_atoms_ && problem_ >= 0;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    sensible = sensible && weights_[k] >= 0.0 && last_used_[k] >= 0 && last_used_[k] <= problem_;
    total += weights_[k];
  }
  return sensible && (size_ == 0 || std::abs(total - 1.0) <= kWeightRounding);
}

// The products are not saved: they are the same function of the atoms whenever they are computed.
void ActiveSet::visit_state(StateVisitor& visitor) {
  atoms_.resize(at(size_ * dimension_));
  weights_.resize(at(size_));
  last_used_.resize(at(size_));
  visitor.visit("active_set.problem", problem_);
  visitor.visit("active_set.atoms", atoms_);
  visitor.visit("active_set.weights", weights_);
  visitor.visit("active_set.last_used", last_used_);
  size_ = static_cast<Index>(weights_.size());
  const bool fits = atoms_.size() == at(size_ * dimension_) && last_used_.size() == weights_.size();
  if (visitor.is_reading() && (!fits || !is_mixture())) {
    fail<DataError>("checkpoint", "the atoms and weights of an active set", "something else");
  }
  stride_ = size_;
  products_.assign(at(stride_ * stride_), 0.0);
  for (Index k = 0; k < size_; ++k) {
    compute_products(k);
  }
}

}  // namespace slidemesh

#include "slidemesh/algorithms/snapshot_gradient.h"

#include <algorithm>

#include "slidemesh/algorithms/restart.h"
#include "slidemesh/core/kept_state.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

SnapshotGradient::SnapshotGradient(const Problem& problem, Network& network, const VrParameters& parameters,
                                   std::uint64_t seed)
    : p_(parameters),
      data_(problem, network.meters(), network.first_node(), seed),
      reduction_(data_, seed),
      snapshot_{problem.starts(), Stacked(Stacked::Zero(problem.dimension(), network.local_nodes()))},
      observed_(Matrix::Zero(1, network.local_nodes())),
      variance_(Vector::Zero(network.local_nodes())),
      drawn_variance_(variance_),
      values_(variance_),
      ratio_(variance_),
      seen_(variance_),
      x_before_(problem.dimension()),
      gradient_before_(problem.dimension()),
      batch_(static_cast<std::size_t>(network.local_nodes()), parameters.smallest_batch),
      draws_(static_cast<std::size_t>(network.local_nodes()), 0) {}

Count SnapshotGradient::dealt_rows(Index i) const { return in_subset_ ? subset_size(p_, rows(i)) : rows(i); }

void SnapshotGradient::take_all(const Stacked& x, Stacked& v) {
  in_subset_ = false;
  reduction_.snapshot(x, v);
  for (Index i = 0; i < x.cols() && snapshots_ > 0; ++i) {
    snapshot_.x.column(i).expand(x_before_);
    snapshot_.gradient.column(i).expand(gradient_before_);
    observed_(0, i) =
        slidemesh::observed_smoothness(values_(i), x_before_, gradient_before_, data_.values()(i), x.col(i), v.col(i));
  }
  snapshot_ = {x, v};
  values_ = data_.values();
  variance_.setZero();
  std::fill(draws_.begin(), draws_.end(), 0);
  since_snapshot_ = 0;
  ++snapshots_;
}

void SnapshotGradient::take_subset(const Stacked& x, Stacked& v) {
  for (Index i = 0; i < x.cols(); ++i) {
    draws_[static_cast<std::size_t>(i)] = dealt_rows(i);
  }
  reduction_.subset_snapshot(x, draws_, v);
  std::fill(draws_.begin(), draws_.end(), 0);
  snapshot_ = {x, v};
}

void SnapshotGradient::draw(const Stacked& x, Stacked& v) {
  for (Index i = 0; i < x.cols(); ++i) {
    draws_[static_cast<std::size_t>(i)] = squared_move(i, x.col(i)) > 0.0 ? planned(i) : 0;
  }
  reduction_.corrected_gradient(x, draws_, snapshot_, v, drawn_variance_);
  for (Index i = 0; i < x.cols(); ++i) {
    if (drawn(i) >= rows(i)) {
      values_(i) = data_.values()(i);
      variance_(i) = 0.0;
    } else if (drawn(i) > 0) {
      learn_variance(i, x.col(i));
    }
  }
  ++since_snapshot_;
}

double SnapshotGradient::squared_move(Index i, ConstVectorRef x) {
  snapshot_.x.column(i).expand(x_before_);
  return squared_distance(x, x_before_);
}

double SnapshotGradient::variance_at(Index i, ConstVectorRef x) { return ratio_(i) * squared_move(i, x); }

/// A mean over the rows that were drawn, of which the last count most.
void SnapshotGradient::learn_variance(Index i, ConstVectorRef x) {
  const double move = squared_move(i, x);
  const auto rows_drawn = static_cast<double>(drawn(i));
  const double weight = rows_drawn / (rows_drawn + std::min(seen_(i), variance_memory(p_, rows(i))));
  ratio_(i) = (1.0 - weight) * ratio_(i) + weight * drawn_variance_(i) / move;
  seen_(i) += rows_drawn;
  variance_(i) = ratio_(i) * move;
}

void SnapshotGradient::return_to(const KeptColumns& x, const KeptColumns& gradient, const Vector& values,
                                 bool was_set_aside) {
  variance_.setZero();
  values_ = values;
  snapshot_ = {x, gradient};
  if (was_set_aside) {
    reduction_.return_to_snapshot();
  }
}

void SnapshotGradient::visit_state(StateVisitor& visitor) {
  reduction_.visit_state(visitor);
  visit_kept(visitor, "snapshot.x", snapshot_.x);
  visit_kept(visitor, "snapshot.gradient", snapshot_.gradient);
  visitor.visit("snapshot.values", values_);
  visitor.visit("snapshot.variance", variance_);
  visitor.visit("snapshot.variance_ratio", ratio_);
  visitor.visit("snapshot.variance_seen", seen_);
  visitor.each_node(batch_.size(), [&](std::size_t i) { visitor.visit("snapshot.batch", batch_[i]); });
  visitor.visit("snapshot.in_subset", in_subset_);
  visitor.visit("snapshot.snapshots", snapshots_);
  visitor.visit("snapshot.steps_since", since_snapshot_);
}

}  // namespace slidemesh

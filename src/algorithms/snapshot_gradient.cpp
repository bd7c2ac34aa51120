#include "slidemesh/algorithms/snapshot_gradient.h"

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
  since_snapshot_ = 0;
  ++snapshots_;
}

void SnapshotGradient::take_subset(const Stacked& x, Stacked& v) {
  for (Index i = 0; i < x.cols(); ++i) {
    draws_[static_cast<std::size_t>(i)] = dealt_rows(i);
  }
  reduction_.subset_snapshot(x, draws_, v);
  snapshot_ = {x, v};
}

void SnapshotGradient::draw(const Stacked& x, Stacked& v) {
  for (Index i = 0; i < x.cols(); ++i) {
    snapshot_.x.column(i).expand(x_before_);
    const bool has_moved = squared_distance(x.col(i), x_before_) > 0.0;
    draws_[static_cast<std::size_t>(i)] = has_moved ? planned(i) : 0;
  }
  reduction_.corrected_gradient(x, draws_, snapshot_, v, drawn_variance_);
  for (Index i = 0; i < x.cols(); ++i) {
    if (drawn(i) >= rows(i)) {
      values_(i) = data_.values()(i);
      variance_(i) = 0.0;
    } else if (drawn(i) > 0) {
      const double weight = static_cast<double>(drawn(i)) / (static_cast<double>(drawn(i)) + p_.variance_memory);
      variance_(i) =
          variance_(i) == 0.0 ? drawn_variance_(i) : (1.0 - weight) * variance_(i) + weight * drawn_variance_(i);
    }
  }
  ++since_snapshot_;
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
  visitor.each_node(batch_.size(), [&](std::size_t i) { visitor.visit("snapshot.batch", batch_[i]); });
  visitor.visit("snapshot.in_subset", in_subset_);
  visitor.visit("snapshot.snapshots", snapshots_);
  visitor.visit("snapshot.steps_since", since_snapshot_);
}

}  // namespace slidemesh

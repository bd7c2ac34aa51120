// What Newton sliding knows of F from its models: values, and the bounds of a certificate.

#include <limits>

#include "slidemesh/algorithms/bound_rounding.h"
#include "slidemesh/algorithms/curvature_bound.h"
#include "slidemesh/algorithms/newton_sliding.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of the gap that is asked for: what rounding may take off the bound before it is worth while to balance multipliers.
constexpr double kRoundingShare = 0.1;

}  // namespace

std::optional<Vector> NewtonSliding::known_values() const {
  if (steps_ == 0) {
    return std::nullopt;
  }
  Vector values(network_.local_nodes());
  for (Index i = 0; i < values.size(); ++i) {
    values(i) = models_[static_cast<std::size_t>(i)].value(slide_.x().col(i));
  }
  return values;
}

std::optional<Vector> NewtonSliding::upper_bounds(const Vector& at) const {
  if (!certificate_) {
    return std::nullopt;
  }
  Vector bounds(network_.local_nodes());
  for (Index i = 0; i < bounds.size(); ++i) {
    if (!models_[static_cast<std::size_t>(i)].loss().curvature_is_certain()) {
      bounds(i) = kInfinity;
      continue;
    }
    bounds(i) = upper_bound_from_model(models_[static_cast<std::size_t>(i)], certified_at_.col(i), at);
  }
  return bounds;
}

/// Whether rounding of the multipliers may keep the bound from what is asked for. Columns far from the size of 1 do.
bool NewtonSliding::rounding_is_in_the_way() const {
  if (requested_gap_ <= 0.0) {
    return false;
  }
  Vector lost = rounding_of_bounds(problem_, network_);
  for (Index i = 0; i < lost.size(); ++i) {
    lost(i) *= norm(slide_.s().col(i));
  }
  return network_.agree_sum(lost.transpose())(0) > kRoundingShare * requested_gap_;
}

/// Multipliers that sum to zero over the nodes. w = Lap s does but for the rounding of all rounds, and that goes with
/// their mean. Left per node are u |w_i| of taking it off and, of the mean of m columns, u (m - 1)/m Σ|w_k| at most
/// (N. Higham, "Accuracy and stability of numerical algorithms", 2002, ch. 4), u = eps/2: less than eps Σ|w_k|.
Stacked NewtonSliding::balanced_multipliers() {
  Stacked w = slide_.w();
  Matrix posted(w.rows() + 1, w.cols());
  posted.topRows(w.rows()) = w;
  for (Index i = 0; i < w.cols(); ++i) {
    posted(w.rows(), i) = norm(w.col(i));
  }
  const Vector sum = network_.agree_sum(posted);
  w.colwise() -= sum.head(w.rows()) / static_cast<double>(network_.nodes());
  certificate_->rounding.setConstant(w.cols(), std::numeric_limits<double>::epsilon() * sum(w.rows()));
  return w;
}

void NewtonSliding::certify() {
  const Stacked& x = certified_at_ = slide_.x();
  certificate_ = Certificate{Vector(x.cols()), Vector(x.cols())};
  const Stacked w = rounding_is_in_the_way() ? balanced_multipliers() : slide_.w();
  for (Index i = 0; i < x.cols(); ++i) {
    const LocalModel& model = models_[static_cast<std::size_t>(i)];
    certificate_->value(i) = model.value(x.col(i));
    certificate_->lower_bound(i) = is_half_touched_[static_cast<std::size_t>(i)] != 0
                                       ? -kInfinity  // polynomials of other points say nothing about this one
                                       : lower_bound_from_model(model, problem_.set(i), x.col(i), w.col(i));
  }
}

}  // namespace slidemesh

// I-PDS: inexact primal-dual sliding with conditional gradient sliding, the part that touches no data.
//
// H. H. Nguyen, Y. Li and T. Zhao, "Stochastic Constrained Decentralized Optimization for Machine
// Learning with Fewer Data Oracles: a Gradient Sliding Approach", Algorithm 1. With exact gradients and
// exact projections it is the PDS of G. Lan, Y. Ouyang and Y. Zhou, "Graph topology invariant gradient
// and sampling complexity for decentralized and stochastic optimization" (2021).
//
//   paper       here          what it is
//   xₖ, xₖᵗ     x_            the inner iterate; after an outer step, its last one
//   xₖᵗ⁻¹       x_last_       the inner iterate before
//   xₖ₋₁        x_before_     where this outer step began, the centre of the prox term p (xₖ₋₂ to the next)
//   x̂ₖ          x_hat_        mean of the inner iterates of outer step k
//   x̲ₖ          x_under_      where the gradient is taken
//   x̃ₖ          x_tilde       extrapolation on the way to x̲ₖ
//   ũₖᵗ         u_tilde_      extrapolation inside the inner loop
//   zₖᵗ         dual_.s       dual variable; with sqrt-laplacian s; w = Lap s either way
//   A'zₖᵗ       dual_.w       what the dual variable does to the primal; sums to zero over the nodes
//   vₖ          v             gradient of f~ at x̲ₖ, exact or sampled
//
// The paper's source prints x̲ and x̂ with one symbol; they are different points. It starts the inner
// loop from xₖ⁻¹ = xₖ₋₁ at index T, which would make the first extrapolation nil; it is index T - 1.

#include "slidemesh/algorithms/sliding.h"

#include <algorithm>
#include <cmath>

#include "slidemesh/core/metered_set.h"
#include "slidemesh/core/state_checks.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/no_allocation.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

/// A column whose numbers are anything.
Eigen::Map<Vector> column_in(std::vector<double>& memory, Index rows) {
  memory.resize(static_cast<std::size_t>(rows));
  return {memory.data(), rows};
}

/// body(part) for one stretch of a column after the other, part(column) being that stretch of it: what one line writes
/// is in the cache when the next reads it, however long columns are.
template <class Body>
void for_each_part(Index rows, Body&& body) {
  constexpr Index kPart = 256;
  for (Index first = 0; first < rows; first += kPart) {
    const Index count = std::min(kPart, rows - first);
    body([first, count](auto&& column) { return column.segment(first, count); });
  }
}

}  // namespace

double operator_norm(Gossip gossip, double laplacian_lambda_max) {
  return gossip == Gossip::kLaplacian ? laplacian_lambda_max : std::sqrt(laplacian_lambda_max);
}

Sliding::Sliding(const Problem& problem, Network& network, Gossip gossip, std::string_view inner)
    : problem_(problem), network_(network), gossip_(gossip) {
  const Index d = problem.dimension();
  const Index m = network.local_nodes();
  for (Index i = 0; i < m; ++i) {
    const MeteredSet counted(problem.set(i), network.meters(), i);
    inner_.push_back(make_inner_solver(inner, counted));
    measure_sets_.push_back(counted.clone());
    certificate_sets_.push_back(problem.set(i).clone());
  }
  x_ = problem.starts();  // x₋₁ = x₀ = x̂₀ = x̲₀, the same at every node where the sets allow it
  x_last_ = x_before_ = x_hat_ = x_under_ = x_;
  for (Stacked* zero : {&u_tilde_, &dual_.s, &dual_.w, &exchanged_}) {
    zero->setZero(d, m);
  }
  for (Vector* zero : {&wolfe_gap_, &coupling_, &minima_, &inner_work_.wolfe_gap, &inner_work_.active_set_size}) {
    zero->setZero(m);
  }
}

void Sliding::extrapolate(const Step& s) {
  for (Index i = 0; i < x_.cols(); ++i) {
    extrapolated(s, i, u_tilde_.col(i));  // in the memory of ũ, which `slide` overwrites
  }
  x_under_.swap(u_tilde_);
}

void Sliding::extrapolated(const Step& s, Index i, VectorRef x_under) const {
  auto& x_tilde = x_under;
  x_tilde = x_.col(i) + s.lambda * (x_hat_.col(i) - x_before_.col(i));  // x̃ₖ = xₖ₋₁ + λₖ(x̂ₖ₋₁ − xₖ₋₂)
  x_under = (x_tilde + s.tau * x_under_.col(i)) / (1.0 + s.tau);  // x̲ₖ = (x̃ₖ + τₖ x̲ₖ₋₁)/(1 + τₖ)
}

void Sliding::slide(const Step& s, const Stacked& v, const InnerTolerance& tolerance) {
  const NoAllocationScope no_allocation;
  x_before_ = x_;  // xₖ⁰ = xₖ₋₁;  xₖ⁻¹ = xₖ₋₁ᵀ⁻¹ is in x_last_
  x_hat_.setZero();
  inner_work_.wolfe_gap.setZero();
  u_tilde_ = x_ + s.alpha(1) * (x_ - x_last_);  // ũ = xᵗ⁻¹ + α(xᵗ⁻¹ − xᵗ⁻²)
  for (Count t = 1; t <= s.inner_steps; ++t) {
    dual_step(s.q);                   // zᵗ = zᵗ⁻¹ + Aũ/q,  w = A'zᵗ
    primal_step(s, t, v, tolerance);  // xᵗ ≈ argmin over Xᵢ, node by node, and the next ũ
  }
  x_hat_ /= static_cast<double>(s.inner_steps);  // x̂ₖ = mean over t of xᵗ
}

void Sliding::dual_step(double q) {
  network_.laplacian(u_tilde_, exchanged_);
  if (gossip_ == Gossip::kLaplacian) {
    dual_.s += exchanged_ / q;
    network_.laplacian(dual_.s, dual_.w);
  }  // else A'A = Lap: w needs no z, and primal_step does it, with a node's columns in the cache
}

void Sliding::primal_step(const Step& s, Count t, const Stacked& v, const InnerTolerance& tolerance) {
  // The five terms make one square: strength/2 |x − centre|², up to a constant.
  const double eta = s.eta(t);
  const double strength = problem_.mu + eta + s.p;
  for_each_node(x_.cols(), 20.0 * static_cast<double>(x_.rows()), [&](Index i) {
    const ObjectPool<std::vector<double>>::Loan work(work_);
    auto centre = column_in(*work, x_.rows());
    make_centre(i, s, eta, v, centre);
    const double gap = tolerance.adaptive ? adaptive_tolerance(*tolerance.adaptive, strength,
                                                               squared_distance(u_tilde_.col(i), x_last_.col(i)))
                                          : tolerance.constant;
    require_finite_point(centre, network_.global(i));
    const InnerResult result = inner_[static_cast<std::size_t>(i)]->solve(strength, centre, gap, x_.col(i));
    require_finite(result, x_.col(i), network_.global(i));
    inner_work_.wolfe_gap(i) = std::max(inner_work_.wolfe_gap(i), result.wolfe_gap);
    inner_work_.active_set_size(i) = static_cast<double>(result.active_set_size);
    const bool is_last = t == s.inner_steps;
    const double alpha = is_last ? 0.0 : s.alpha(t + 1);
    for_each_part(x_.rows(), [&](auto part) {
      part(x_hat_.col(i)) += part(x_.col(i));
      if (!is_last) {
        part(u_tilde_.col(i)) = part(x_.col(i)) + alpha * (part(x_.col(i)) - part(x_last_.col(i)));
      }
    });
  });
}

void Sliding::make_centre(Index i, const Step& s, double eta, const Stacked& v, VectorRef centre) {
  const double strength = problem_.mu + eta + s.p;
  for_each_part(x_.rows(), [&](auto part) {
    if (gossip_ == Gossip::kSqrtLaplacian) {
      part(dual_.s.col(i)) += part(u_tilde_.col(i)) / s.q;
      part(dual_.w.col(i)) += part(exchanged_.col(i)) / s.q;
    }
    part(x_last_.col(i)) = part(x_.col(i));
    part(centre) =
        (eta * part(x_last_.col(i)) + s.p * part(x_before_.col(i)) - part(v.col(i)) - part(dual_.w.col(i))) / strength;
  });
}

void Sliding::restart_from_mean() {
  x_ = x_hat_;
  x_last_ = x_before_ = x_under_ = x_;
}

void Sliding::restart_from(const KeptColumns& x, const KeptDual& dual) {
  x.expand(x_hat_);
  restart_from_mean();
  dual.s.expand(dual_.s);
  dual.w.expand(dual_.w);
}

void Sliding::start_with_dual(const Stacked& s) {
  dual_.s = s;
  network_.laplacian(dual_.s, dual_.w);
}

void Sliding::measure(const Stacked& v) {
  Stacked& vertices = exchanged_;  // in memory that only the inner loop uses
  for_each_node(x_.cols(), 20.0 * static_cast<double>(x_.rows()), [&](Index i) {
    const ObjectPool<std::vector<double>>::Loan work(work_);
    auto direction = column_in(*work, x_.rows());
    const auto x = x_under_.col(i);
    direction = v.col(i) + problem_.mu * x + dual_.w.col(i);
    measure_sets_[static_cast<std::size_t>(i)]->linear_minimizer(direction, vertices.col(i));
    require_finite_point(vertices.col(i), network_.global(i));
    minima_(i) = dot(direction, vertices.col(i));
    wolfe_gap_(i) = dot(direction, x) - minima_(i);
    coupling_(i) = dot(dual_.w.col(i), x);
  });
}

Certificate Sliding::measured_certificate(const Stacked& v, const Vector& values) const {
  return certificate_with(v, values, minima_);
}

Certificate Sliding::certificate(const Stacked& v, const Vector& values) {
  Vector minima(x_.cols());
  Vector direction(x_.rows());
  Vector vertex(x_.rows());
  for (Index i = 0; i < x_.cols(); ++i) {
    direction = v.col(i) + problem_.mu * x_under_.col(i);
    direction += dual_.w.col(i);
    certificate_sets_[static_cast<std::size_t>(i)]->linear_minimizer(direction, vertex);
    require_finite_point(vertex, network_.global(i));
    minima(i) = dot(direction, vertex);
  }
  return certificate_with(v, values, minima);
}

Certificate Sliding::certificate_with(const Stacked& v, const Vector& values, const Vector& minima) const {
  Certificate certificate{Vector(x_.cols()), Vector(x_.cols())};
  Vector g(x_.rows());
  for (Index i = 0; i < x_.cols(); ++i) {
    const auto x = x_under_.col(i);
    certificate.value(i) = values(i) + problem_.mu / 2.0 * squared_norm(x);
    g = v.col(i) + problem_.mu * x;
    const double at_zero = certificate.value(i) - dot(g, x);  // the tangent of f_i, at the origin
    certificate.lower_bound(i) = at_zero + minima(i);
  }
  return certificate;
}

void Sliding::visit_state(StateVisitor& visitor) {
  visitor.visit("x", x_);
  visitor.visit("x_last", x_last_);
  visitor.visit("x_before", x_before_);
  visitor.visit("x_hat", x_hat_);
  visitor.visit("x_under", x_under_);
  visitor.visit("dual.s", dual_.s);
  visitor.visit("dual.w", dual_.w);
  for (std::size_t i = 0; i < inner_.size(); ++i) {
    visitor.node(static_cast<Index>(i));
    inner_[i]->visit_state(visitor);
    measure_sets_[i]->visit_state(visitor);
    certificate_sets_[i]->visit_state(visitor);
    if (visitor.is_reading()) {
      for (const Stacked* points : {&x_, &x_last_, &x_before_, &x_hat_, &x_under_}) {
        require_near_set(*measure_sets_[i], points->col(static_cast<Index>(i)).data(), 1, kExtrapolationReach,
                         "iterates");
      }
    }
  }
  visitor.all_nodes();
}

}  // namespace slidemesh

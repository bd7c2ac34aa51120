// I-PDS: inexact primal-dual sliding with conditional gradient sliding.
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
//   x̃ₖ          x_tilde_      extrapolation on the way to x̲ₖ
//   ũₖᵗ         u_tilde_      extrapolation inside the inner loop
//   zₖᵗ         z_            dual variable (unused by sqrt-laplacian, which needs w alone)
//   A'zₖᵗ       w_            what the dual variable does to the primal; sums to zero over the nodes
//   vₖ          v_            gradient of f~ at x̲ₖ, exact or sampled
//
// The paper's source prints x̲ and x̂ with one symbol; they are different points. It starts the inner
// loop from xₖ⁻¹ = xₖ₋₁ at index T, which would make the first extrapolation nil; it is index T - 1.

#include "slidemesh/algorithms/ipds.h"

#include <algorithm>
#include <cmath>

#include "slidemesh/core/kernels.h"
#include "slidemesh/core/no_allocation.h"
#include "slidemesh/core/parallel.h"

namespace slidemesh {

namespace {

double operator_norm(const IpdsOptions& options) {
  return options.gossip == Gossip::kLaplacian ? options.laplacian_lambda_max : std::sqrt(options.laplacian_lambda_max);
}

Schedule make_schedule(const Problem& problem, const IpdsOptions& options) {
  ScheduleParameters p;
  p.outer_steps = options.outer_steps;
  p.smoothness = options.smoothness.value_or(problem.smoothness);
  p.mu = problem.mu;
  p.operator_norm = operator_norm(options);
  p.r = options.R ? *options.R * p.operator_norm / p.smoothness : 1.0;
  p.c = options.c;
  p.profile = options.profile;
  return Schedule(p);
}

}  // namespace

Ipds::Ipds(const Problem& problem, Network& network, const IpdsOptions& options)
    : problem_(problem),
      network_(network),
      options_(options),
      schedule_(make_schedule(problem, options)),
      data_(problem, network, options.seed) {
  const Index d = problem.dimension();
  const Index m = network.local_nodes();
  for (Index i = 0; i < m; ++i) {
    inner_.push_back(make_inner_solver(options.inner, *problem.set));
    certificate_sets_.push_back(problem.set->clone());
  }
  x_ = problem.start.replicate(1, m);  // x₋₁ = x₀ = x̂₀ = x̲₀, the same at every node
  x_last_ = x_before_ = x_hat_ = x_under_ = output_ = x_;
  for (Stacked* zero : {&x_tilde_, &u_tilde_, &z_, &w_, &v_, &exchanged_, &centre_, &weighted_sum_}) {
    zero->setZero(d, m);
  }
}

void Ipds::step() {
  const Step s = schedule_.at(static_cast<int>(++k_));
  x_tilde_ = x_ + s.lambda * (x_hat_ - x_before_);           // x̃ₖ = xₖ₋₁ + λₖ(x̂ₖ₋₁ − xₖ₋₂)
  x_under_ = (x_tilde_ + s.tau * x_under_) / (1.0 + s.tau);  // x̲ₖ = (x̃ₖ + τₖ x̲ₖ₋₁)/(1 + τₖ)
  evaluate_gradient(s);                                      // vₖ ≈ ∇f̃(x̲ₖ): the only touch of the data

  const NoAllocationScope no_allocation;
  x_before_ = x_;  // xₖ⁰ = xₖ₋₁;  xₖ⁻¹ = xₖ₋₁ᵀ⁻¹ is in x_last_
  x_hat_.setZero();
  for (Count t = 1; t <= s.inner_steps; ++t) {
    u_tilde_ = x_ + s.alpha(t) * (x_ - x_last_);  // ũ = xᵗ⁻¹ + α(xᵗ⁻¹ − xᵗ⁻²)
    dual_step(s.q);                               // zᵗ = zᵗ⁻¹ + Aũ/q,  w = A'zᵗ
    x_last_ = x_;
    primal_step(s, t);                            // xᵗ ≈ argmin over X
    x_hat_ += x_;
  }
  x_hat_ /= static_cast<double>(s.inner_steps);  // x̂ₖ = mean over t of xᵗ
  weighted_sum_ += s.beta * x_hat_;              // x_out = (Σ βₖ x̂ₖ)/(Σ βₖ)
  weight_ += s.beta;
}

void Ipds::evaluate_gradient(const Step& s) {
  if (options_.c) {
    const int k = static_cast<int>(k_);
    data_.sampled_gradient(x_under_, s.batch, k, options_.cap_batches, v_);
    if (!finished()) {  // the draws are known ahead, so the next batch can travel during the inner loop
      data_.prefetch(schedule_.at(k + 1).batch, k + 1, options_.cap_batches);
    }
  } else {
    data_.gradient(x_under_, v_);
  }
}

void Ipds::dual_step(double q) {
  network_.laplacian(u_tilde_, exchanged_);
  if (options_.gossip == Gossip::kSqrtLaplacian) {
    w_ += exchanged_ / q;  // A'A = Lap: w needs no z
    return;
  }
  z_ += exchanged_ / q;
  network_.laplacian(z_, w_);
}

void Ipds::primal_step(const Step& s, Count t) {
  // The five terms make one square: strength/2 |x − centre|², up to a constant.
  const double eta = s.eta(t);
  const double strength = problem_.mu + eta + s.p;
  centre_ = (eta * x_last_ + s.p * x_before_ - v_ - w_) / strength;
  for_each_node(x_.cols(), 20.0 * static_cast<double>(x_.rows()), [&](Index i) {
    const InnerResult result =
        inner_[static_cast<std::size_t>(i)]->solve(strength, centre_.col(i), options_.tolerance, x_.col(i));
    network_.meters().at(i).linear_oracle_calls += result.linear_oracle_calls;
  });
}

const Stacked& Ipds::output() {
  if (options_.output == Output::kLast || k_ == 0) {
    return x_hat_;
  }
  output_ = weighted_sum_ / weight_;
  return output_;
}

std::optional<Certificate> Ipds::certificate() {
  if (options_.c || k_ == 0) {
    return std::nullopt;
  }
  Certificate certificate{Vector(x_.cols()), Vector(x_.cols())};
  Vector g(x_.rows());
  Vector vertex(x_.rows());
  for (Index i = 0; i < x_.cols(); ++i) {
    const auto x = x_under_.col(i);
    certificate.value(i) = data_.values()(i) + problem_.mu / 2.0 * squared_norm(x);
    g = v_.col(i) + problem_.mu * x;
    const double at_zero = certificate.value(i) - dot(g, x);  // the tangent of f_i, at the origin
    g += w_.col(i);
    certificate_sets_[static_cast<std::size_t>(i)]->linear_minimizer(g, vertex);
    certificate.lower_bound(i) = at_zero + dot(g, vertex);
  }
  return certificate;
}

Count Ipds::next_data_oracle_calls() const {
  if (finished()) {
    return 0;
  }
  Count calls = 0;
  const Count batch = options_.c ? schedule_.at(static_cast<int>(k_) + 1).batch : 0;
  for (Index i = 0; i < x_.cols(); ++i) {
    const Count rows = data_.rows(i);
    calls += !options_.c || (options_.cap_batches && batch >= rows) ? rows : batch;
  }
  return calls;
}

void Ipds::visit_state(StateVisitor& visitor) {
  visitor.visit("k", k_);
  visitor.visit("x", x_);
  visitor.visit("x_last", x_last_);
  visitor.visit("x_before", x_before_);
  visitor.visit("x_hat", x_hat_);
  visitor.visit("x_under", x_under_);
  visitor.visit("z", z_);
  visitor.visit("w", w_);
  visitor.visit("weighted_sum", weighted_sum_);
  visitor.visit("weight", weight_);
  for (std::size_t i = 0; i < inner_.size(); ++i) {
    visitor.node(static_cast<Index>(i));
    inner_[i]->visit_state(visitor);
  }
  visitor.all_nodes();
}

}  // namespace slidemesh

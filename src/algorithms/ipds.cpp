// I-PDS: inexact primal-dual sliding with conditional gradient sliding, as the paper has it.
//
// H. H. Nguyen, Y. Li and T. Zhao, "Stochastic Constrained Decentralized Optimization for Machine
// Learning with Fewer Data Oracles: a Gradient Sliding Approach", Algorithm 1. The table of symbols and
// the lines of the two moves below are in sliding.cpp, which the variants beyond the paper share.

#include "slidemesh/algorithms/ipds.h"

namespace slidemesh {

ScheduleParameters schedule_parameters(const Problem& problem, const IpdsOptions& options) {
  ScheduleParameters p;
  p.outer_steps = options.outer_steps;
  p.smoothness = options.smoothness.value_or(problem.smoothness);
  p.mu = problem.mu;
  p.operator_norm = operator_norm(options.gossip, options.laplacian_lambda_max);
  p.r = options.R ? *options.R * p.operator_norm / p.smoothness : 1.0;
  p.c = options.c;
  p.profile = options.profile;
  return p;
}

Ipds::Ipds(const Problem& problem, Network& network, const IpdsOptions& options)
    : options_(options),
      schedule_(schedule_parameters(problem, options)),
      data_(problem, network.meters(), network.first_node(), options.seed),
      sliding_(problem, network, options.gossip, options.inner),
      v_(Stacked::Zero(problem.dimension(), network.local_nodes())),
      weighted_sum_(v_),
      output_(v_) {}

void Ipds::step() {
  const Step s = schedule_.at(static_cast<int>(++k_));
  sliding_.extrapolate(s);  // x̲ₖ, on the way from x̲ₖ₋₁ to x̃ₖ = xₖ₋₁ + λₖ(x̂ₖ₋₁ − xₖ₋₂)
  evaluate_gradient(s);  // vₖ ≈ ∇f̃(x̲ₖ): the only touch of the data
  sliding_.slide(s, v_,
                 {options_.tolerance, options_.adaptive});  // Tₖ inner steps: zₖᵗ, xₖᵗ; then x̂ₖ, the mean of the xₖᵗ
  weighted_sum_ += s.beta * sliding_.x_hat();  // x_out = (Σ βₖ x̂ₖ)/(Σ βₖ)
  weight_ += s.beta;
}

void Ipds::evaluate_gradient(const Step& s) {
  if (options_.c) {
    const int k = static_cast<int>(k_);
    data_.sampled_gradient(sliding_.x_under(), s.batch, k, options_.cap_batches, v_);
    // The draws are known ahead, so the next batch can travel during the inner loop.
    data_.prefetch([this](int step) { return schedule_.at(step).batch; }, k + 1, options_.outer_steps,
                   options_.cap_batches);
  } else {
    data_.gradient(sliding_.x_under(), v_);
  }
}

const Stacked& Ipds::output() {
  if (options_.output == Output::kLast || k_ == 0) {
    return sliding_.x_hat();
  }
  output_ = weighted_sum_ / weight_;
  return output_;
}

std::optional<Certificate> Ipds::certificate() {
  if (options_.c || k_ == 0) {
    return std::nullopt;
  }
  return sliding_.certificate(v_, data_.values());
}

bool Ipds::start_with_dual(const Stacked& s) {
  sliding_.start_with_dual(s);
  return true;
}

Count Ipds::next_data_oracle_calls() const {
  if (finished()) {
    return 0;
  }
  Count calls = 0;
  const Count batch = options_.c ? schedule_.at(static_cast<int>(k_) + 1).batch : 0;
  for (Index i = 0; i < v_.cols(); ++i) {
    const Count rows = data_.rows(i);
    calls += !options_.c || (options_.cap_batches && batch >= rows) ? rows : batch;
  }
  return calls;
}

void Ipds::visit_state(StateVisitor& visitor) {
  visitor.visit("k", k_);
  sliding_.visit_state(visitor);
  visitor.visit("weighted_sum", weighted_sum_);
  visitor.visit("weight", weight_);
}

}  // namespace slidemesh

// Methods with a centre, for scale: what F costs where every gradient may be sent to one place.
//
// Frank-Wolfe: M. Frank and P. Wolfe (1956), with the open-loop step 2/(t + 1).
// CGS: G. Lan and Y. Zhou, "Conditional gradient sliding for convex optimization", SIAM Journal on
//   Optimization 26(2), 2016, Algorithm 1 with the parameters of its Corollary 2.3.
// FISTA: A. Beck and M. Teboulle (2009), with the gradient restart of B. O'Donoghue and E. Candès (2015).
//
//   paper             here                  what it is
//   x_t (FW, FISTA)   x_                    the iterate and answer
//   y_k, x_k (CGS)    x_, inner_x_          the answer, and the prox centre
//   z_k (CGS)         z_                    where the gradient is taken
//   y_k (FISTA)       y_                    the extrapolation, where the gradient is taken
//   t_k (FISTA)       momentum_             (1 + sqrt(1 + 4 t²))/2, and 1 after a restart
//   γ_k, β_k, η_k     gamma, beta, eta      of CGS: 3/(k + 2), 3L/(k + 1), L D²/(k (k + 1)), D the diameter of X
//   L                 mean_smoothness()     the mean of the nodes' constants, plus mu
//
// All minimize F/m, whose gradient is the mean of the nodes'. `tree-fista` is FISTA where the mean is had by sums up
// and down a spanning tree.

#include "slidemesh/algorithms/centralized.h"

#include <cmath>

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/core/metered_set.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

CentralizedMethod::CentralizedMethod(std::string_view name, const Problem& problem, Network& network, int outer_steps,
                                     Where where)
    : BaselineMethod(name, problem, network, outer_steps, {}),
      x_(problem.start),
      g_(Vector::Zero(problem.dimension())),
      certificate_set_(set_.clone()),
      where_(where),
      stacked_(start()),
      gradients_(zero()) {}

void CentralizedMethod::find_mean_smoothness() {
  uses_smoothness_ = true;
  const Vector smoothness =
      Vector::NullaryExpr(network_.local_nodes(), [&](Index i) { return data_.objective(i).smoothness(); });
  mean_smoothness_ = mean_of(smoothness.transpose())(0);
}

Vector CentralizedMethod::mean_of(const Stacked& columns) {
  if (where_ == Where::kTree) {
    return network_.agree_sum(columns) / static_cast<double>(network_.nodes());
  }
  Vector mean;
  network_.mean_at_centre(columns, mean);
  return mean;
}

void CentralizedMethod::set_gradient(const Vector& y, const Vector& g, const Vector& values) {
  y_ = y;
  g_ = g;
  values_ = values;
}

void CentralizedMethod::mean_gradient(const Vector& y) {
  stacked_ = y.replicate(1, network_.local_nodes());
  gradient(stacked_, gradients_);
  set_gradient(y, mean_of(gradients_), values());
}

std::unique_ptr<FeasibleSet> CentralizedMethod::centre_set() const {
  return network_.owns(0) ? std::make_unique<MeteredSet>(set_, network_.meters(), 0) : set_.clone();
}

const Stacked& CentralizedMethod::output() {
  stacked_ = x_.replicate(1, network_.local_nodes());
  return stacked_;
}

std::optional<Certificate> CentralizedMethod::certificate() {
  if (y_.size() == 0) {
    return std::nullopt;
  }
  Vector vertex(g_.size());
  certificate_set_->linear_minimizer(g_, vertex);
  require_finite_point(vertex, 0);
  Certificate certificate;
  certificate.value = values_.array() + problem_.mu / 2.0 * squared_norm(y_);
  certificate.lower_bound = certificate.value.array() + (dot(g_, vertex) - dot(g_, y_));
  return certificate;
}

void CentralizedMethod::visit_certificate(StateVisitor& visitor) { certificate_set_->visit_state(visitor); }

namespace {

struct CentralOptions {
  int outer_steps = 100;
};

/// Frank-Wolfe with γ_t = 2/(t + 1), as in DeFW.
class CentralizedFrankWolfe final : public CentralizedMethod {
 public:
  using Options = CentralOptions;

  CentralizedFrankWolfe(const Problem& problem, Network& network, const Options& options)
      : CentralizedMethod("centralized-fw", problem, network, options.outer_steps),
        own_set_(centre_set()),
        vertex_(problem.dimension()) {}
  void step() override {
    const auto t = static_cast<double>(++t_);
    mean_gradient(x_);
    own_set_->linear_minimizer(g_, vertex_);
    require_finite_point(vertex_, 0);
    x_ += 2.0 / (t + 1.0) * (vertex_ - x_);  // x_{t+1} = (1 − γ_t) x_t + γ_t v_t
  }

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("t", t_);
    visitor.visit("x", x_);
    own_set_->visit_state(visitor);
    visit_certificate(visitor);
  }

 private:
  std::unique_ptr<FeasibleSet> own_set_;
  Vector vertex_;
};

/// Conditional gradient sliding (Lan and Zhou 2016, for mu = 0).
class CentralizedCgs final : public CentralizedMethod {
 public:
  using Options = CentralOptions;

  CentralizedCgs(const Problem& problem, Network& network, const Options& options)
      : CentralizedMethod("centralized-cgs", problem, network, options.outer_steps),
        inner_(make_inner_solver("cgs", *centre_set())),
        diameter_(set_.diameter()),
        inner_x_(problem.start) {
    find_mean_smoothness();
  }

  void step() override {
    const auto k = static_cast<double>(++t_);
    const double L = mean_smoothness() + problem_.mu;
    const double gamma = 3.0 / (k + 2.0);
    const double beta = 3.0 * L / (k + 1.0);
    const double eta = L * diameter_ * diameter_ / (k * (k + 1.0));
    z_ = x_ + gamma * (inner_x_ - x_);  // z_k = (1 − γ_k) y_{k−1} + γ_k x_{k−1}; the paper's y is our output x_
    mean_gradient(z_);
    // x_k ≈ argmin over X of <∇F(z_k), x> + β_k/2 |x − x_{k−1}|², to a Wolfe gap of η_k
    centre_ = inner_x_ - g_ / beta;
    const InnerResult result = inner_->solve(beta, centre_, eta, inner_x_);
    require_finite(result, inner_x_, 0);
    x_ += gamma * (inner_x_ - x_);  // y_k = (1 − γ_k) y_{k−1} + γ_k x_k
  }

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("t", t_);
    visitor.visit("x", x_);
    visitor.visit("inner_x", inner_x_);
    inner_->visit_state(visitor);
    visit_certificate(visitor);
  }

 private:
  std::unique_ptr<InnerSolver> inner_;
  double diameter_;
  Vector inner_x_, z_, centre_;
};

/// FISTA with the gradient restart, by a centre or (`tree-fista`) over the tree.
template <bool kOverTree>
class CentralizedFista final : public CentralizedMethod {
 public:
  using Options = CentralOptions;

  CentralizedFista(const Problem& problem, Network& network, const Options& options)
      : CentralizedMethod(kOverTree ? "tree-fista" : "centralized-fista", problem, network, options.outer_steps,
                          kOverTree ? Where::kTree : Where::kCentre),
        own_set_(centre_set()),
        y_(problem.start) {
    require_projection();
    find_mean_smoothness();
  }

  void step() override {
    ++t_;
    mean_gradient(y_);
    last_x_ = x_;
    x_ = y_ - g_ / (mean_smoothness() + problem_.mu);
    require_finite_point(x_, 0);
    own_set_->project(x_, x_);  // x_k = P_X(y_k − ∇F(y_k)/L)
    require_finite_point(x_, 0);
    // A step against the momentum says that it has overshot: <y_k − x_k, x_k − x_{k−1}> > 0.
    const bool restart = dot(y_, x_) - squared_norm(x_) - dot(y_, last_x_) + dot(x_, last_x_) > 0.0;
    const double next = restart ? 1.0 : (1.0 + std::sqrt(1.0 + 4.0 * momentum_ * momentum_)) / 2.0;
    const double weight = restart ? 0.0 : (momentum_ - 1.0) / next;
    y_ = x_ + weight * (x_ - last_x_);
    momentum_ = next;
  }

  void visit_state(StateVisitor& visitor) override {
    visitor.visit("t", t_);
    visitor.visit("x", x_);
    visitor.visit("y", y_);
    visitor.visit("momentum", momentum_);
    own_set_->visit_state(visitor);
    visit_certificate(visitor);
  }

 private:
  std::unique_ptr<FeasibleSet> own_set_;
  double momentum_ = 1.0;
  Vector y_, last_x_;
};

}  // namespace

MethodKind centralized_fw_kind() {
  return certifying(baseline_kind<CentralizedFrankWolfe>("centralized-fw", "Frank-Wolfe by a centre, for scale", {}));
}

MethodKind centralized_cgs_kind() {
  return certifying(
      baseline_kind<CentralizedCgs>("centralized-cgs", "conditional gradient sliding by a centre, for scale", {}));
}

MethodKind centralized_fista_kind() {
  return certifying(
      baseline_kind<CentralizedFista<false>>("centralized-fista", "FISTA with restarts by a centre, for scale", {}));
}

MethodKind tree_fista_kind() {
  return certifying(baseline_kind<CentralizedFista<true>>(
      "tree-fista", "FISTA with restarts at every node, gradients summed up and down a spanning tree", {}));
}

}  // namespace slidemesh

// Decentralized communication sliding, and its stochastic form.
//
// G. Lan, S. Lee and Y. Zhou, "Communication-efficient algorithms for decentralized and stochastic optimization",
// Mathematical Programming 180, 2020 (arXiv 1701.03961, 2017), Algorithms 2 (DCS) and 3 (SDCS) with the step sizes of
// their theorems for mu = 0 and V(x, u) = |x − u|²/2.
//
//   paper     here          what it is
//   xᵏ, x̂ᵏ    x_, x_hat_    the last and the mean of the inner iterates
//   x̃ᵏ        x_tilde_      x^{k−1} + (x̂^{k−1} − x^{k−2})
//   yᵏ, wᵏ    y_, w_        the multipliers, and w = Lap y
//   η, τ      eta_, tau_    2|Lap| s and |Lap|/s; `scale` s is 1 in the paper, and L/(3|Lap|) here unless set
//   T         inner_steps   gradients between two exchanges
//   uᵗ        u             P of a mixture of x^{k−1}, u^{t−1} and the gradient onto X_i, which is node i's own;
//                           β_t = t/2,  λ_t = t + 1
//
// Departures: s. The theorem's bound holds for every s; |Lap| knows nothing of the unit in which f is measured. With
// s = L/(3|Lap|) the first inner step, 1/(η(1 + β₁)), is 1/L: longer ones may diverge. Output of DCS is x̂ᴺ, which is
// nearer by far than the mean which the theorems are about (`output = "average"`). SDCS, whose gradients are noisy, has
// the mean, and s = L/|Lap|.

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/core/metered_set.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

constexpr double kSafeShare = 1.0 / 3.0;  ///< of L/|Lap|

struct CommunicationSlidingOptions : BaselineOptions {
  int inner_steps = 5;
  std::optional<Count> batch;
  std::optional<double> scale;
  CommunicationSlidingOptions() { last = true; }
};

/// The outer loop that communication sliding and distributed conditional gradient sliding share: a primal-dual method
/// whose two rounds per step are followed by a problem of the node's own. Symbols: above.
class CommunicationSliding : public BaselineMethod {
 public:
  using Options = CommunicationSlidingOptions;

  void step() final {
    ++t_;
    x_tilde_ = x_ + (x_hat_ - last_x_);  // x̃ᵏ = x^{k−1} + α_k (x̂^{k−1} − x^{k−2}),  α_k = 1
    network_.laplacian(x_tilde_, exchanged_);
    y_ += exchanged_ / tau_;     // yᵏ = y^{k−1} + Lap x̃ᵏ/τ
    network_.laplacian(y_, w_);  // wᵏ = Lap yᵏ
    last_x_ = x_;
    solve_local_problems();
    average_ += (x_hat_ - average_) / static_cast<double>(t_);
  }

  /// The mean of x̂¹ .. x̂ᴺ, which the theorems are about, or x̂ᴺ.
  [[nodiscard]] const Stacked& output() final { return last_ ? x_hat_ : average_; }
  void visit_state(StateVisitor& visitor) override {
    visit_steps(visitor, {{"x", &x_}, {"x_hat", &x_hat_}, {"last_x", &last_x_}, {"y", &y_}, {"average", &average_}});
  }

 protected:
  CommunicationSliding(std::string_view name, const Problem& problem, Network& network, const Options& options)
      : BaselineMethod(name, problem, network, options.outer_steps, {options.batch, true, options.seed}, Sets::kOwn),
        L_(use_smoothness()),
        x_(start()),
        x_hat_(start()),
        last_x_(start()),
        last_(options.last) {
    gradients_per_step_ = options.inner_steps;
    const double norm =
        options.laplacian_lambda_max > 0.0 ? options.laplacian_lambda_max : network.graph().degree_bound();
    const double share = options.batch ? 1.0 : kSafeShare;
    const double scale = options.scale.value_or(L_ > 0.0 ? share * L_ / norm : 1.0);
    eta_ = 2.0 * norm * scale;
    tau_ = norm / scale;
    average_ = start();
    w_ = gradient_ = x_tilde_ = y_ = exchanged_ = zero();
  }

  /// From x, the last step's: u to x_ and û to x_hat_, both near to argmin over X of f_i(u) + <w_i, u> + η/2 |u −
  /// x_i|².
  virtual void solve_local_problems() = 0;

  double L_;
  double eta_;
  double tau_;
  Stacked x_, x_hat_, w_, gradient_;

 private:
  Stacked last_x_, x_tilde_, y_, exchanged_, average_;
  bool last_;
};

/// The keys of both.
Keys<CommunicationSlidingOptions> communication_sliding_keys() {
  Keys<CommunicationSlidingOptions> keys;
  keys.integer("inner_steps", &CommunicationSlidingOptions::inner_steps, 1, kMostSteps,
               "T, gradients between two exchanges")
      .number_or("scale", &CommunicationSlidingOptions::scale, "auto",
                 "s of the step sizes 2|Lap| s and |Lap|/s; auto: (L~ + mu)/(3|Lap|)");
  return output_keys(std::move(keys));
}

class Dcs final : public CommunicationSliding {
 public:
  Dcs(const Problem& problem, Network& network, const Options& options)
      : CommunicationSliding(options.batch ? "sdcs" : "dcs", problem, network, options) {
    require_projection();
  }

 private:
  /// The CS procedure.
  void solve_local_problems() override {
    const Stacked x = x_;
    double weight = 0.0;
    for (int t = 1; t <= gradients_per_step_; ++t) {
      const double beta = t / 2.0;
      const double lambda = t + 1.0;
      gradient(x_, gradient_, t - 1);  // h^{t−1} = ∇f(u^{t−1}), or of a few rows
      // uᵗ = argmin over X of <w + h^{t−1}, u> + η/2 |u − x|² + ηβ_t/2 |u − u^{t−1}|²
      x_ = (x + beta * x_ - (w_ + gradient_) / eta_) / (1.0 + beta);
      project(x_);
      weight += lambda;
      x_hat_ = t == 1 ? x_ : Stacked(x_hat_ + lambda / weight * (x_ - x_hat_));  // ûᵗ = Σ λ_s uˢ / Σ λ_s
    }
  }
};

struct SdcsKeys : CommunicationSlidingOptions {
  SdcsKeys() {
    inner_steps = 50;
    batch = 1;
    last = false;
  }
};

// DCGS: distributed conditional gradient sliding.
//
// Y. Li, C. Qu and H. Xu, "Communication-efficient projection-free algorithm for distributed optimization", arXiv
// 1805.07841, 2018: a primal-dual method whose local problems, f_i(u) + <w_i, u> + η/2 |u − x_i|² over X, are solved by
// conditional gradient sliding (G. Lan and Y. Zhou 2016), with the linear oracle and no projection.
//
// The outer loop and its symbols are those above. Inside, of the sliding method's own paper:
//
//   paper        here        what it is
//   x_t, y_t     inner_, x_  the prox centre, and the mixture that is the answer
//   z_t          z_          where the gradient is taken
//   γ_t          gamma       3/(t + 2)
//   β_t          beta        3 L'/(t + 1),  L' = L + η the curvature of the local problem
//   η_t          tolerance   L' δ²/(t (t + 1)), δ the distance that the step may have to go
//
// Departure: `inner_steps` gradients for every local problem, and not as many as its accuracy in the theorem asks for;
// δ falls with the outer steps as 1/k, since what is left to go does.

class Dcgs final : public CommunicationSliding {
 public:
  Dcgs(const Problem& problem, Network& network, const Options& options)
      : CommunicationSliding("dcgs", problem, network, options) {
    inner_ = z_ = centre_ = zero();
    diameters_.resize(network.local_nodes());
    for (Index i = 0; i < network.local_nodes(); ++i) {
      diameters_(i) = problem.set(i).diameter();
      solvers_.push_back(make_inner_solver("cgs", MeteredSet(problem.set(i), network.meters(), i)));
    }
  }
  void visit_state(StateVisitor& visitor) override {
    CommunicationSliding::visit_state(visitor);
    visitor.each_node(solvers_.size(), [&](std::size_t i) { solvers_[i]->visit_state(visitor); });
  }

 private:
  void solve_local_problems() override {
    const double L = L_ + eta_;
    const Stacked x = x_;
    inner_ = x_;
    for (int t = 1; t <= gradients_per_step_; ++t) {
      const double gamma = 3.0 / (t + 2.0);
      const double beta = 3.0 * L / (t + 1.0);
      z_ = x_ + gamma * (inner_ - x_);  // z_t = (1 − γ_t) y_{t−1} + γ_t x_{t−1}
      gradient(z_, gradient_, t - 1);
      centre_ = inner_ - (gradient_ + w_ + eta_ * (z_ - x)) / beta;
      for_each_node(x.cols(), 1e4, [&](Index i) {
        const double reach = diameters_(i) / static_cast<double>(t_);
        const double tolerance = L * reach * reach / (t * (t + 1.0));
        // x_t ≈ argmin over X_i of <∇(z_t), u> + β_t/2 |u − x_{t−1}|²
        const InnerResult result =
            solvers_[static_cast<std::size_t>(i)]->solve(beta, centre_.col(i), tolerance, inner_.col(i));
        require_finite(result, inner_.col(i), network_.global(i));
      });
      x_ += gamma * (inner_ - x_);  // y_t = (1 − γ_t) y_{t−1} + γ_t x_t
    }
    x_hat_ = x_;
  }

  Vector diameters_;  ///< of the nodes' sets
  std::vector<std::unique_ptr<InnerSolver>> solvers_;
  Stacked inner_, z_, centre_;
};

}  // namespace

MethodKind dcs_kind() {
  return baseline_kind<Dcs>("dcs",
                            "decentralized communication sliding: two rounds, then some gradient steps without any",
                            communication_sliding_keys());
}

MethodKind sdcs_kind() {
  Keys<SdcsKeys> keys;
  keys.integer("inner_steps", &SdcsKeys::inner_steps, 1, kMostSteps, "T, gradients between two exchanges")
      .integer("batch", &SdcsKeys::batch, 1, kMostRows, "rows that a node draws for each of them")
      .number_or("scale", &SdcsKeys::scale, "auto", "s of the step sizes 2|Lap| s and |Lap|/s; auto: (L~ + mu)/|Lap|");
  return method_kind<SdcsKeys>("sdcs", "stochastic communication sliding: as dcs, with gradients of a few drawn rows",
                               output_keys(std::move(keys)), nullptr, make_method<Dcs>);
}

MethodKind dcgs_kind() {
  return baseline_kind<Dcgs>("dcgs",
                             "distributed conditional gradient sliding: primal-dual, with the linear oracle alone",
                             communication_sliding_keys());
}

}  // namespace slidemesh

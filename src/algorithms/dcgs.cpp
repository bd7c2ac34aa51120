// DCGS: distributed conditional gradient sliding.
//
// Y. Li, C. Qu and H. Xu, "Communication-efficient projection-free algorithm for distributed optimization", arXiv
// 1805.07841, 2018: a primal-dual method whose local problems, f_i(u) + <w_i, u> + η/2 |u − x_i|² over X, are solved by
// conditional gradient sliding (G. Lan and Y. Zhou 2016), with the linear oracle and no projection.
//
// The outer loop and its symbols are in communication_sliding.cpp. Inside, of the sliding method's own paper:
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

#include "communication_sliding.h"
#include "registry_kinds.h"
#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/core/metered_set.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

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
    for (std::size_t i = 0; i < solvers_.size(); ++i) {
      visitor.node(static_cast<Index>(i));
      solvers_[i]->visit_state(visitor);
    }
    visitor.all_nodes();
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

MethodKind dcgs_kind() {
  return baseline_kind<Dcgs>("dcgs",
                             "distributed conditional gradient sliding: primal-dual, with the linear oracle alone",
                             communication_sliding_keys());
}

}  // namespace slidemesh

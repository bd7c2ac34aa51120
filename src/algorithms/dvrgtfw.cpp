// DVRGTFW: decentralized Frank-Wolfe with variance-reduced, tracked gradients.
//
// "A computation and communication efficient projection-free algorithm for decentralized constrained optimization",
// OpenReview 17idjbdHVW, 2024 (its authors are not named there). Made from its abstract and reviews alone: recursive
// gradients, taken to be SARAH's, full ones now and then, tracked and mixed by several rounds. Of the same kind, with a
// rule of its own for what to sample: X. Jiang, X. Zeng, L. Xie, J. Sun and J. Chen, "Distributed stochastic
// projection-free algorithm for constrained optimization", IEEE Transactions on Automatic Control 70(4), 2025 (arXiv
// 2204.10605). SARAH for Frank-Wolfe without a network: A. Beznosikov, D. Dobre and G. Gidel, "Sarah Frank-Wolfe", ICML
// 2024.
//
//   here          what it is
//   x_            a node's iterate;  x_bar_ = W^K x, where the gradient is estimated; last_x_bar_ is the step before's
//   v_            SARAH's estimate of the local gradient
//   y_            the tracked estimate of the mean gradient
//   vertex_       what the linear oracle answers to it
//   p             1/epoch, the chance of a full gradient: one coin for all nodes, a function of (seed, t)
//   K             `mixing_rounds`
//   mix           W^K, or with the weights I − Lap/s FastMix, z_{k+1} = (1 + θ) W z_k − θ z_{k−1},
//                 θ = (1 − sqrt(1 − λ²))/(1 + sqrt(1 − λ²)),  λ = 1 − λ₂(Lap)/s the second eigenvalue of W
//
// Departures: iterates are mixed by W^K alone, since FastMix is no convex combination and takes points out of X; rows
// are dealt from a permutation and not drawn; γ_t = 2/(t + 1), Frank and Wolfe's own, and K = 1 unless set, where the
// theorems' constants have numbers in them that no node knows.

#include <algorithm>
#include <cmath>
#include <limits>

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/base/random.h"
#include "slidemesh/core/row_dealer.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

struct DvrgtfwOptions : BaselineOptions {
  int epoch = 20;
  std::optional<Count> batch;
  int mixing_rounds = 1;
};

class Dvrgtfw final : public BaselineMethod {
 public:
  using Options = DvrgtfwOptions;

  Dvrgtfw(const Problem& problem, Network& network, const Options& options)
      : BaselineMethod("dvrgtfw", problem, network, options.outer_steps, {}),
        epoch_(options.epoch),
        seed_(options.seed),
        mixing_rounds_(options.mixing_rounds),
        w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
        x_(start()) {
    for (Index i = 0; i < network.local_nodes(); ++i) {
      const Count rows = data_.rows(i);
      batch_.push_back(std::min<Count>(options.batch.value_or(std::max<Count>(1, rows / 20)), rows));
      dealers_.emplace_back(options.seed, network.global(i), rows);
    }
    drawn_.resize(batch_.size());
    if (mixing_rounds_ > 1 && options.weights == Weights::kLaplacian) {
      theta_ = momentum(options, network.graph());
    }
    x_bar_ = last_x_bar_ = y_ = mixed_ = before_ = v_ = vertex_ = zero();
  }

  void step() override {
    const bool full = is_full(t_);
    const auto t = static_cast<double>(++t_);
    last_x_bar_.swap(x_bar_);
    x_bar_ = x_;
    mix(x_bar_, 0.0);  // x̄_t = W^K x_t
    y_ -= v_;
    for_each_node(x_.cols(), gradient_work(full ? largest_rows() : batch_.front(), x_.rows()),
                  [&](Index i) { estimate(i, full); });
    y_ += v_;  // y_t = mix(y_{t−1} + v_t − v_{t−1}),  y_0 = v_0 = 0
    mix(y_, theta_);
    linear_minimizers(y_, vertex_);
    const double gamma = 2.0 / (t + 1.0);
    x_ = (1.0 - gamma) * x_bar_ + gamma * vertex_;  // x_{t+1} = (1 − γ_t) x̄_t + γ_t argmin over X of <y_t, v>
  }
  [[nodiscard]] const Stacked& output() override { return x_; }
  void visit_state(StateVisitor& visitor) override {
    visitor.each_node(dealers_.size(), [&](std::size_t i) { dealers_[i].visit_state(visitor); });
    visit_steps(visitor, {{"x", &x_}, {"x_bar", &x_bar_}, {"y", &y_}, {"estimate", &v_}});
  }

 private:
  [[nodiscard]] Count next_data_oracle_calls_of(Index i) const override {
    const Count batch = batch_[static_cast<std::size_t>(i)];
    return is_full(t_) ? data_.rows(i) : std::min<Count>(2 * batch, data_.rows(i));
  }

  /// FastMix's θ.
  static double momentum(const Options& options, const Graph& graph) {
    const double s = options.laplacian_lambda_max > 0.0 ? options.laplacian_lambda_max : graph.degree_bound();
    const auto m = static_cast<double>(graph.nodes());
    // Where λ₂ is not known: B. Mohar's bound with the largest diameter that m nodes can have.
    const double lambda_2 = options.laplacian_lambda_2 > 0.0 ? options.laplacian_lambda_2 : 4.0 / (m * m);
    const double lambda = 1.0 - lambda_2 / s;
    const double root = std::sqrt(1.0 - lambda * lambda);
    return (1.0 - root) / (1.0 + root);
  }

  /// The coin of the step after t: the same at all nodes.
  [[nodiscard]] bool is_full(Count t) const {
    constexpr auto kNobody = std::numeric_limits<std::uint32_t>::max();  // no node's stream
    const auto bits =
        random_bits(seed_, Purpose::kRowSampling, kNobody, static_cast<std::uint32_t>(t), std::uint64_t{0});
    return t == 0 || bits_to_unit(bits) * static_cast<double>(epoch_) < 1.0;
  }

  [[nodiscard]] Count largest_rows() const {
    Count largest = 0;
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      largest = std::max<Count>(largest, data_.rows(i));
    }
    return largest;
  }

  /// v_t: over all rows, or v_{t−1} + (1/b) Σ over b rows of (∇f_j(x̄_t) − ∇f_j(x̄_{t−1})). Twice b rows cost no less
  /// than all where b is half of them.
  void estimate(Index i, bool full) {
    const auto n = static_cast<std::size_t>(i);
    if (full || 2 * batch_[n] >= data_.rows(i)) {
      data_.full_gradient(i, x_bar_, v_, {});
      v_.col(i) += problem_.mu * x_bar_.col(i);
      return;
    }
    dealers_[n].deal(batch_[n], drawn_[n]);
    Vector at(x_.rows());
    data_.objective(i).sampled_gradient(x_bar_.col(i), drawn_[n], at);
    v_.col(i) += at + problem_.mu * (x_bar_.col(i) - last_x_bar_.col(i));
    data_.objective(i).sampled_gradient(last_x_bar_.col(i), drawn_[n], at);
    v_.col(i) -= at;
    data_.charge(i, batch_[n]);
    data_.charge(i, batch_[n]);
    data_.require_finite_gradient(i, v_);
  }

  /// FastMix with this θ; W^K where it is 0.
  void mix(Stacked& z, double theta) {
    before_ = z;
    for (int k = 0; k < mixing_rounds_; ++k) {
      network_.mix(w_, z, mixed_);
      if (theta > 0.0) {
        mixed_ = (1.0 + theta) * mixed_ - theta * before_;
      }
      before_.swap(z);
      z.swap(mixed_);
    }
  }

  Count epoch_;
  std::uint64_t seed_;
  int mixing_rounds_;
  std::vector<Count> batch_;
  MixingWeights w_;
  double theta_ = 0.0;  ///< FastMix's; 0: plain rounds
  std::vector<RowDealer> dealers_;
  std::vector<std::vector<Index>> drawn_;
  Stacked x_, x_bar_, last_x_bar_, y_, mixed_, before_, v_, vertex_;
};

}  // namespace

MethodKind dvrgtfw_kind() {
  Keys<DvrgtfwOptions> keys = weighted_keys<DvrgtfwOptions>();
  keys.integer("epoch", &DvrgtfwOptions::epoch, 1, kMostSteps,
               "steps from one pass over all rows to the next, on average")
      .integer("batch", &DvrgtfwOptions::batch, 1, kMostRows, "rows that a node touches in the steps between")
      .by_default("a twentieth of its rows")
      .integer("mixing_rounds", &DvrgtfwOptions::mixing_rounds, 1, kMostSteps,
               "rounds for each of a step's two exchanges");
  return baseline_kind<Dvrgtfw>("dvrgtfw", "decentralized Frank-Wolfe with variance-reduced, tracked gradients",
                                std::move(keys));
}

}  // namespace slidemesh

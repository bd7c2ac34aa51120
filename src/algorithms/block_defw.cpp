// Block-coordinate DeFW: only a block of the tracked gradient travels.
//
// M. Zhang, Y. Zhou, Q. Ge, R. Zheng and Q. Wu, "Decentralized randomized block-coordinate Frank-Wolfe algorithms for
// submodular maximization over networks", IEEE Transactions on Systems, Man, and Cybernetics: Systems 52(8), 2022; the
// minimization of convex functions over a set is the same method.
//
//   here          what it is
//   theta_        a node's iterate;  theta_bar_ = W θ, where the gradient is taken
//   tracked_      the tracked estimate of the mean gradient, whose block is brought up to date in this step
//   vertex_       what the linear oracle answers to it
//
// Departure: all nodes draw the same block (a function of seed and step), so that a message has d/blocks numbers and
// need not say which; in the paper every node masks coordinates of its own.

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/base/random.h"

namespace slidemesh {

namespace {

struct BlockDefwOptions : BaselineOptions {
  Count blocks = 4;
};

class BlockDefw final : public BaselineMethod {
 public:
  using Options = BlockDefwOptions;

  BlockDefw(const Problem& problem, Network& network, const Options& options)
      : BaselineMethod("block-defw", problem, network, options.outer_steps, {}),
        blocks_(std::min<Count>(options.blocks, problem.dimension())),
        seed_(options.seed),
        w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
        theta_(start()) {
    theta_bar_ = tracked_ = gradient_ = last_gradient_ = vertex_ = zero();
  }

  void step() override {
    const auto t = static_cast<double>(++t_);
    network_.mix(w_, theta_, theta_bar_);  // θ̄_t = W θ_t
    gradient(theta_bar_, gradient_);       // a pass: rows are whole
    const Count b = t_ == 1 ? -1 : drawn_block();
    const Index first = t_ == 1 ? 0 : problem_.dimension() * b / blocks_;
    const Index size = (t_ == 1 ? problem_.dimension() : problem_.dimension() * (b + 1) / blocks_) - first;
    // G_t = W (G_{t−1} + ∇f(θ̄_t) − ∇f(θ̄ of the block's last time)), in the block; the first step has all of them
    block_ =
        tracked_.middleRows(first, size) + gradient_.middleRows(first, size) - last_gradient_.middleRows(first, size);
    last_gradient_.middleRows(first, size) = gradient_.middleRows(first, size);
    mixed_.resize(size, block_.cols());
    network_.mix(w_, block_, mixed_);
    tracked_.middleRows(first, size) = mixed_;
    linear_minimizers(tracked_, vertex_);
    const double gamma = 2.0 / (t + 1.0);
    theta_ = (1.0 - gamma) * theta_bar_ + gamma * vertex_;  // θ_{t+1} = (1 − γ_t) θ̄_t + γ_t a
  }
  [[nodiscard]] const Stacked& output() override { return theta_; }
  void visit_state(StateVisitor& visitor) override {
    visit_steps(visitor, {{"theta", &theta_}, {"tracked", &tracked_}, {"last_gradient", &last_gradient_}});
  }

 private:
  /// The stream is no node's: the network has nodes 0 .. nodes() − 1.
  [[nodiscard]] Count drawn_block() const {
    return bits_to_index(random_bits(seed_, Purpose::kRowShuffle, static_cast<std::uint32_t>(network_.nodes()),
                                     static_cast<std::uint32_t>(t_), 0),
                         blocks_);
  }

  Count blocks_;
  std::uint64_t seed_;
  MixingWeights w_;
  Stacked theta_, theta_bar_, tracked_, gradient_, last_gradient_, vertex_, block_, mixed_;
};

}  // namespace

MethodKind block_defw_kind() {
  Keys<BlockDefwOptions> keys = weighted_keys<BlockDefwOptions>();
  keys.integer("blocks", &BlockDefwOptions::blocks, 1, kMostSteps,
               "of the coordinates; one of them is tracked per step");
  return baseline_kind<BlockDefw>("block-defw", "DeFW that tracks and sends a block of the gradient per step",
                                  std::move(keys));
}

}  // namespace slidemesh

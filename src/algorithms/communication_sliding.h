#pragma once

#include "baseline_keys.h"

namespace slidemesh {

struct CommunicationSlidingOptions : BaselineOptions {
  int inner_steps = 5;
  std::optional<Count> batch;
  std::optional<double> scale;
  CommunicationSlidingOptions() { last = true; }
};

/// The outer loop that communication sliding and distributed conditional gradient sliding share: a primal-dual method
/// whose two rounds per step are followed by a problem of the node's own. Symbols: communication_sliding.cpp.
class CommunicationSliding : public BaselineMethod {
 public:
  using Options = CommunicationSlidingOptions;

  void step() final;
  /// The mean of x̂¹ .. x̂ᴺ, which the theorems are about, or x̂ᴺ.
  [[nodiscard]] const Stacked& output() final { return last_ ? x_hat_ : average_; }
  void visit_state(StateVisitor& visitor) override;

 protected:
  CommunicationSliding(std::string_view name, const Problem& problem, Network& network, const Options& options);

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
[[nodiscard]] Keys<CommunicationSlidingOptions> communication_sliding_keys();

}  // namespace slidemesh

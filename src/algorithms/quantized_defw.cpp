// DeFW with quantized messages.
//
// W. Xian, F. Huang and H. Huang, "Communication-efficient Frank-Wolfe algorithm for nonconvex decentralized
// distributed learning", AAAI 2021: iterates and tracked gradients are not sent, but what changed since the last
// message, in a few bits per number.
//
//   here          what it is
//   theta_        a node's iterate;  theta_bar_ where the gradient is taken
//   tracked_      the tracked estimate of the mean gradient
//   sent          what neighbours know of a variable: the sum of all that was sent
//   received      Lap sent, from what was received
//
// With W = I − Lap/s, a variable v is mixed by what is known of it: v + (W − I) sent = v − received/s, which keeps the
// sum over the nodes whatever the errors are. So the mean over the nodes stays in X, where a node's own iterate may be
// outside by what was rounded away.
//
// A number is sent as an integer between −M and M, M = 2^(bits−1) − 1, in units of range/M; what is cut off or rounded
// away is sent later, since it stays in v − sent. Several integers travel as the digits of one double. Sums over
// neighbours are sums of digits, and exact, so that the network needs no other kind of message.
//
// Departures: gradients are over all rows, where the paper (DQSFW) draws minibatches. Rounding is to the nearest. The
// range is not sent with each message but known to all: 2γ_t D for iterates, D the diameter of X, since a step moves no
// further; γ_t (G + L~ D) for gradients, G their largest entry at the start, agreed once.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "baseline_keys.h"
#include "registry_kinds.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

/// Integers of so many bits, and a sign, travel exactly.
int exact_bits(Wire wire) { return wire == Wire::kFloat32 ? 23 : 52; }

struct QuantizedDefwOptions : BaselineOptions {
  int bits = 8;
};

/// Integers between −limit and limit as digits of doubles, so that `digits` of them fit where |digit| < base/2.
class DigitPacking {
 public:
  DigitPacking(int bits, Index largest_degree, Wire wire) : most_(std::ldexp(1.0, bits - 1) - 1.0) {
    const double largest_sum = 2.0 * static_cast<double>(std::max<Index>(largest_degree, 1)) * most_;
    const int base_bits = static_cast<int>(std::ceil(std::log2(2.0 * largest_sum + 1.0)));
    base_ = std::ldexp(1.0, base_bits);
    digits_ = exact_bits(wire) / base_bits;
    require<UsageError>(
        digits_ >= 1, "method.bits",
        fmt::format("fewer, since sums over {} neighbours must fit a number of network.wire", largest_degree),
        std::to_string(bits));
  }
  [[nodiscard]] double most() const { return most_; }
  [[nodiscard]] Index packed_size(Index n) const { return (n + digits_ - 1) / digits_; }

  void pack(const Stacked& integers, Stacked& packed) const {
    packed.setZero(packed_size(integers.rows()), integers.cols());
    for (Index i = 0; i < integers.cols(); ++i) {
      for (Index r = integers.rows() - 1; r >= 0; --r) {
        double& digits = packed(r / digits_, i);
        digits = digits * base_ + integers(r, i);
      }
    }
  }
  void unpack(const Stacked& packed, Stacked& integers) const {
    for (Index i = 0; i < integers.cols(); ++i) {
      for (Index p = 0; p < packed.rows(); ++p) {
        double rest = packed(p, i);
        for (Index r = p * digits_; r < std::min(integers.rows(), (p + 1) * digits_); ++r) {
          const double higher = std::round(rest / base_);
          integers(r, i) = rest - higher * base_;
          rest = higher;
        }
      }
    }
  }

 private:
  double most_;
  double base_ = 0.0;
  Index digits_ = 0;
};

class QuantizedDefw final : public BaselineMethod {
 public:
  using Options = QuantizedDefwOptions;

  QuantizedDefw(const Problem& problem, Network& network, const Options& options)
      : BaselineMethod("quantized-defw", problem, network, options.outer_steps, {}),
        packing_(options.bits, network.graph().largest_degree(), network.wire()),
        s_(options.laplacian_lambda_max > 0.0 ? options.laplacian_lambda_max : network.graph().degree_bound()),
        L_(use_smoothness()),
        diameter_(set_.diameter()),
        theta_(start()) {
    iterate_.sent = start();  // the same at all nodes, so that everyone knows it and Lap sent = 0
    iterate_.received = gradients_.sent = gradients_.received = zero();
    theta_bar_ = tracked_ = gradient_ = last_gradient_ = vertex_ = integers_ = zero();
    packed_ = received_ = Stacked::Zero(packing_.packed_size(problem.dimension()), network.local_nodes());
  }

  void step() override {
    const auto t = static_cast<double>(++t_);
    const double gamma = 2.0 / (t + 1.0);
    mix(theta_, iterate_, 2.0 * gamma * diameter_, theta_bar_);  // θ̄_t = W θ_t, up to what is not sent yet
    gradient(theta_bar_, gradient_);
    if (t_ == 1) {
      largest_ = network_.agree_max(gradient_.cwiseAbs().colwise().maxCoeff())(0);
    }
    tracked_ += gradient_ - last_gradient_;  // G_t = W (G_{t−1} + ∇f(θ̄_t) − ∇f(θ̄_{t−1}))
    last_gradient_ = gradient_;
    mix(tracked_, gradients_, gamma * (largest_ + L_ * diameter_), vertex_);
    tracked_ = vertex_;
    linear_minimizers(tracked_, vertex_);
    theta_ = (1.0 - gamma) * theta_bar_ + gamma * vertex_;  // θ_{t+1} = (1 − γ_t) θ̄_t + γ_t a
  }
  [[nodiscard]] const Stacked& output() override { return theta_; }
  void visit_state(StateVisitor& visitor) override {
    visitor.visit("largest_gradient", largest_);
    visit_steps(visitor, {{"theta", &theta_},
                          {"tracked", &tracked_},
                          {"last_gradient", &last_gradient_},
                          {"iterate_sent", &iterate_.sent},
                          {"iterate_received", &iterate_.received},
                          {"gradient_sent", &gradients_.sent},
                          {"gradient_received", &gradients_.received}});
  }

 private:
  struct Public {
    Stacked sent, received;
  };

  void mix(const Stacked& v, Public& known, double range, Stacked& mixed) {
    const double unit = range / packing_.most();
    if (unit > 0.0) {
      integers_ = ((v - known.sent) / unit).array().round().max(-packing_.most()).min(packing_.most());
    } else {
      integers_.setZero();  // X is a point
    }
    known.sent += unit * integers_;
    packing_.pack(integers_, packed_);
    network_.laplacian(packed_, received_);  // one round
    packing_.unpack(received_, integers_);
    known.received += unit * integers_;
    mixed = v - known.received / s_;
  }

  DigitPacking packing_;
  double s_;
  double L_;
  double diameter_;
  double largest_ = 0.0;
  Public iterate_, gradients_;
  Stacked theta_, theta_bar_, tracked_, gradient_, last_gradient_, vertex_, integers_, packed_, received_;
};

}  // namespace

MethodKind quantized_defw_kind() {
  Keys<QuantizedDefwOptions> keys;
  keys.integer("bits", &QuantizedDefwOptions::bits, 2, 32, "per number sent");
  return baseline_kind<QuantizedDefw>("quantized-defw", "DeFW whose messages have a few bits per number",
                                      std::move(keys));
}

}  // namespace slidemesh

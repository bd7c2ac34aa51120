#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "slidemesh/algorithms/inner/inner_solver.h"
#include "slidemesh/algorithms/inner/tolerance.h"
#include "slidemesh/algorithms/schedule.h"
#include "slidemesh/base/object_pool.h"
#include "slidemesh/core/kept_state.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/state.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// The operator A whose null space is consensus.
enum class Gossip {
  kLaplacian,      ///< A = Lap: the paper's; two rounds per inner step
  kSqrtLaplacian,  ///< A = Lap^(1/2), of which only A'A = Lap is ever applied; one round
};

/// |A|, from the largest eigenvalue of the Laplacian.
[[nodiscard]] double operator_norm(Gossip gossip, double laplacian_lambda_max);

/// How exact inner problems are to be solved: to a Wolfe gap of `constant`, or in its place by how far a
/// node moved last.
struct InnerTolerance {
  double constant = 1e-3;
  std::optional<AdaptiveTolerance> adaptive = {};
};

/// The points of I-PDS and the two moves of its outer step, which touch no data: what every variant
/// shares. sliding.cpp has the paper's Algorithm 1 line by line; the gradient between the two moves,
/// the step sizes and the output are the variant's.
class Sliding {
 public:
  /// Starts at the problem's start, the dual variable at zero.
  Sliding(const Problem& problem, Network& network, Gossip gossip, std::string_view inner);

  /// To x_under(), where this outer step takes its gradient.
  void extrapolate(const Step& s);
  /// Where `extrapolate` would take node `local` now.
  void extrapolated(const Step& s, Index local, VectorRef x_under) const;
  /// The inner loop with the gradient v of f~ there, each inner problem to a Wolfe gap by `tolerance`.
  void slide(const Step& s, const Stacked& v, const InnerTolerance& tolerance);
  /// Restarts from x_hat(), the dual variable as it is.
  void restart_from_mean();
  /// From points of an earlier time, with the dual variable of then.
  void restart_from(const KeptColumns& x, const KeptDual& dual);
  /// See Method::start_with_dual.
  void start_with_dual(const Stacked& s);

  [[nodiscard]] const Stacked& x_under() const { return x_under_; }
  [[nodiscard]] const Stacked& x_hat() const { return x_hat_; }
  /// w = A'z = Lap s: what the dual variable does to the primal. laplacian: s is the dual variable z itself.
  /// sqrt-laplacian: for two states |z - z'|^2 = sum_i <s_i - s_i', w_i - w_i'>.
  [[nodiscard]] const Dual& dual() const { return dual_; }

  /// With g_i = v_i + mu x̲_i: how far each node is from stationary, max over u in X_i of <g_i + w_i, x̲_i - u>,
  /// and <w_i, x̲_i>. One linear-oracle call per node, charged.
  void measure(const Stacked& v);
  [[nodiscard]] const Vector& wolfe_gap() const { return wolfe_gap_; }
  [[nodiscard]] const Vector& coupling() const { return coupling_; }

  /// The certificate of docs/certificate.md where v is exact and `values` are those of f~ at x_under().
  /// `certificate` asks the linear oracle, uncharged; `measured_certificate` uses what `measure` has found.
  [[nodiscard]] Certificate certificate(const Stacked& v, const Vector& values);
  [[nodiscard]] Certificate measured_certificate(const Stacked& v, const Vector& values) const;

  /// Of the inner problems of the last `slide`.
  [[nodiscard]] const InnerWork& inner_work() const { return inner_work_; }

  void visit_state(StateVisitor& visitor);

 private:
  void dual_step(double q);
  void primal_step(const Step& s, Count t, const Stacked& v, const InnerTolerance& tolerance);
  /// Node i's multipliers after the exchange (where A'A = Lap), and the centre of its inner problem.
  void make_centre(Index i, const Step& s, double eta, const Stacked& v, VectorRef centre);
  [[nodiscard]] Certificate certificate_with(const Stacked& v, const Vector& values, const Vector& minima) const;

  const Problem& problem_;
  Network& network_;
  Gossip gossip_;
  std::vector<std::unique_ptr<InnerSolver>> inner_;
  std::vector<std::unique_ptr<FeasibleSet>> measure_sets_;
  std::vector<std::unique_ptr<FeasibleSet>> certificate_sets_;  ///< apart, so that measuring leaves no trace

  Stacked x_, x_last_, x_before_, x_hat_, x_under_, u_tilde_;
  Dual dual_;
  Stacked exchanged_;
  ObjectPool<std::vector<double>> work_;  ///< a node's centre and directions, for a moment
  Vector wolfe_gap_, coupling_, minima_;
  InnerWork inner_work_;
};

}  // namespace slidemesh

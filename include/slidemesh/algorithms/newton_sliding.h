#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "slidemesh/algorithms/exact_passes.h"
#include "slidemesh/algorithms/local_model.h"
#include "slidemesh/algorithms/primal_dual_slide.h"
#include "slidemesh/algorithms/stages.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/network/network.h"
#include "slidemesh/network/riding_sums.h"

namespace slidemesh {

/// Nothing needs to be set but the largest eigenvalue.
struct NewtonSlidingOptions {
  int outer_steps = 100'000;
  double laplacian_lambda_max = 0.0;  ///< of the network's graph
  double laplacian_lambda_2 = 0.0;    ///< likewise; 0: that of a path as long as its spanning tree is deep both ways
  std::uint64_t seed = 1;
  double theta = 0.05;         ///< a stage ends when its model is solved to this share of what it began with
  double refresh = 0.25;       ///< share of its rows that a node touches again in a stage, once all were touched
  bool natural_order = false;  ///< touch rows as they lie instead of in a drawn order
  bool damps = true;           ///< where refreshed rows say that their polynomials promised too much
  ModelCurvature curvature = ModelCurvature::kSecant;
  /// Over wide tables of sparse rows: far fewer passes and rounds than another method would take where dense models
  /// have no room, at several times the processor time.
  bool allows_sparse_models = false;
};

/// What a node's model takes at most; infinity where its objective is not a mean over rows.
[[nodiscard]] double newton_model_bytes(const LocalObjective& objective, bool allows_sparse);

/// Whether every row's polynomial is the row's loss, at all nodes. They ask one another only where their losses differ.
[[nodiscard]] bool newton_models_are_exact(const Problem& problem, Network& network);

/// Newton sliding: every node keeps a quadratic model of its rows, touches rows only to improve it, and between two
/// touches the nodes solve the sum of their models over the network. docs/newton-sliding.md explains it.
///
/// A step is a few rounds; rows are touched where a stage begins.
class NewtonSliding final : public Method {
 public:
  NewtonSliding(const Problem& problem, Network& network, const NewtonSlidingOptions& options);

  [[nodiscard]] std::string_view name() const override { return "newton-sliding"; }
  void step() override;
  [[nodiscard]] bool finished() const override { return steps_ >= options_.outer_steps || is_solved_; }
  [[nodiscard]] int steps_done() const override { return static_cast<int>(steps_); }
  [[nodiscard]] const Stacked& output() override { return slide_.x(); }
  [[nodiscard]] std::optional<Certificate> certificate() override { return certificate_; }
  [[nodiscard]] std::optional<Vector> known_values() const override;
  [[nodiscard]] std::optional<Vector> upper_bounds(const Vector& at) const override;
  void request_certificate_below(double gap) override { requested_gap_ = gap; }
  [[nodiscard]] const Dual* dual() const override { return steps_ > 0 ? &dual_ : nullptr; }
  bool start_with_dual(const Stacked& s) override;
  [[nodiscard]] const InnerWork* inner_work() const override { return &slide_.inner_work(); }
  [[nodiscard]] Count next_data_oracle_calls() const override;
  void visit_state(StateVisitor& visitor) override;

  /// Stages whose model has been solved.
  [[nodiscard]] Count stages_done() const { return stages_; }
  [[nodiscard]] double damping() const { return damping_.amount; }
  /// How often stages led to where rows have far larger losses, so that the nodes went back.
  [[nodiscard]] Count times_astray() const { return times_astray_; }

 private:
  static constexpr double kRounding = 1e-11;          ///< of the first measure
  static constexpr Count kMostRows = Count{1} << 40;  ///< of a node: more than any has, and far from an overflow

  void touch(Index i);
  void touch_rows(Index i, Count count, bool again);
  void begin_stage();
  void post_begin();
  /// The bound that models of rows which were all touched where the nodes are give.
  void certify();
  [[nodiscard]] bool rounding_is_in_the_way() const;
  [[nodiscard]] Stacked balanced_multipliers();
  void round();
  /// What the nodes posted some rounds ago, summed.
  void hear(const Vector& sum);
  void hear_begin(const Vector& sum);
  void hear_metric(const Vector& sum, bool has_new_rows);
  /// A stage that touches all rows comes next, for a certificate.
  void take_exact_pass(double rho);
  /// Back to where the last stage began; from there on with whole refreshes and stages that are solved better.
  void go_back();
  [[nodiscard]] double theta() const { return cautious_theta(options_.theta, times_astray_); }
  [[nodiscard]] double refresh() const { return times_astray_ > 0 ? 1.0 : options_.refresh; }
  /// Whether a gap is asked for that is below what rounding of the first measure may be. That grows with the set, and
  /// where the set is far larger than the way to go it says little: nodes go on while ρ falls.
  [[nodiscard]] bool asks_for_rounding() const {
    return requested_gap_ > 0.0 && requested_gap_ <= kRounding * rho_first_;
  }
  void decide(const Vector& sum);
  [[nodiscard]] Count planned_rows(Index i) const;
  /// Whether the first stage is next, and begins at an answer that a certificate is asked for.
  [[nodiscard]] bool starts_from_answer() const { return has_answer_ && epoch_ == 0 && requested_gap_ > 0.0; }
  [[nodiscard]] bool check_is_due() const;
  void require_state() const;
  [[nodiscard]] Count rows(Index i) const { return data_.rows(i); }

  const Problem& problem_;
  Network& network_;
  NewtonSlidingOptions options_;
  DataOracle data_;
  std::vector<LocalModel> models_;
  RidingSums sums_;
  PrimalDualSlide slide_;
  std::vector<Count> posted_;  ///< the epoch in which each sum under way was posted, the oldest first
  SlideRestart restart_rule_;
  std::vector<std::vector<RowNumber>> order_;  ///< in which a node's rows are touched, again and again
  std::vector<Count> next_;                    ///< each node's place in it
  std::vector<Prediction> predictions_;
  std::vector<Count> new_rows_;        ///< of this stage
  std::vector<char> is_half_touched_;  ///< whether a limit or a signal left some of its rows for later
  std::vector<char> may_be_tilted_;    ///< each node's part of the metric
  Vector variances_;                   ///< of the metric, when rows were new for the last time
  bool is_quadratic_;                  ///< every row's polynomial is the row's loss
  Matrix contributions_;
  std::optional<Certificate> certificate_;
  Stacked certified_at_;  ///< where the rows of the certificate were touched
  Dual dual_;             ///< a copy of the slide's, as of the last step
  double requested_gap_ = -1.0;

  Count steps_ = 0;
  Count stages_ = 0;
  Count epoch_ = 0;  ///< counts restarts and stages: what was measured in another is not compared with this one's
  Count wanted_;     ///< rows touched per node, while some are untouched
  bool has_untouched_rows_ = true;  ///< whether some node has rows that it never touched
  bool exact_next_ = false;         ///< whether the next stage touches all rows, so that there is a certificate
  bool is_exact_ = false;           ///< whether this one's rows all were when it began
  bool stage_is_over_ = true;
  bool is_solved_ = false;
  bool has_answer_ = false;  ///< whether the run began with an answer's multipliers
  Damping damping_;
  PrimalDualSlide::Place stage_began_at_;  ///< of this stage, and of the last one whose rows were not astray
  PrimalDualSlide::Place last_good_;
  double largest_loss_ = 0.0;  ///< of rows that were touched again, where they were touched before
  Count times_astray_ = 0;
  bool has_gone_back_ = false;  ///< polynomials of where the nodes were astray say nothing of those that they promised
  double rho_first_ = 0.0;
  double rho_target_ = 0.0;
  double local_target_ = 0.0;  ///< what local steps are a share of: the same, or less with a certificate in sight
  double rho_at_restart_ = 0.0;
  double rho_before_ = 0.0;
  ExactPasses exact_passes_;
  double value_at_begin_ = 0.0;  ///< of the sum of the models where the stage began, but for a constant
};

/// Newton sliding with `share = "models"`: nodes do not agree on the minimum of their models' sum by sending iterates
/// from neighbour to neighbour, but add the models themselves up and down a spanning tree, once per stage, and each
/// minimizes the sum alone. One agreement of d(d + 3)/2 numbers in place of some dozens of rounds; a parent learns the
/// sum of the models behind it, gradients and curvatures. Needs one set for all nodes.
[[nodiscard]] std::unique_ptr<Method> make_newton_sums(const Problem& problem, Network& network,
                                                       const NewtonSlidingOptions& options);

}  // namespace slidemesh

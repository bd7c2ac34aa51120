#include "slidemesh/session/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/core/value_bounds.h"
#include "slidemesh/network/riding_sums.h"

namespace slidemesh {

namespace {

/// Runs `part`; an error of data or of our own says at which step it happened.
template <class Part>
void at_step(const Method& method, Part&& part) {
  const auto where = [&] { return "step " + std::to_string(method.steps_done()) + ": "; };
  try {
    part();
  } catch (const DataError& error) {
    throw DataError(where() + error.what());
  } catch (const InternalError& error) {
    throw InternalError(where() + error.what());
  }
}

/// What all processes must know of one another's clocks and signals before each decides alike.
struct Shared {
  double elapsed_seconds = 0.0;  ///< the root's
  double method_seconds = 0.0;   ///< the root's, inside the method
  bool interrupted = false;      ///< anywhere
  bool gave_up = false;          ///< anywhere: a step was left half done
};

/// Brings `Shared` to all nodes on the method's own messages, one vector of three numbers at a time. What is taken is a
/// step or a few old, and the same at every node.
class LateAgreement {
 public:
  LateAgreement(Network& network, bool is_root, double seconds)
      : network_(network), is_root_(is_root), sums_(RidingSums::uncharged(network)) {
    last_.elapsed_seconds = last_.method_seconds = seconds;
  }

  /// After a step. A method that made no round in it carries nothing: then by messages of its own.
  const Shared& exchange(const Shared& here) {
    if (network_.meters().communication_rounds == rounds_) {
      sums_->flush();
    }
    rounds_ = network_.meters().communication_rounds;
    while (sums_->ready()) {
      const Vector sum = sums_->take();
      last_ = {sum(0), sum(1), sum(2) > 0.0, false};
    }
    if (sums_->under_way() == 0) {
      Matrix values = Matrix::Zero(3, network_.local_nodes());
      values.col(0) << (is_root_ ? here.elapsed_seconds : 0.0), (is_root_ ? here.method_seconds : 0.0),
          (here.interrupted ? 1.0 : 0.0);
      sums_->post(values);
    }
    return last_;
  }

 private:
  Network& network_;
  bool is_root_;
  std::unique_ptr<RidingSums> sums_;
  Count rounds_ = -1;
  Shared last_;
};

class Driver {
 public:
  Driver(Method& method, const Problem& problem, const Control& control, const RunOptions& options)
      : method_(method), problem_(problem), control_(control), network_(control.network()), options_(options) {
    start_value_ = options.start_value ? *options.start_value : total_objective(problem_, control_, problem_.start);
    if (options.before) {
      go_on_from(*options.before);
    }
    if (options.agrees_late) {
      late_.emplace(network_, control_.is_root(), seconds_);
    }
  }

  RunResult run() {
    if (!options_.before && options_.every >= 0 && can_look_along_the_way()) {
      record(options_.look);
    }
    Status status = decide_and_ask();
    record_the_end(status);
    tell(status);
    while (status == Status::kRunning) {
      timed_step();
      if (options_.on_step) {
        options_.on_step(method_.steps_done(), seconds_);
      }
      certified_gap_.reset();
      certified_value_.reset();
      relative_gap_.reset();
      if (method_.finished() || (is_due(method_.steps_done()) && can_look_along_the_way())) {
        record(method_.finished() ? final_look() : options_.look);
      }
      if (options_.stop.certified_gap) {
        try_to_certify();
      }
      if (problem_.sets_differ && is_due(method_.steps_done())) {
        look_for_a_common_point();
      }
      status = decide_and_ask();
      if (status == Status::kRunning || is_known()) {
        tell(status);
      }
      if (options_.after_step && !shared_.gave_up) {
        options_.after_step(state(late_ ? shared_.method_seconds : control_.from_root(seconds_)), status);
      }
      record_the_end(status);
      tell(status);
    }
    last_.meters = control_.totals();
    return {status, last_, shared_.gave_up};
  }

 private:
  void go_on_from(const RunState& before) {
    seconds_ = before.seconds;
    lower_bound_ = before.lower_bound;
    failed_estimate_ = before.failed_estimate;
    failed_step_ = before.failed_step;
    certified_gap_ = before.certified_gap;
    last_ = before.last;
    has_record_ = true;
    last_.reference_optimum = options_.reference_optimum;
    if (last_.step == method_.steps_done()) {
      compare_with_reference();
      is_told_ = false;
    }
  }

  [[nodiscard]] RunState state(double seconds) const {
    return {method_.steps_done(), seconds, lower_bound_, failed_estimate_, failed_step_, certified_gap_, last_};
  }

  /// Not a stop that all agree on: whoever set this bound here asked nobody.
  void require_own_budget() const {
    const Count calls = network_.meters().totals().data_oracle_calls;
    const Count next = method_.next_data_oracle_calls();
    if (options_.own_budget && calls + next > *options_.own_budget) {
      fail<StoppedError>(fmt::format("step {}", method_.steps_done() + 1),
                         fmt::format("to touch at most {} rows here (--budget)", *options_.own_budget),
                         fmt::format("{} and {} more", calls, next));
    }
  }

  void timed_step() {
    require_own_budget();
    if (options_.stop.certified_gap) {
      // Before there is any bound, F where the run began stands for the scale: losses are not negative.
      const double first_scale = options_.stop.certified_gap_is_relative ? std::abs(start_value_) : 1.0;
      const double scale = lower_bound_ ? certified_gap_scale() : first_scale;
      method_.request_certificate_below(*options_.stop.certified_gap * scale);
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds_of_step = [begin] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    const Interruption interruption(may_give_up() ? [&] { return wants_to_stop(seconds_ + seconds_of_step()); }
                                                  : std::function<bool()>());
    at_step(method_, [&] { method_.step(); });
    stepped_ = true;
    gave_up_here_ = interruption.was_heeded();
    seconds_ += seconds_of_step();
  }

  /// Where agreements come late others would go on with what a step that was left half done sent them.
  [[nodiscard]] bool may_give_up() const {
    return !late_ && (options_.interrupted || options_.stop.time_limit_seconds);
  }

  /// This process, in the middle of a step.
  [[nodiscard]] bool wants_to_stop(double method_seconds) const {
    const auto& limit = options_.stop.time_limit_seconds;
    const double elapsed = options_.elapsed_seconds ? options_.elapsed_seconds() : method_seconds;
    return (options_.interrupted && options_.interrupted()) || (limit && elapsed >= *limit);
  }

  /// Whether the last record is of the last step.
  [[nodiscard]] bool is_recorded() const { return has_record_ && last_.step == method_.steps_done(); }

  /// A function of the step alone, so that a resumed run records at the same steps.
  [[nodiscard]] bool is_due(int step) const {
    constexpr unsigned kFinest = 50;
    if (options_.every < 0) {
      return false;
    }
    const auto stride = std::max(1U, std::bit_floor(static_cast<unsigned>(step) / kFinest));
    return step % (options_.every > 0 ? options_.every : static_cast<int>(stride)) == 0;
  }

  /// Not before the first step of a resumed run: what the certificate is made of is not kept.
  [[nodiscard]] std::optional<Certificate> certificate() {
    std::optional<Certificate> found;
    if (stepped_ || !options_.before) {
      at_step(method_, [&] { found = method_.certificate(); });
    }
    if (const Dual* dual = method_.dual(); found && dual != nullptr && dual->s.size() > 0) {
      if (reach_.size() == 0) {
        reach_ = reaches(problem_);
      }
      found->lower_bound -= rounding_of_bounds(network_, *dual, reach_);
    }
    return found;
  }

  void raise_lower_bound(double bound) { lower_bound_ = std::max(lower_bound_.value_or(bound), bound); }

  [[nodiscard]] Look final_look() const { return options_.look == Look::kNothing ? Look::kAverage : options_.look; }

  /// Whether there is a record of the last step with F(x̄).
  [[nodiscard]] bool is_known() const { return is_recorded() && last_.measures.objective_at_average.has_value(); }

  /// A run's last record knows F(x̄). Not what a checkpoint has: a run that goes on has no such record there.
  void record_the_end(Status status) {
    if (status != Status::kRunning && !is_known()) {
      record(final_look());
    }
  }

  void record(Look look) {
    last_ = Record{};
    has_record_ = true;
    last_.step = method_.steps_done();
    const bool is_evaluated = certified_value_ && look == Look::kAverage;  // by the certificate, at this very point
    at_step(method_, [&] {
      last_.measures = measure(problem_, control_, method_.output(), is_evaluated ? Look::kNothing : look);
    });
    if (is_evaluated) {
      last_.measures.objective_at_average = certified_value_;
    }
    if (const auto values = method_.known_values(); values && stepped_) {
      last_.objective_estimate = control_.sum(*values);
    }
    last_.meters = control_.totals();
    last_.seconds = seconds_;
    if (const auto found = certificate()) {
      raise_lower_bound(control_.total(found->lower_bound));
    }
    if (const InnerWork* work = method_.inner_work(); work != nullptr && stepped_) {
      last_.inner_wolfe_gap = control_.max(work->wolfe_gap);
      last_.active_set_size = static_cast<Count>(control_.max(work->active_set_size));
    }
    last_.reference_optimum = options_.reference_optimum;
    compare_with_reference();
    if (lower_bound_) {
      last_.lower_bound = lower_bound_;
      last_.certified_gap = recorded_certified_gap();
    }
    is_told_ = false;
  }

  /// F(x̄) less the bound. A trace of this process's nodes, or one that does not look at data, has no F(x̄) but where the
  /// stop rule had it evaluated.
  [[nodiscard]] std::optional<double> recorded_certified_gap() const {
    const auto& value = last_.measures.objective_at_average;
    return control_.scope() == ControlScope::kAllNodes && value ? gap_to_bound(*value) : certified_gap_;
  }

  /// Where nodes have sets of their own, x̄ may lie outside some and F(x̄) below F*. A contradiction is a bug of ours, or
  /// of a resumed run the work of whoever changed its checkpoint.
  [[nodiscard]] double gap_to_bound(double objective) const {
    if (problem_.sets_differ) {
      return objective - *lower_bound_;
    }
    const double magnitude = std::abs(objective) + std::abs(*lower_bound_) + std::abs(start_value_);
    try {
      return slidemesh::certified_gap(objective, *lower_bound_, magnitude);
    } catch (const InternalError& error) {
      if (options_.before) {
        throw DataError(
            std::string("checkpoint: expected a state that the run was in, got one that contradicts itself: ") +
            error.what());
      }
      throw;
    }
  }

  /// What the rules say; and of a record that is news, what whoever looks at it says.
  [[nodiscard]] Status decide_and_ask() {
    const Status status = decide(options_.stop, statistics());
    const bool ends = status == Status::kRunning && !is_told_ && options_.ends_at && options_.ends_at(last_);
    return ends ? Status::kInterrupted : status;
  }

  /// The last record, if that is news, with what was decided after its step.
  void tell(Status status) {
    if (!is_told_) {
      last_.status = status;
      if (options_.on_record) {
        options_.on_record(last_);
      }
      is_told_ = true;
    }
  }

  void compare_with_reference() {
    if (const auto& value = last_.measures.objective_at_average; value && options_.reference_optimum) {
      last_.gap_at_average = *value - *options_.reference_optimum;
      relative_gap_ = slidemesh::relative_gap(*value, *options_.reference_optimum, start_value_);
    }
  }

  [[nodiscard]] double certified_gap_scale() const {
    return options_.stop.certified_gap_is_relative ? start_value_ - *lower_bound_ : 1.0;
  }

  /// An evaluation costs a pass: the next waits until the estimate has halved, or for a tenth more steps, because
  /// rounding may keep an estimate from ever halving.
  [[nodiscard]] bool failed_too_recently(double estimate) const {
    return failed_estimate_ && estimate > *failed_estimate_ / 2.0 &&
           method_.steps_done() < failed_step_ + std::max(1, failed_step_ / 10);
  }

  /// The free numbers first: only when they say that the gap may be small enough is F(x̄) evaluated,
  /// and that evaluation is charged, because a decision hangs on it.
  void try_to_certify() {
    const auto found = certificate();
    if (!found) {
      return;
    }
    Matrix both(2, network_.local_nodes());
    both << found->lower_bound.transpose(), found->value.transpose();
    const Vector sums = control_.totals_of(both);
    raise_lower_bound(sums(0));
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      ++network_.meters().at(i).linear_oracle_calls;
    }
    const double estimate = sums(1) - *lower_bound_;
    const bool promising = estimate <= *options_.stop.certified_gap * certified_gap_scale();
    if (!promising || failed_too_recently(estimate)) {
      return;
    }
    Vector mean;
    control_.mean_over_tree(method_.output(), mean);
    if (certifies_without_a_pass(mean)) {
      look_whether_feasible(mean);
      return;
    }
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      network_.meters().at(i).data_oracle_calls += problem_.objectives[static_cast<std::size_t>(i)]->rows();
      ++network_.meters().at(i).data_oracle_accesses;
    }
    certified_value_ = total_objective(problem_, control_, mean, AccessPurpose::kCertificate);
    certified_gap_ = gap_to_bound(*certified_value_);
    if (control_.scope() != ControlScope::kAllNodes) {
      certified_value_.reset();  // a trace of this process's nodes tells of these alone
    }
    look_whether_feasible(mean);
    if (is_recorded()) {
      last_.lower_bound = lower_bound_;
      last_.certified_gap = recorded_certified_gap();
    }
    failed_estimate_ = estimate;
    failed_step_ = method_.steps_done();
  }

  /// Whether what the method knows bounds F(x̄) from above well enough.
  bool certifies_without_a_pass(const Vector& mean) {
    const auto* method = dynamic_cast<const ValueBounds*>(&method_);
    const auto bounds = method != nullptr ? method->upper_bounds(mean) : std::nullopt;
    if (!bounds) {
      return false;
    }
    const double gap = gap_to_bound(control_.total(*bounds));
    if (gap > *options_.stop.certified_gap * certified_gap_scale()) {
      return false;
    }
    certified_gap_ = gap;
    return true;
  }

  /// Where every node has the same set x̄ is in it.
  void look_whether_feasible(const Vector& mean) {
    infeasible_ = problem_.sets_differ && violates_a_set(problem_, control_, mean, options_.stop.target_infeasibility);
  }

  /// While consensus does not come the multipliers grow; if that is because the sets have no common point, they prove
  /// it. The linear-oracle call of each node is charged, because a decision hangs on it.
  void look_for_a_common_point() {
    const Dual* dual = method_.dual();
    Vector mean;
    control_.mean_over_tree(method_.output(), mean);
    look_whether_feasible(mean);
    if (dual == nullptr || !infeasible_) {
      return;
    }
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      ++network_.meters().at(i).linear_oracle_calls;
    }
    sets_have_no_common_point_ = proves_no_common_point(problem_, control_, dual->w);
  }

  /// F at the mean; and each node's at its own point.
  [[nodiscard]] static Count passes_of(Look look) {
    return look == Look::kNothing ? 0 : look == Look::kAverage ? 1 : 2;
  }

  /// Rows of so many passes over this process's nodes.
  [[nodiscard]] Count passes(Count count) const {
    Count rows = 0;
    for (const auto& objective : problem_.objectives) {
      rows += objective->rows();
    }
    return count * rows;
  }

  /// Whether, at every process, so many rows may be read and enough will be left to measure where the run ends.
  [[nodiscard]] bool can_read_and_end(Count rows) const {
    if (!options_.rows_left) {
      return true;
    }
    const Count to_certify = options_.stop.certified_gap ? passes(1) : 0;
    return !control_.any(options_.rows_left() < rows + to_certify + passes(passes_of(final_look())));
  }

  /// A record that only informs must not cost the run its end.
  [[nodiscard]] bool can_look_along_the_way() const {
    return options_.look == Look::kNothing || can_read_and_end(passes(passes_of(options_.look)));
  }

  void share() {
    const Shared here{options_.elapsed_seconds ? options_.elapsed_seconds() : seconds_, seconds_,
                      options_.interrupted && options_.interrupted(), gave_up_here_};
    if (late_) {
      shared_ = late_->exchange(here);
    } else {
      shared_.elapsed_seconds = control_.from_root(here.elapsed_seconds);
      const bool stops = control_.any(here.interrupted || here.gave_up);  // which of the two is asked when it matters
      shared_.interrupted = stops && control_.any(here.interrupted);
      shared_.gave_up = stops && control_.any(here.gave_up);
    }
  }

  [[nodiscard]] Statistics statistics() {
    Statistics s;
    s.infeasible = infeasible_;
    s.sets_have_no_common_point = sets_have_no_common_point_;
    share();
    s.seconds = shared_.elapsed_seconds;
    s.finished = method_.finished() && !shared_.gave_up;
    s.interrupted = shared_.interrupted;
    if (shared_.gave_up) {  // by a clock that was ahead of the root's, or a signal
      s.seconds = std::max(s.seconds, options_.stop.time_limit_seconds.value_or(0.0));
      s.interrupted = s.interrupted || !options_.stop.time_limit_seconds;
    }
    if (options_.stop.data_budget && !s.finished) {
      Vector calls = Vector::Zero(network_.local_nodes());
      calls(0) = static_cast<double>(network_.meters().totals().data_oracle_calls + method_.next_data_oracle_calls());
      s.budget_reached = control_.total(calls) > static_cast<double>(*options_.stop.data_budget);
    }
    if (options_.rows_left && !s.finished) {
      s.budget_reached = !can_read_and_end(method_.next_data_oracle_calls()) || s.budget_reached;
    }
    s.relative_gap = relative_gap_;
    if (options_.reference_optimum && options_.stop.target_gap) {
      s.no_scale = !(start_value_ > *options_.reference_optimum);
      s.reference_suffices = slidemesh::reference_suffices(*options_.stop.target_gap, options_.reference_accuracy,
                                                           *options_.reference_optimum, start_value_);
    }
    if (relative_gap_) {
      s.disagreement = last_.measures.relative_disagreement;
    }
    s.certified_gap = certified_gap_;
    if (lower_bound_) {
      s.certified_gap_scale = start_value_ - *lower_bound_;
    }
    return s;
  }

  Method& method_;
  const Problem& problem_;
  const Control control_;
  Network& network_;
  const RunOptions& options_;
  double seconds_ = 0.0;
  bool stepped_ = false;
  double start_value_ = 0.0;
  std::optional<double> lower_bound_;
  std::optional<double> relative_gap_;
  std::optional<double> certified_gap_;
  Vector reach_;                           ///< of the nodes' sets, once a certificate asks
  std::optional<double> certified_value_;  ///< F(x̄) over all nodes, where a certificate had it evaluated at this step
  std::optional<double> failed_estimate_;
  int failed_step_ = 0;
  bool infeasible_ = false;
  bool sets_have_no_common_point_ = false;
  Record last_;
  bool has_record_ = false;
  bool is_told_ = true;
  Shared shared_;
  bool gave_up_here_ = false;
  std::optional<LateAgreement> late_;
};

void visit(StateVisitor& visitor, MeterTotals& totals) {
  visitor.visit("last.data_oracle_calls", totals.data_oracle_calls);
  visitor.visit("last.data_oracle_accesses", totals.data_oracle_accesses);
  visitor.visit("last.communication_rounds", totals.communication_rounds);
  visitor.visit("last.hops", totals.hops);
  visitor.visit("last.messages", totals.messages);
  visitor.visit("last.bytes_sent", totals.bytes_sent);
  visitor.visit("last.scalar_messages", totals.scalar_messages);
  visitor.visit("last.linear_oracle_calls", totals.linear_oracle_calls);
  visitor.visit("last.largest_node_linear_oracle_calls", totals.largest_node_linear_oracle_calls);
}

}  // namespace

void visit_state(StateVisitor& visitor, RunState& state) {
  visitor.visit("run.step", state.step);
  visitor.visit("run.seconds", state.seconds);
  visitor.visit("run.lower_bound", state.lower_bound);
  visitor.visit("run.failed_estimate", state.failed_estimate);
  visitor.visit("run.failed_step", state.failed_step);
  visitor.visit("run.certified_gap", state.certified_gap);
  Record& last = state.last;
  visitor.visit("last.step", last.step);
  visitor.visit("last.objective_at_average", last.measures.objective_at_average);
  visitor.visit("last.objective_stacked", last.measures.objective_stacked);
  visitor.visit("last.consensus_error", last.measures.consensus_error);
  visitor.visit("last.relative_disagreement", last.measures.relative_disagreement);
  visitor.visit("last.infeasibility", last.measures.infeasibility);
  visitor.visit("last.lower_bound", last.lower_bound);
  visitor.visit("last.certified_gap", last.certified_gap);
  visitor.visit("last.inner_wolfe_gap", last.inner_wolfe_gap);
  visitor.visit("last.active_set_size", last.active_set_size);
  visitor.visit("last.objective_estimate", last.objective_estimate);
  visit(visitor, last.meters);
  visitor.visit("last.seconds", last.seconds);
}

RunResult run(Method& method, const Problem& problem, const Control& control, const RunOptions& options) {
  return Driver(method, problem, control, options).run();
}

}  // namespace slidemesh

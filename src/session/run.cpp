#include "slidemesh/session/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <string>

#include "certifier.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/network/riding_sums.h"

namespace slidemesh {

namespace {

/// What all processes must know of one another's clocks and signals before each decides alike.
struct Shared {
  double elapsed_seconds = 0.0;  ///< the root's
  double method_seconds = 0.0;   ///< the root's, inside the method
  bool interrupted = false;      ///< anywhere
  bool gave_up = false;          ///< anywhere: a step was left half done
};

/// Brings it to all processes, once a step: by an agreement of its own; or late, on the method's own messages, and then
/// what is taken is a step or a few old, and the same at every node.
class StopAgreement {
 public:
  StopAgreement(const Control& control, bool is_late, double seconds);

  [[nodiscard]] bool is_late() const { return sums_ != nullptr; }
  [[nodiscard]] const Shared& exchange(const Shared& here);

 private:
  void exchange_late(const Vector& here);

  const Control control_;
  Network& network_;
  std::unique_ptr<RidingSums> sums_;  ///< where it is late
  Count rounds_ = -1;
  Shared last_;
};

StopAgreement::StopAgreement(const Control& control, bool is_late, double seconds)
    : control_(control),
      network_(control.network()),
      sums_(is_late ? RidingSums::uncharged(network_) : nullptr),
      last_{seconds, seconds} {}

/// The clocks are the root's: others have 0 for theirs.
const Shared& StopAgreement::exchange(const Shared& here) {
  Vector numbers = Vector::Zero(4);
  if (control_.is_root()) {
    numbers.head(2) << here.elapsed_seconds, here.method_seconds;
  }
  numbers.tail(2) << (here.interrupted ? 1.0 : 0.0), (here.gave_up ? 1.0 : 0.0);
  if (is_late()) {
    exchange_late(numbers.head(3));
  } else {
    const Vector all = control_.maxima_of(numbers);
    last_ = {all(0), all(1), all(2) > 0.0, all(3) > 0.0};
  }
  return last_;
}

/// After a step. A method that made no round in it carries nothing: then by messages of its own.
void StopAgreement::exchange_late(const Vector& here) {
  if (network_.meters().communication_rounds == rounds_) {
    sums_->flush();
  }
  rounds_ = network_.meters().communication_rounds;
  while (sums_->ready()) {
    const Vector sum = sums_->take();
    last_ = {sum(0), sum(1), sum(2) > 0.0, false};
  }
  if (sums_->under_way() == 0) {
    Matrix values = Matrix::Zero(here.size(), network_.local_nodes());
    values.col(0) = here;
    sums_->post(values);
  }
}

class Driver {
 public:
  Driver(Method& method, const Problem& problem, const Control& control, const RunOptions& options)
      : method_(method),
        problem_(problem),
        control_(control),
        network_(control.network()),
        options_(options),
        seconds_(options.before ? options.before->seconds : 0.0),
        start_value_(options.start_value ? *options.start_value : total_objective(problem, control, problem.start)),
        certifier_(method, problem, control, options, start_value_),
        agreement_(control, options.agrees_late, seconds_) {
    if (options.before) {
      go_on_from(*options.before);
    }
  }

  RunResult run() {
    if (!options_.before && options_.every >= 0 && can_look_along_the_way()) {
      record(options_.look);
    }
    Status status = decide_and_ask();
    record_the_end(status);
    report(status);
    while (status == Status::kRunning) {
      timed_step();
      if (options_.on_step) {
        options_.on_step(method_.steps_done(), seconds_);
      }
      relative_gap_.reset();
      if (method_.finished() || (is_due(method_.steps_done()) && can_look_along_the_way())) {
        record(method_.finished() ? final_look() : options_.look);
      }
      if (options_.stop.certified_gap && certifier_.try_to_certify() && is_recorded()) {
        record_what_is_proved();
      }
      if (problem_.sets_differ && is_due(method_.steps_done())) {
        certifier_.look_for_a_common_point();
      }
      status = decide_and_ask();
      if (status == Status::kRunning || is_known()) {
        report(status);
      }
      if (options_.after_step && !shared_.gave_up) {
        options_.after_step({method_.steps_done(), shared_.method_seconds, certifier_.state(), last_}, status);
      }
      record_the_end(status);
      report(status);
    }
    last_.meters = control_.totals();
    return {status, last_, shared_.gave_up};
  }

 private:
  void go_on_from(const RunState& before) {
    last_ = before.last;
    has_record_ = true;
    last_.reference_optimum = options_.reference_optimum;
    if (last_.step == method_.steps_done()) {
      compare_with_reference();
      is_reported_ = false;
    }
  }

  /// Not a stop that all agree on: whoever set this bound here asked nobody.
  void require_own_budget() const {
    if (!options_.own_budget) {
      return;
    }
    const Count calls = network_.meters().totals().data_oracle_calls;
    const Count next = method_.next_data_oracle_calls();
    if (calls + next > *options_.own_budget) {
      fail<StoppedError>(fmt::format("step {}", method_.steps_done() + 1),
                         fmt::format("to touch at most {} rows here (--budget)", *options_.own_budget),
                         fmt::format("{} and {} more", calls, next));
    }
  }

  void timed_step() {
    require_own_budget();
    certifier_.before_step();
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
    return !agreement_.is_late() && (options_.interrupted || options_.stop.time_limit_seconds);
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
    const bool is_evaluated = certifier_.value() && look == Look::kAverage;  // by the certificate, at this very point
    at_step(method_,
            [&] { last_.measures = measure(problem_, control_, method_, is_evaluated ? Look::kNothing : look); });
    if (is_evaluated) {
      last_.measures.objective_at_average = certifier_.value();
    }
    if (const auto values = method_.known_values(); values && stepped_) {
      last_.objective_estimate = control_.sum(*values);
    }
    last_.meters = control_.totals();
    last_.seconds = seconds_;
    certifier_.look();
    if (const InnerWork* work = method_.inner_work(); work != nullptr && stepped_) {
      last_.inner_wolfe_gap = control_.max(work->wolfe_gap);
      last_.active_set_size = static_cast<Count>(control_.max(work->active_set_size));
    }
    last_.reference_optimum = options_.reference_optimum;
    compare_with_reference();
    record_what_is_proved();
    is_reported_ = false;
  }

  void record_what_is_proved() {
    last_.lower_bound = certifier_.state().lower_bound;
    last_.certified_gap = certifier_.gap_of(last_.measures.objective_at_average);
  }

  /// What the rules say; and of a record that is news, what whoever looks at it says.
  [[nodiscard]] Status decide_and_ask() {
    const Status status = decide(options_.stop, statistics());
    if (is_recorded() && !agreement_.is_late()) {
      last_.seconds = shared_.method_seconds;  // a checkpoint has the record, and its parts must be of one run
    }
    const bool ends = status == Status::kRunning && !is_reported_ && options_.ends_at && options_.ends_at(last_);
    return ends ? Status::kInterrupted : status;
  }

  /// The last record, if that is news, with what was decided after its step.
  void report(Status status) {
    if (!is_reported_) {
      last_.status = status;
      if (options_.on_record) {
        options_.on_record(last_);
      }
      is_reported_ = true;
    }
  }

  void compare_with_reference() {
    if (const auto& value = last_.measures.objective_at_average; value && options_.reference_optimum) {
      last_.gap_at_average = *value - *options_.reference_optimum;
      relative_gap_ = slidemesh::relative_gap(*value, *options_.reference_optimum, start_value_);
    }
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
    shared_ = agreement_.exchange(here);
  }

  [[nodiscard]] Statistics statistics() {
    Statistics s;
    certifier_.tell(s);
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
    return s;
  }

  Method& method_;
  const Problem& problem_;
  const Control control_;
  Network& network_;
  const RunOptions& options_;
  double seconds_;  ///< inside the method
  bool stepped_ = false;
  double start_value_;
  Certifier certifier_;
  std::optional<double> relative_gap_;
  Record last_;
  bool has_record_ = false;
  bool is_reported_ = true;
  StopAgreement agreement_;
  Shared shared_;
  bool gave_up_here_ = false;
};

}  // namespace

RunResult run(Method& method, const Problem& problem, const Control& control, const RunOptions& options) {
  return Driver(method, problem, control, options).run();
}

void visit_state(StateVisitor& visitor, RunState& state) {
  visitor.visit("run.step", state.step);
  visitor.visit("run.seconds", state.seconds);
  visitor.visit("run.lower_bound", state.certificate.lower_bound);
  visitor.visit("run.failed_estimate", state.certificate.failed_estimate);
  visitor.visit("run.failed_step", state.certificate.failed_step);
  visitor.visit("run.certified_gap", state.certificate.gap);
  visitor.visit("last.step", state.last.step);
  visit_fields(state.last, [&](const std::string& name, auto& value) { visitor.visit("last." + name, value); });
}

}  // namespace slidemesh

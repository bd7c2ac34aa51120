#include "slidemesh/core/run.h"

#include <algorithm>
#include <bit>
#include <chrono>

namespace slidemesh {

namespace {

class Driver {
 public:
  Driver(Method& method, const Problem& problem, Network& network, const RunOptions& options)
      : method_(method),
        problem_(problem),
        network_(network),
        options_(options),
        seconds_(options.seconds_before),
        lower_bound_(options.lower_bound_before) {
    start_value_ = objective(problem_, network_, problem_.start);
  }

  RunResult run() {
    if (method_.steps_done() == 0) {
      record();
    }
    Status status = decide(options_.stop, statistics());
    while (status == Status::kRunning) {
      timed_step();
      if (options_.on_step) {
        options_.on_step(method_.steps_done(), seconds_);
      }
      certified_gap_.reset();
      relative_gap_.reset();
      if (method_.finished() || is_due(method_.steps_done())) {
        record();
      }
      if (options_.stop.certified_gap) {
        try_to_certify();
      }
      status = decide(options_.stop, statistics());
      if (status != Status::kRunning && last_.step != method_.steps_done()) {
        record();
      }
    }
    last_.meters = network_.control_totals();
    return {status, last_};
  }

 private:
  void timed_step() {
    const auto begin = std::chrono::steady_clock::now();
    method_.step();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    seconds_ += taken.count();
  }

  /// A function of the step alone, so that a resumed run records at the same steps.
  [[nodiscard]] bool is_due(int step) const {
    constexpr unsigned kFinest = 50;
    const auto stride = std::max(1U, std::bit_floor(static_cast<unsigned>(step) / kFinest));
    return step % (options_.every > 0 ? options_.every : static_cast<int>(stride)) == 0;
  }

  void raise_lower_bound(const Certificate& certificate) {
    const double bound = network_.control_sum(certificate.lower_bound);
    lower_bound_ = std::max(lower_bound_.value_or(bound), bound);
  }

  void record() {
    last_ = Record{};
    last_.step = method_.steps_done();
    last_.measures = measure(problem_, network_, method_.output());
    last_.meters = network_.control_totals();
    last_.seconds = seconds_;
    if (const auto certificate = method_.certificate()) {
      raise_lower_bound(*certificate);
    }
    const double value = last_.measures.objective_at_average;
    if (options_.reference_optimum) {
      last_.reference_optimum = options_.reference_optimum;
      last_.gap_at_average = value - *options_.reference_optimum;
      const double scale = start_value_ - *options_.reference_optimum;
      relative_gap_ = scale > 0.0 ? *last_.gap_at_average / scale : 0.0;
    }
    if (lower_bound_) {
      last_.lower_bound = lower_bound_;
      last_.certified_gap = value - *lower_bound_;
    }
    if (options_.on_record) {
      options_.on_record(last_);
    }
  }

  /// The free numbers first: only when they say that the gap may be small enough is F(x̄) evaluated,
  /// and that evaluation is charged, because a decision hangs on it.
  void try_to_certify() {
    const auto certificate = method_.certificate();
    if (!certificate) {
      return;
    }
    raise_lower_bound(*certificate);
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      ++network_.meters().at(i).linear_oracle_calls;
    }
    const double estimate = network_.control_sum(certificate->value) - *lower_bound_;
    const double scale = options_.stop.certified_gap_is_relative ? start_value_ - *lower_bound_ : 1.0;
    const bool promising = estimate <= *options_.stop.certified_gap * scale;
    if (!promising || (failed_estimate_ && estimate > *failed_estimate_ / 2.0)) {
      return;
    }
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      network_.meters().at(i).data_oracle_calls += problem_.objectives[static_cast<std::size_t>(i)]->rows();
      ++network_.meters().at(i).data_oracle_accesses;
    }
    Vector mean;
    network_.control_mean(method_.output(), mean);
    certified_gap_ = objective(problem_, network_, mean, AccessPurpose::kCertificate) - *lower_bound_;
    failed_estimate_ = estimate;
  }

  [[nodiscard]] Statistics statistics() {
    Statistics s;
    s.seconds = network_.control_from_root(seconds_);
    s.finished = method_.finished();
    s.interrupted = network_.control_any(options_.interrupted && options_.interrupted());
    if (options_.stop.data_budget && !s.finished) {
      Vector next = Vector::Zero(network_.local_nodes());
      next(0) = static_cast<double>(method_.next_data_oracle_calls());
      const double spent = static_cast<double>(network_.control_totals().data_oracle_calls);
      s.budget_reached = spent + network_.control_sum(next) > static_cast<double>(*options_.stop.data_budget);
    }
    s.relative_gap = relative_gap_;
    s.certified_gap = certified_gap_;
    if (lower_bound_) {
      s.certified_gap_scale = start_value_ - *lower_bound_;
    }
    return s;
  }

  Method& method_;
  const Problem& problem_;
  Network& network_;
  const RunOptions& options_;
  double seconds_;
  double start_value_ = 0.0;
  std::optional<double> lower_bound_;
  std::optional<double> relative_gap_;
  std::optional<double> certified_gap_;
  std::optional<double> failed_estimate_;
  Record last_;
};

}  // namespace

RunResult run(Method& method, const Problem& problem, Network& network, const RunOptions& options) {
  return Driver(method, problem, network, options).run();
}

}  // namespace slidemesh

#include "slidemesh/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answer.h"
#include "reference_cache.h"
#include "resume.h"
#include "run_results.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/base/text.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/report/report.h"
#include "slidemesh/report/writers.h"
#include "slidemesh/session/experiment.h"
#include "slidemesh/session/output_directory.h"
#include "target.h"

namespace slidemesh {

namespace {

Look look_of(Trace trace) {
  return trace == Trace::kKnown ? Look::kNothing : trace == Trace::kOff ? Look::kAverage : Look::kEverything;
}

/// Runs the methods of one config after each other and writes what they did as they go.
class Session {
 public:
  Session(const Config& config, const SessionOptions& options, Listener& listener)
      : options_(options), job_(options.job), config_(config), listener_(listener), results_(config_, listener_) {}

  SessionResult run() {
    set_file_access(config_.output.shared ? FileAccess::kUmask : FileAccess::kOwner);
    set_threads(threads_of_process(config_, job_));
    prepare_output();
    read_data();
    budget_.emplace(config_, experiment_, results_.rows_read_before());
    find_smoothness();
    describe_problem();
    warn_of_methods_without_certificate();
    start_value_ = total_objective(experiment_.problem, *experiment_.control, experiment_.origin);
    measured_rows_ = static_cast<Count>(experiment_.control->sum(local_rows(experiment_.problem)));
    problem_key_ = config_.output.local_trace() ? "" : problem_key(config_, experiment_);
    find_reference();
    prepare_checkpoints();
    for (std::size_t i = 0; i < config_.methods.size(); ++i) {
      if (experiment_.control->any(job_.is_interrupted())) {
        break;
      }
      if (taken_from_before(config_.methods[i])) {
        checkpoints_[i]->finish();  // a run that was killed before it came to that left some
      } else {
        run_method(config_.methods[i], checkpoints_[i], resumed_[i]);
      }
    }
    listener_.end();
    listener_.costs(results_.summaries());
    results_.finish(problem_lines_,
                    results_.directory().empty() ? ReportNetwork{} : network_to_draw(config_, experiment_));
    return {results_.summaries(), results_.directory(), job_.is_interrupted(), all_reached_their_target()};
  }

 private:
  /// What a session has to stop for, between steps and outside of them.
  [[nodiscard]] bool is_over() const {
    return job_.is_interrupted() ||
           (config_.stop.time_limit_seconds && elapsed_seconds() >= *config_.stop.time_limit_seconds);
  }

  void read_data() {
    const Interruption interruption([this] { return is_over(); });
    experiment_ = build_experiment(config_, job_, results_.directory(), options_.resume, [this](Count rows) {
      listener_.passing(fmt::format("reading: {} rows", text::grouped(rows)));
    });
  }

  /// The first process writes for all; where each has a trace of its own, each writes, beside the others.
  void prepare_output() {
    require<UsageError>(!options_.resume || !options_.overwrite, "--resume", "no --overwrite beside it", "one");
    require<UsageError>(!options_.resume || !options_.out.empty(), "--resume",
                        "--out with the directory of the run to go on with", "none");
    const bool beside_others = job_.mpi != nullptr && config_.output.local_trace();
    require<UsageError>(!beside_others || !options_.out.empty(), "--out",
                        "a directory, since every rank writes a trace of its own", "none");
    if (job_.is_first() || config_.output.local_trace()) {
      const std::string own = beside_others ? fmt::format("{}/rank-{}", options_.out, job_.rank()) : options_.out;
      results_.open(own, options_.overwrite, options_.resume);
    }
  }

  [[nodiscard]] double elapsed_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

  void warn_of_methods_without_certificate() {
    for (const MethodConfig& method : config_.methods) {
      if (config_.stop.certified_gap && !method.make.certifies && job_.is_first()) {
        listener_.warn(fmt::format("{} has no certificate: certified_gap cannot end its run, which takes {} steps",
                                   method.label, method.outer_steps));
      }
    }
  }

  /// L~, where a method goes by it or F* is to be computed: it takes a look at every row.
  void find_smoothness() {
    const auto& methods = config_.methods;
    const bool is_used = std::ranges::any_of(methods, [this](const MethodConfig& method) {
      return method.make.uses_smoothness(experiment_.problem, *experiment_.network);
    });
    if (is_used || config_.output.reference.value_or(false)) {
      agree_on_smoothness(config_, experiment_);
    }
  }

  /// F*, where it is asked for. A limit of time holds for this too.
  void find_reference() {
    if (!config_.output.reference.value_or(false)) {
      return;
    }
    optimum_ = cached_reference_optimum(
        reference_cache_path(results_.directory()), problem_key_, experiment_, [this] { return is_over(); }, listener_);
    const auto& target = config_.stop.target_gap;
    if (optimum_ && target && job_.is_first() &&
        !reference_suffices(*target, reference_accuracy(), optimum_->value, start_value_)) {
      listener_.warn(fmt::format(
          "F* is certain to {} only, and target_gap = {:g} cannot be claimed unless that is at most a tenth of it "
          "(scale the columns, data.scaling = \"standard\", or stop at a certified_gap)",
          rounded_up(reference_accuracy()), *target));
    }
  }

  [[nodiscard]] double reference_accuracy() const { return optimum_ ? optimum_->value - optimum_->lower_bound : 0.0; }

  /// Every process keeps its own part of each checkpoint. What is done already and how far the rest has come is found
  /// out before anything is written.
  void prepare_checkpoints() {
    const std::filesystem::path shared = config_.output.local_trace() && job_.mpi != nullptr
                                             ? std::filesystem::path(options_.out)
                                             : results_.directory();
    const std::string directory = job_.party != nullptr ? shared.string()  // parties share no disk
                                                        : experiment_.control->from_root(shared.string());
    const Checkpoints::Context context{config_,     experiment_, listener_, job_, checkpoint_directory(directory),
                                       problem_key_};
    std::vector<TracePosition> keep;
    for (const MethodConfig& method : config_.methods) {
      agree_on_what_is_done(method.label);
      checkpoints_.push_back(std::make_unique<Checkpoints>(context, method));
      depends_on_[method.label] = checkpoints_.back()->settings();
      results_.require_same(method.label, checkpoints_.back()->settings());
      resumed_.push_back(options_.resume ? checkpoints_.back()->find() : std::nullopt);
      if (results_.has_from_before(method.label)) {
        keep.push_back({method.label, std::numeric_limits<int>::max()});
      } else if (const auto& state = resumed_.back()) {
        // The line of the step itself says that the run ended there. It is written again if it was due.
        keep.push_back({method.label, state->step - 1});
      }
    }
    if (!results_.directory().empty()) {
      results_.begin_files(keep);
    }
  }

  /// Each party has written results of its own, and one may have been killed before it had: then nobody has any.
  void agree_on_what_is_done(const std::string& label) {
    if (job_.party != nullptr && experiment_.control->any(!results_.has_from_before(label))) {
      results_.forget(label);
    }
  }

  /// What ran its length before a resume is taken as it is.
  bool taken_from_before(const MethodConfig& config) {
    const bool here = results_.has_from_before(config.label);
    if (experiment_.control->from_root(here ? 1.0 : 0.0) == 0.0) {
      return false;
    }
    listener_.say(fmt::format("{}: finished before", config.label));
    if (here) {
      results_.take_from_before(config.label);
    }
    return true;
  }

  void describe_problem() {
    problem_lines_ = problem_lines(config_, experiment_, job_);
    for (const std::string& line : problem_lines_) {
      listener_.say(line);
    }
    for (const std::string& note : experiment_.data_notes) {
      listener_.say("note: " + note);
    }
  }

  /// A method that cannot be made from its keys says so without knowing the file that they are from.
  [[nodiscard]] std::unique_ptr<Method> make_method(const MethodConfig& config) {
    const MethodContext context{experiment_.problem,
                                *experiment_.network,
                                experiment_.spectrum.lambda_max,
                                config_.seed,
                                wanted_accuracy(config_.stop, reference_value(), start_value_),
                                experiment_.spectrum.lambda_2,
                                [&](const std::string& what) { listener_.say(config.label + ": " + what); }};
    try {
      return config.make(context);
    } catch (const UsageError& error) {
      const std::string what = error.what();
      throw UsageError(what.starts_with(config_.file) ? what : config_.file + ": " + what);
    }
  }

  /// What holds for every method alike.
  [[nodiscard]] RunOptions run_options() const {
    RunOptions options;
    options.every = config_.output.trace == Trace::kOff ? -1 : config_.output.every;
    options.look = look_of(config_.output.trace);
    if (config_.data.budget) {
      options.rows_left = [this] { return budget_->rows_left(); };
    }
    options.stop = config_.stop;
    options.reference_optimum = reference_value();
    options.reference_accuracy = reference_accuracy();
    options.start_value = start_value_;
    options.elapsed_seconds = [this] { return elapsed_seconds(); };
    options.interrupted = job_.interrupted;
    options.ends_at = [&](const Record& record) { return listener_.ends_at(record); };
    options.agrees_late = job_.party != nullptr;
    options.own_budget = job_.party != nullptr ? job_.party->budget : std::nullopt;
    return options;
  }

  void run_method(const MethodConfig& config, std::unique_ptr<Checkpoints>& checkpoints,
                  const std::optional<RunState>& before) {
    Network& network = *experiment_.network;
    network.meters() = Meters(network.local_nodes());
    wire_before_ = experiment_.control->wire();
    const std::unique_ptr<Method> method = make_method(config);
    if (!before && method->uses_smoothness()) {
      charge_smoothness(experiment_.problem, network.meters());
    }
    if (!before && experiment_.start_dual.size() > 0) {
      method->start_with_dual(experiment_.start_dual);
    }
    RunOptions options = run_options();
    Stacked last_output;
    if (before) {
      checkpoints->restore(*method);
      options.before = before;
      listener_.say(fmt::format("{}: goes on after step {}", config.label, before->step));
    }
    std::vector<Record> records = before ? results_.records_before(config.label) : std::vector<Record>{};
    options.on_record = [&](const Record& record) {
      results_.append(config, record);
      listener_.record(record);
      records.push_back(record);
    };
    options.on_step = [&](int step, double) { listener_.step(step); };
    options.after_step = [&](const RunState& state, Status status) {
      if (experiment_.ledger) {
        experiment_.ledger->begin_step(state.step + 1);
      }
      checkpoints->after_step(*method, state, status, [this] { results_.sync_trace(); });
      if (job_.party != nullptr) {  // one column, for when another party never comes back
        last_output = method->output();
      }
    };
    const int first = before ? before->step : 0;
    listener_.begin({config.label, config.outer_steps, first, config_.stop, start_value_});
    if (experiment_.ledger) {
      experiment_.ledger->begin_method(config.label);
      experiment_.ledger->begin_step(first + 1);
    }
    RunResult result;
    try {
      result = slidemesh::run(*method, experiment_.problem, *experiment_.control, options);
    } catch (const std::exception& error) {
      // Of parties, those that were not killed would write over a step that all have.
      if (job_.party == nullptr) {
        checkpoints->save_what_there_is();
      }
      keep_what_there_is(config, records, status_after(error), last_output);
      throw;
    }
    listener_.end();
    if (result.gave_up_step) {
      checkpoints->save_what_there_is();
      warn_of_half_a_step(config, result);
    }
    warn_of_missed_target(config, result);
    keep(config, result, *method, std::move(records));
    const bool written = results_.write();
    if (experiment_.control->from_root(written ? 1.0 : 0.0) != 0.0 && result.status == Status::kFinished) {
      checkpoints->finish();
    }
    checkpoints.reset();
  }

  [[nodiscard]] std::optional<double> reference_value() const {
    return optimum_ ? std::optional(optimum_->value) : std::nullopt;
  }

  [[nodiscard]] bool all_reached_their_target() const {
    const auto& runs = results_.summaries();
    return !config_.stop.has_target() ||
           (runs.size() == config_.methods.size() &&
            std::ranges::all_of(runs, [](const RunSummary& run) { return run.status == Status::kTargetReached; }));
  }

  void warn_of_half_a_step(const MethodConfig& config, const RunResult& result) {
    if (job_.is_first()) {
      listener_.warn(fmt::format(
          "{}: step {} was left half done ({}); --resume goes on from the last checkpoint before it, or from the start",
          config.label, result.last.step, to_string(result.status)));
    }
  }

  /// What was noted of the columns as the run began is the likeliest reason of a target that is missed.
  [[nodiscard]] const char* scaling_hint() const {
    const auto asks_for_scaling = [](const std::string& note) {
      return note.find("data.scaling") != std::string::npos;
    };
    const auto& notes = experiment_.data_notes;
    return std::any_of(notes.begin(), notes.end(), asks_for_scaling)
               ? "; columns are far from the size of 1 (data.scaling = \"standard\" mends it)"
               : "";
  }

  /// What was asked for, what there is, and why it ended, for those who look at the last line alone.
  void warn_of_missed_target(const MethodConfig& config, const RunResult& result) {
    if (config_.stop.has_target() && result.status != Status::kTargetReached && job_.is_first()) {
      listener_.warn(fmt::format("{}: the target was not reached: asked for {}, got {}; {}{}", config.label,
                                 asked_for(config_.stop),
                                 reached(config_.stop, result.status, result.last, start_value_),
                                 why_ended(result, reference_accuracy(), config), scaling_hint()));
    }
  }

  [[nodiscard]] RunSummary summary_of(const MethodConfig& config, Status status, const Record& last) const {
    RunSummary summary;
    summary.method = config.name;
    summary.label = config.label;
    summary.status = status;
    summary.last = last;
    summary.rows = measured_rows_;
    summary.objective_at_start = start_value_;
    summary.settings = config.settings;
    summary.settings.emplace_back("problem.weights", config_.weigh_rows ? "rows" : "nodes");
    summary.depends_on = depends_on_.at(config.label);
    if (config_.stop.has_target()) {
      summary.asked = asked_for(config_.stop);
      summary.got = reached(config_.stop, status, last, start_value_);
    }
    return summary;
  }

  static Status status_after(const std::exception& error) {
    if (dynamic_cast<const PeerLostError*>(&error) != nullptr) {
      return Status::kPeerLost;
    }
    return dynamic_cast<const StoppedError*>(&error) != nullptr ? Status::kInterrupted : Status::kFailed;
  }

  /// After a failure nobody may be asked for anything: what the records and a party's own column have must do.
  void keep_what_there_is(const MethodConfig& config, const std::vector<Record>& records, Status status,
                          const Stacked& last_output) {
    listener_.end();
    RunSummary summary = summary_of(config, status, records.empty() ? Record{} : records.back());
    if (last_output.cols() == 1) {
      Model model = model_of(config_, config, experiment_, status, summary.last);
      model.parameters = last_output.col(0);
      results_.add(std::move(summary), std::move(model), records);
    } else {
      results_.add_failed(std::move(summary));
    }
    results_.write();
  }

  void keep(const MethodConfig& config, const RunResult& result, Method& method, std::vector<Record> records) {
    Record last = result.last;
    const std::vector<NodeMeters> nodes = experiment_.control->node_meters();
    const WireMeters wire = experiment_.control->wire();

    Model model = model_of(config_, config, experiment_, result.status, result.last);
    model.parameters = answer_of(method, *experiment_.control, job_);
    model.dual = dual_of(method, *experiment_.control);
    if (job_.party != nullptr && model.lower_bound && !config_.data.budget) {
      if (!model.certified_gap) {
        model.certified_gap = certified_gap_at(model.parameters, *model.lower_bound, start_value_, experiment_);
      }
      model.objective = *model.lower_bound + *model.certified_gap;
      last.certified_gap = model.certified_gap;
    }
    RunSummary summary = summary_of(config, result.status, last);
    summary.nodes = nodes;
    summary.control_messages = wire.control_messages - wire_before_.control_messages;
    summary.control_bytes = wire.control_bytes - wire_before_.control_bytes;
    summary.scores = scores_of(model, config_, experiment_);
    summary.coefficients = summarize_coefficients(model);
    if (config_.data.free_intercept && job_.is_first() && intercept_is_at_bound(model, experiment_.intercept_bound)) {
      listener_.warn(
          fmt::format("{}: the intercept has come to its bound of {:g}: columns far from zero ask for a large one "
                      "(data.scaling = \"standard\" centres them)",
                      model.label, experiment_.intercept_bound));
    }
    budget_->count(summary);
    results_.add(std::move(summary), std::move(model), std::move(records));
  }

  const SessionOptions& options_;
  const Job& job_;
  const Config& config_;
  Listener& listener_;
  RunResults results_;
  Experiment experiment_;
  WireMeters wire_before_;  ///< the method that runs
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<KnownOptimum> optimum_;
  std::string problem_key_;
  double start_value_ = 0.0;  ///< F(x_0) over all nodes, whoever is measured: certificates are relative to it
  Count measured_rows_ = 0;   ///< of the nodes that the trace looks at: what a pass is measured by
  std::optional<RowBudget> budget_;
  std::vector<std::string> problem_lines_;
  std::vector<std::unique_ptr<Checkpoints>> checkpoints_;  ///< one per method, as long as it may run
  std::map<std::string, Settings> depends_on_;             ///< of each method, by its label
  std::vector<std::optional<RunState>> resumed_;           ///< where each method goes on, if not at its start
};

}  // namespace

SessionResult run_session(const Config& config, const SessionOptions& options, Listener& listener) {
  return Session(config, options, listener).run();
}

}  // namespace slidemesh

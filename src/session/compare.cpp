#include "slidemesh/session/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "slidemesh/base/fail.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/session/experiment.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/session/run.h"

namespace slidemesh {

namespace {

constexpr double kReferenceShare = 0.01;  ///< of the target: how well F* must be known
constexpr double kBestReference = 1e-10;

/// The config's own tables of a method, or the method without keys.
std::vector<MethodConfig> entrants(const Config& config, const std::vector<std::string>& wanted) {
  std::vector<MethodConfig> all;
  for (const MethodKind& kind : method_kinds()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kind.name) == wanted.end()) {
      continue;
    }
    const std::size_t before = all.size();
    std::copy_if(config.methods.begin(), config.methods.end(), std::back_inserter(all),
                 [&](const MethodConfig& method) { return method.name == kind.name; });
    if (all.size() == before) {
      const Value::Table no_keys;
      ConfigTable table(no_keys, 0, "method", config.file);
      MethodConfig method;
      method.name = method.label = kind.name;
      method.outer_steps = kOpenEnd;
      method.make = kind.parse(table, kOpenEnd);
      all.push_back(std::move(method));
    }
  }
  return all;
}

class Race {
 public:
  Race(const Config& config, const CompareOptions& options, Listener& listener)
      : config_(config),
        options_(options),
        listener_(listener),
        experiment_(build_experiment(config, {nullptr, options.interrupted})) {}

  Comparison run() {
    agree_on_smoothness(config_, experiment_);
    describe();
    find_optimum();
    for (const MethodConfig& method : entrants(config_, options_.methods)) {
      if (options_.interrupted && options_.interrupted()) {
        break;
      }
      run_one(method);
    }
    return std::move(comparison_);
  }

 private:
  /// |x - x̄| / |x̄|: an error in x of this size makes one of its square in F.
  [[nodiscard]] double wanted_disagreement() const {
    return config_.stop.target_disagreement.value_or(std::sqrt(comparison_.target));
  }

  void describe() {
    comparison_.target = *config_.stop.target_gap;
    comparison_.rows = experiment_.rows;
    comparison_.problem = {
        fmt::format("{} on {}", config_.loss.kind, experiment_.data_description),
        fmt::format("set {}, mu {}, {} graph of {} nodes", experiment_.set_description, config_.mu, config_.graph.kind,
                    experiment_.graph.nodes()),
        fmt::format("to a relative gap of {:g} and a disagreement of {:.2g}, at most {:g} seconds each",
                    comparison_.target, wanted_disagreement(), options_.seconds_per_method),
    };
    comparison_.network = {config_.graph.kind, experiment_.graph, {}};
    for (const std::string& line : comparison_.problem) {
      listener_.say(line);
    }
  }

  void find_optimum() {
    ReferenceOptions options;
    options.relative_accuracy = std::max(kBestReference, kReferenceShare * comparison_.target);
    options.interrupted = options_.interrupted;
    options.on_progress = [&](int iteration, double accuracy) {
      listener_.passing(fmt::format("F*: iteration {}, certain to {:.1e}", iteration, accuracy));
    };
    const ReferenceOptimum reference = reference_optimum(experiment_.problem, *experiment_.network, options);
    comparison_.optimum = reference.value;
    accuracy_ = reference.value - reference.lower_bound;
    start_value_ = objective(experiment_.problem, *experiment_.network, experiment_.origin);
    require<UsageError>(start_value_ > comparison_.optimum, "compare", "a problem whose start is not its optimum",
                        fmt::format("F(x_0) = F* = {}", start_value_));
  }

  void run_one(const MethodConfig& config) {
    Network& network = *experiment_.network;
    network.meters() = Meters(network.local_nodes());
    listener_.passing(config.label);
    Compared compared;
    RunSummary& summary = compared.run.summary;
    summary.method = config.name;
    summary.label = config.label;
    summary.settings = config.settings;
    summary.rows = comparison_.rows;
    summary.objective_at_start = start_value_;
    try {
      const auto method =
          config.make({experiment_.problem, network, experiment_.spectrum.lambda_max, config_.seed,
                       comparison_.target * (start_value_ - comparison_.optimum), experiment_.spectrum.lambda_2,
                       [&](const std::string& what) { listener_.say(config.label + ": " + what); }});
      if (method->uses_smoothness()) {
        charge_smoothness(experiment_.problem, network.meters());
      }
      const RunResult result = slidemesh::run(*method, experiment_.problem, network, run_options(compared.run.trace));
      summary.status = result.status;
      summary.last = result.last;
    } catch (const UsageError& error) {
      std::string why = error.what();
      if (const std::string front = config.name + ": "; why.starts_with(front)) {  // it stands before this anyway
        why.erase(0, front.size());
      }
      comparison_.refused.emplace_back(config.label, std::move(why));
      return;
    } catch (const DataError& error) {  // iterates that are finite no more
      fail_run(compared, error.what());
    } catch (const std::bad_alloc&) {  // others may take less
      fail_run(compared, "out of memory");
    }
    compared.reached = summary.status == Status::kTargetReached;
    listener_.say(fmt::format("{}: {}, {:.2f} passes, {} rounds, {:.2f} s", config.label, to_string(summary.status),
                              comparison_.passes(summary.last), summary.last.meters.communication_rounds,
                              summary.last.seconds));
    comparison_.runs.push_back(std::move(compared));
  }

  /// Its run ends here; those of others go on.
  void fail_run(Compared& compared, std::string_view why) {
    RunSummary& summary = compared.run.summary;
    listener_.warn(fmt::format("{}: {}", summary.label, why));
    summary.status = Status::kFailed;
    summary.last = compared.run.trace.empty() ? Record{} : compared.run.trace.back();
  }

  RunOptions run_options(std::vector<Record>& trace) {
    RunOptions options;
    options.every = config_.output.every;
    options.stop = config_.stop;
    options.stop.certified_gap.reset();
    options.stop.target_disagreement = wanted_disagreement();
    options.stop.time_limit_seconds = options_.seconds_per_method;
    options.reference_optimum = comparison_.optimum;
    options.reference_accuracy = accuracy_;
    options.start_value = start_value_;
    options.interrupted = options_.interrupted;
    options.on_record = [&trace](const Record& record) { trace.push_back(record); };
    return options;
  }

  const Config& config_;
  const CompareOptions& options_;
  Listener& listener_;
  Experiment experiment_;
  Comparison comparison_;
  double accuracy_ = 0.0;
  double start_value_ = 0.0;
};

}  // namespace

void rank(Comparison& comparison, const Cost& cost) {
  const auto gap = [](const Compared& compared) {
    return compared.run.summary.last.gap_at_average.value_or(std::numeric_limits<double>::infinity());
  };
  std::stable_sort(comparison.runs.begin(), comparison.runs.end(), [&](const Compared& a, const Compared& b) {
    if (a.reached != b.reached) {
      return a.reached;
    }
    return a.reached ? cost.of(comparison, a.run.summary.last) < cost.of(comparison, b.run.summary.last)
                     : gap(a) < gap(b);
  });
}

Comparison compare_methods(const Config& config, const CompareOptions& options, Listener& listener) {
  require<UsageError>(config.stop.target_gap.has_value(), config.file + ": stop.target_gap",
                      "a relative gap that all methods are run to", "none");
  for (const std::string& name : options.methods) {
    require<UsageError>(find_method(name) != nullptr, "--methods", "names of `slidemesh list methods`",
                        fmt::format("\"{}\"", name));
  }
  set_threads(config.threads);
  return Race(config, options, listener).run();
}

}  // namespace slidemesh

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "config.h"
#include "experiment.h"
#include "interrupt.h"
#include "job.h"
#include "output_directory.h"
#include "progress.h"
#include "reference_cache.h"
#include "slidemesh/core/parallel.h"
#include "slidemesh/report/atomic_file.h"
#include "slidemesh/report/report.h"
#include "slidemesh/report/writers.h"

namespace slidemesh::app {

namespace {

struct RunArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string out;
  bool resume = false;
  bool overwrite = false;
  bool quiet = false;
};

/// The wanted accuracy as a difference of objective values, where the stop rule implies one.
std::optional<double> wanted_accuracy(const Config& config, const std::optional<double>& optimum, double start_value) {
  if (config.stop.target_gap && optimum) {
    return *config.stop.target_gap * (start_value - *optimum);
  }
  if (config.stop.certified_gap) {
    const double scale = config.stop.certified_gap_is_relative ? start_value - optimum.value_or(0.0) : 1.0;
    return *config.stop.certified_gap * scale;
  }
  return std::nullopt;
}

/// Runs the methods of one config after each other and writes what they did as they go.
class Session {
 public:
  Session(const RunArguments& arguments, Config config)
      : arguments_(arguments), config_(std::move(config)), progress_(arguments.quiet || !is_first_process()) {}

  ExitCode run() {
    set_threads(threads_of_process(config_));
    prepare_output();
    catch_interrupts();
    experiment_ = build_experiment(config_, out_);
    describe_problem();
    if (config_.output.reference) {
      optimum_ = cached_reference_optimum(reference_cache_path(out_), config_, experiment_, progress_);
    }
    start_value_ = objective(experiment_.problem, *experiment_.network, experiment_.problem.start);
    if (writes_) {
      atomic_write(out_ / "config.toml", config_.text);
      trace_.emplace(out_ / "trace.jsonl");
    }
    for (const MethodConfig& method : config_.methods) {
      if (experiment_.network->control_any(interrupted())) {
        break;
      }
      run_method(method);
      write_results();
    }
    write_results();
    if (writes_) {
      write_page();
    }
    tell();
    return exit_code();
  }

 private:
  /// The first process writes for all; where each has a trace of its own, each writes, beside the others.
  void prepare_output() {
    writes_ = is_first_process() || config_.output.local_trace;
    const bool beside_others = mpi_job() != nullptr && config_.output.local_trace;
    if (beside_others && arguments_.out.empty()) {
      throw UsageError("--out: expected a directory, since every rank writes a trace of its own, got none");
    }
    if (writes_) {
      const std::string own = beside_others ? fmt::format("{}/rank-{}", arguments_.out, mpi_job()->rank()) : arguments_.out;
      out_ = prepare_output_directory(own, config_.file, arguments_.overwrite);
    }
  }

  void write_results() {
    if (writes_) {
      write_summary(out_ / "summary.json", summaries_);
      write_models(out_ / "model.json", models_);
    }
  }

  void describe_problem() {
    const Experiment& e = experiment_;
    problem_lines_ = {
        fmt::format("{} on {}", config_.loss.kind, e.data_description),
        fmt::format("set {}, mu {}, L~ {:.6g}", e.set_description, config_.mu, e.problem.smoothness),
        fmt::format("{} graph, {} nodes, {} edges, lambda_max {:.6g}, lambda_2 {:.6g}, rows dealt {}", config_.graph.kind,
                    e.graph.nodes(), e.graph.edges(), e.spectrum.lambda_max, e.spectrum.lambda_2,
                    to_string(config_.data.spec.split.rule)),
    };
    for (const std::string& line : problem_lines_) {
      progress_.say(line);
    }
  }

  /// A method that cannot be made from its keys says so without knowing the file that they are from.
  [[nodiscard]] std::unique_ptr<Method> make_method(const MethodConfig& config, const MethodContext& context) const {
    try {
      return config.make(context);
    } catch (const UsageError& error) {
      const std::string what = error.what();
      throw UsageError(what.starts_with(config_.file) ? what : config_.file + ": " + what);
    }
  }

  void run_method(const MethodConfig& config) {
    Network& network = *experiment_.network;
    network.meters() = Meters(network.local_nodes());
    MethodContext context{experiment_.problem, network, experiment_.spectrum.lambda_max, config_.seed,
                          wanted_accuracy(config_, optimum_, start_value_)};
    const std::unique_ptr<Method> method = make_method(config, context);
    RunOptions options;
    options.every = config_.output.every;
    options.stop = config_.stop;
    options.reference_optimum = optimum_;
    options.interrupted = interrupted;
    std::vector<Record> records;
    options.on_record = [&](const Record& record) {
      if (trace_) {
        trace_->append(config.name, config.label, record);
      }
      progress_.record(record);
      records.push_back(record);
    };
    options.on_step = [&](int step, double) {
      progress_.step(step);
      if (experiment_.ledger) {
        experiment_.ledger->begin_step(step + 1);
      }
    };
    progress_.begin(config.label, config.outer_steps, 0);
    if (experiment_.ledger) {
      experiment_.ledger->begin_step(1);
    }
    RunResult result;
    try {
      result = slidemesh::run(*method, experiment_.problem, network, options);
    } catch (const PeerLostError&) {
      keep_what_there_is(config, records);
      throw;
    }
    progress_.end();
    keep(config, result, *method, std::move(records));
  }

  /// After a peer was lost nobody may be asked for anything: what the records have must do.
  void keep_what_there_is(const MethodConfig& config, const std::vector<Record>& records) {
    progress_.end();
    RunSummary summary;
    summary.method = config.name;
    summary.label = config.label;
    summary.status = Status::kPeerLost;
    summary.last = records.empty() ? Record{} : records.back();
    summary.rows = experiment_.rows;
    summary.objective_at_start = start_value_;
    summary.settings = config.settings;
    summaries_.push_back(std::move(summary));
    write_results();
  }

  void keep(const MethodConfig& config, const RunResult& result, Method& method, std::vector<Record> records) {
    RunSummary summary;
    summary.method = config.name;
    summary.label = config.label;
    summary.status = result.status;
    summary.last = result.last;
    summary.rows = experiment_.rows;
    summary.objective_at_start = start_value_;
    summary.nodes = experiment_.network->control_node_meters();
    summary.settings = config.settings;
    summaries_.push_back(summary);

    Model model;
    model.label = config.label;
    model.method = config.name;
    model.rows = experiment_.problem.set->matrix_rows();
    model.columns = experiment_.problem.set->matrix_columns();
    experiment_.network->control_mean(method.output(), model.parameters);
    model.loss = config_.loss.kind;
    model.set = experiment_.set_description;
    model.mu = config_.mu;
    model.label_values = experiment_.labels.values;
    models_.push_back(std::move(model));
    report_runs_.push_back({std::move(summary), std::move(records)});
  }

  void write_page() {
    constexpr Index kDrawSpectrumUpTo = 1000;
    ReportInput input;
    input.name = out_.filename().string();
    input.title = input.name;
    input.problem = problem_lines_;
    input.runs = report_runs_;
    ReportNetwork network{config_.graph.kind, experiment_.graph, {}};
    if (experiment_.graph.nodes() <= kDrawSpectrumUpTo) {
      const Vector spectrum = full_laplacian_spectrum(experiment_.graph);
      network.eigenvalues.assign(spectrum.data(), spectrum.data() + spectrum.size());
    }
    input.networks.push_back(std::move(network));
    input.configs.emplace_back("config.toml", config_.text);
    write_context(out_ / "context.json", input);
    write_report(out_ / "report.html", input);
  }

  void tell() {
    if (!arguments_.quiet && is_first_process()) {
      progress_.end();
      fmt::print("{}\nresults {}\npicture {}\n", cost_table(summaries_), out_.string(), (out_ / "report.html").string());
    }
  }

  [[nodiscard]] ExitCode exit_code() const {
    const bool stopped = interrupted() || std::any_of(summaries_.begin(), summaries_.end(), [](const RunSummary& run) {
                           return run.status == Status::kTimeLimit || run.status == Status::kInterrupted ||
                                  run.status == Status::kBudgetReached;
                         });
    return stopped ? ExitCode::kStopped : ExitCode::kOk;
  }

  const RunArguments& arguments_;
  Config config_;
  Progress progress_;
  bool writes_ = true;
  std::filesystem::path out_;
  std::optional<TraceWriter> trace_;
  Experiment experiment_;
  std::optional<double> optimum_;
  double start_value_ = 0.0;
  std::vector<std::string> problem_lines_;
  std::vector<RunSummary> summaries_;
  std::vector<Model> models_;
  std::vector<ReportRun> report_runs_;
};

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Train as a config says; write summary, trace, model and a report");
  auto arguments = std::make_shared<RunArguments>();
  command->add_option("CONFIG", arguments->config, "A TOML file; docs/config.md has every key")->required();
  command->add_option("--set", arguments->overrides, "Change a key: --set problem.mu=0.5 --set method.0.R=0.1")
      ->type_name("KEY=VALUE");
  command->add_option("--out", arguments->out, "Where the results go; without it a new directory under runs/");
  command->add_flag("--overwrite", arguments->overwrite, "Replace the results of an earlier run in --out");
  command->add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  command->footer("Examples:\n  slidemesh run quickstart.toml\n  slidemesh run my.toml --set data.rows=5000 --set method.inner=cgs --out runs/mine");
  command->callback([arguments, &action] {
    action = [arguments] { return Session(*arguments, read_config(arguments->config, arguments->overrides)).run(); };
  });
}

}  // namespace slidemesh::app

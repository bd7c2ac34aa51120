#include <fmt/format.h>

#include <string>
#include <vector>

#include "commands.h"
#include "config_file.h"
#include "exit_code.h"
#include "interrupt.h"
#include "mpi_job.h"
#include "progress.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/text.h"
#include "slidemesh/session/session.h"

namespace slidemesh::app {

namespace {

struct RunArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string out;
  bool resume = false;
  bool overwrite = false;
  bool quiet = false;
  bool json = false;
};

ExitCode run(const RunArguments& arguments) {
  const Config config = read_config(arguments.config, arguments.overrides);
  Progress progress(arguments.quiet || arguments.json || !is_first_process());
  if (config.data.cv > 0) {
    progress.warn(fmt::format("data.cv: run trains once, on all rows; slidemesh path {} holds out each of {} parts",
                              arguments.config, config.data.cv));
  }
  SessionOptions options;
  options.out = arguments.out;
  options.resume = arguments.resume;
  options.overwrite = arguments.overwrite;
  options.job = {mpi_job(), interrupted};
  catch_interrupts();
  const SessionResult result = run_session(config, options, progress);
  if (arguments.json && is_first_process()) {
    fmt::print("{}", read_text(result.directory / "summary.json"));
  } else if (!arguments.quiet && is_first_process()) {
    fmt::print("results {}\npicture {}\n", result.directory.string(), (result.directory / "report.html").string());
  }
  if (result.interrupted && !result.directory.empty()) {
    const auto as_typed = [](const std::string& assignment) { return fmt::format("--set '{}' ", assignment); };
    progress.warn(fmt::format("interrupted; to go on: slidemesh run {} {}--out {} --resume", arguments.config,
                              text::joined(arguments.overrides, "", as_typed), result.directory.string()));
  }
  return exit_code(result);
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command(app, "run", "Train as a config says; write summary, trace, model and a report", action, run);
  command->add_option("CONFIG", arguments->config, "A TOML file; docs/config.md has every key")->required();
  command->add_option("--set", arguments->overrides, "Change a key: --set problem.mu=0.5 --set method.0.R=0.1")
      ->type_name("KEY=VALUE");
  command->add_option("--out", arguments->out, "Where the results go; without it a new directory under runs/");
  command->add_flag("--resume", arguments->resume, "Go on with the run in --out where it was stopped or killed");
  command->add_flag("--overwrite", arguments->overwrite,
                    "Replace the results of an earlier run, in --out or in the directory under runs/");
  command->add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  command->add_flag("--json", arguments->json, "Print summary.json instead of a table, and nothing else");
  command->footer(
      "Examples:\n  slidemesh run quickstart.toml\n  slidemesh run my.toml --set data.rows=5000 --set method.inner=cgs "
      "--out runs/mine");
}

}  // namespace slidemesh::app

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "commands.h"
#include "config_file.h"
#include "interrupt.h"
#include "progress.h"
#include "radius_path.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/session/session.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

struct PathArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::vector<double> radii;
  int points = 10;
  double low = 0.0;
  double high = 0.0;
  std::string out;
  bool overwrite = false;
  bool json = false;
  bool quiet = false;
};

constexpr double kDefaultHoldout = 0.2;

/// The radius that the config has.
double radius_of(const Config& config) {
  const auto found = config.set.parameters.find("radius");
  const auto* radius = found == config.set.parameters.end() ? nullptr : std::get_if<double>(&found->second);
  require<UsageError>(radius != nullptr, config.file + ": problem.set", "a set with a radius", config.set.kind);
  return *radius;
}

std::vector<double> radii_of(const PathArguments& arguments, const Config& config) {
  std::vector<double> radii = arguments.radii;
  if (radii.empty()) {
    const double radius = radius_of(config);
    const double low = arguments.low > 0.0 ? arguments.low : radius / 100.0;
    const double high = arguments.high > 0.0 ? arguments.high : radius * 10.0;
    require<UsageError>(low < high, "--from", "a radius below --to", fmt::format("{:g} and {:g}", low, high));
    radii = spread_radii(low, high, arguments.points);
  }
  std::sort(radii.begin(), radii.end());  // what is found in a small set lies in a larger one: a start for it
  return radii;
}

/// Runs of a path, one after the other.
class PathRunner {
 public:
  PathRunner(const PathArguments& arguments, const Config& config, std::string out)
      : arguments_(arguments), config_(config), out_(std::move(out)), starts_(static_cast<std::size_t>(folds())) {}

  [[nodiscard]] int folds() const { return std::max(config_.data.cv, 1); }

  /// False where it was interrupted.
  bool run(double radius, PathPoint& point) {
    point.radius = radius;
    for (int fold = 0; fold < folds(); ++fold) {
      Config config = config_at(radius, fold);
      Progress progress(true);
      SessionOptions options;
      options.out = fmt::format("{}/radius-{}{}", out_, text::shortest(radius),
                                folds() > 1 ? fmt::format("-fold-{}", fold + 1) : "");
      options.overwrite = arguments_.overwrite;
      options.job.interrupted = interrupted;
      const SessionResult result = run_session(config, options, progress);
      if (result.interrupted || result.runs.empty()) {
        return false;
      }
      point.runs.push_back(result.runs.front());
      starts_[static_cast<std::size_t>(fold)] = std::filesystem::absolute(result.directory / "model.json").string();
    }
    return true;
  }

 private:
  [[nodiscard]] Config config_at(double radius, int fold) const {
    std::vector<std::string> overrides = arguments_.overrides;
    overrides.push_back("problem.set.kind=" + config_.set.kind);
    overrides.push_back("problem.set.radius=" + to_toml(Value{radius}));
    if (const std::string& start = starts_[static_cast<std::size_t>(fold)]; !start.empty()) {
      overrides.push_back("problem.start=" + to_toml(Value{start}));
    }
    if (config_.data.cv == 0 && config_.data.holdout == 0.0 && !config_.data.test) {
      overrides.push_back(fmt::format("data.holdout={}", kDefaultHoldout));
    }
    Config config = read_config(arguments_.config, overrides);
    if (config.data.cv > 0) {
      config.data.spec.hold_out = {static_cast<double>(fold) / config.data.cv,
                                   static_cast<double>(fold + 1) / config.data.cv, config.data.spec.split.seed};
    }
    return config;
  }

  const PathArguments& arguments_;
  const Config& config_;
  std::string out_;
  std::vector<std::string> starts_;  ///< the model of the radius before, by fold
};

void tell(const PathArguments& arguments, const std::vector<PathPoint>& path, const std::string& out) {
  if (arguments.json) {
    fmt::print("{}\n", path_json(path));
    return;
  }
  fmt::print("{}\nbest radius {:.6g}; to train with it on all rows:\n  slidemesh run {} --set problem.set.radius={}\n",
             path_table(path, terminal_width(STDOUT_FILENO)), best_point(path).radius, arguments.config,
             to_toml(Value{best_point(path).radius}));
  fmt::print("results {0}/path.csv\npicture {0}/report.html\n", out);
}

ExitCode follow_path(const PathArguments& arguments) {
  const Config config = read_config(arguments.config, arguments.overrides);
  require<UsageError>(config.methods.size() == 1, arguments.config + ": method", "one method to follow a path with",
                      std::to_string(config.methods.size()));
  const std::vector<double> radii = radii_of(arguments, config);
  const std::string stem = std::filesystem::path(arguments.config).stem().string();
  const std::string out = arguments.out.empty() ? fmt::format("paths/{}", stem) : arguments.out;
  catch_interrupts();
  PathRunner runner(arguments, config, out);
  std::vector<PathPoint> path;
  for (const double radius : radii) {
    PathPoint point;
    if (!runner.run(radius, point)) {
      write_to_log(fmt::format("slidemesh: interrupted at radius {:g}\n", radius));
      return ExitCode::kStopped;
    }
    path.push_back(std::move(point));
    if (!arguments.quiet) {
      write_to_log(fmt::format("radius {:.4g}: held-out {} {:.6g}\n", radius, score_of(path.back()).name,
                               held_out_score(path.back()).mean));
    }
  }
  atomic_write(out + "/path.csv", path_csv(path));
  write_report(out + "/report.html", path_page(path, stem + ": path over radii"));
  tell(arguments, path, out);
  return ExitCode::kOk;
}

}  // namespace

void add_path_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command(app, "path", "Models for a path of radii with warm starts, and which does best on held-out rows",
                  action, follow_path);
  command->add_option("CONFIG", arguments->config, "A config whose set has a radius")->required();
  command->add_option("--set", arguments->overrides, "A key of the config, as in --set data.cv=5; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--radii", arguments->radii, "The radii, with commas between them")
      ->delimiter(',')
      ->check(positive_number());
  command->add_option("--points", arguments->points, "How many radii, each as many times the one before")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--from", arguments->low, "The smallest; without it a hundredth of the config's")
      ->check(positive_number());
  command->add_option("--to", arguments->high, "The largest; without it ten times the config's")
      ->check(positive_number());
  command->add_option("--out", arguments->out, "The directory; without it paths/NAME");
  command->add_flag("--overwrite", arguments->overwrite, "Replace what an earlier path left there");
  command->add_flag("--json", arguments->json, "JSON instead of words");
  command->add_flag("--quiet", arguments->quiet, "No line per radius");
  command->footer(
      "Every model starts from the one before. Rows are held out as data.holdout says (a fifth without it), data.test\n"
      "names others, and data.cv = 5 deals them to five parts, each held out in turn. Judged by log loss, by RMSE, or\n"
      "where there are no probabilities by accuracy. Writes path.csv, report.html and a directory per radius.\n\n"
      "Examples:\n"
      "  slidemesh path clicks.toml\n"
      "  slidemesh path clicks.toml --points 20 --from 0.1 --to 100 --set data.cv=5\n"
      "  slidemesh path clicks.toml --radii 1,2,5,10 --json");
}

}  // namespace slidemesh::app

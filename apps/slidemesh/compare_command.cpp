#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "config_file.h"
#include "interrupt.h"
#include "mpi_job.h"
#include "progress.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/report/report.h"
#include "slidemesh/session/compare.h"

namespace slidemesh::app {

namespace {

constexpr double kDefaultTarget = 1e-4;

struct CompareArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::vector<std::string> methods;
  std::string by = "passes";
  std::string out = "compare.html";
  double target = 0.0;
  double seconds = 5.0;
  bool json = false;
  bool quiet = false;
};

/// At most seven characters: 12.5, 1234, 56.7k, 3.21M.
std::string short_number(double value, bool whole) {
  if (whole && value < 100'000.0) {
    return fmt::format("{:.0f}", value);
  }
  for (const auto& [unit, letter] : {std::pair{1e9, 'G'}, std::pair{1e6, 'M'}, std::pair{1e5, 'k'}}) {
    if (value >= unit) {
      const double scaled = value / (letter == 'k' ? 1e3 : unit);
      return fmt::format("{:.{}f}{}", scaled, scaled < 10.0 ? 2 : scaled < 100.0 ? 1 : 0, letter);
    }
  }
  return fmt::format("{:.{}f}", value, value < 10.0 ? 2 : value < 1000.0 ? 1 : 0);
}

double gap_of(const Compared& compared) {
  return relative_gap(compared.run.summary, compared.run.summary.last).value_or(std::nan(""));
}

/// What a method does not use is no merit: a centre's messages are not charged, and a tree has no rounds.
bool is_used(double cost) { return cost > 0.0; }

/// The cheapest of those that reached the target, in each column.
std::array<double, kCosts.size()> cheapest(const Comparison& comparison) {
  std::array<double, kCosts.size()> best;
  best.fill(std::numeric_limits<double>::infinity());
  for (const Compared& compared : comparison.runs) {
    for (std::size_t c = 0; c < kCosts.size() && compared.reached; ++c) {
      const double cost = kCosts[c].of(comparison, compared.run.summary.last);
      best[c] = is_used(cost) ? std::min(best[c], cost) : best[c];
    }
  }
  return best;
}

std::string table(const Comparison& comparison) {
  const auto best = cheapest(comparison);
  std::string out = fmt::format("{:<18}{:>9}", "method", "gap");
  for (const Cost& cost : kCosts) {
    out += fmt::format("{:>9}", cost.name);
  }
  out += '\n';
  bool short_of = false;
  for (const Compared& compared : comparison.runs) {
    if (!compared.reached && !short_of) {
      out += "not reached within the budget:\n";
      short_of = true;
    }
    out += fmt::format("{:<18}{:>9.1e}", compared.run.summary.label, gap_of(compared));
    for (std::size_t c = 0; c < kCosts.size(); ++c) {
      const double cost = kCosts[c].of(comparison, compared.run.summary.last);
      const std::string text = is_used(cost) ? short_number(cost, kCosts[c].is_count) : "-";
      out += fmt::format("{:>9}", text + (compared.reached && cost == best[c] ? "*" : ""));
    }
    out += '\n';
  }
  for (const auto& [name, why] : comparison.refused) {
    out += fmt::format("does not fit: {}: {}\n", name, why);
  }
  return out + "* the least of those that reached the target; - none, or not charged\n";
}

nlohmann::json as_json(const Comparison& comparison) {
  nlohmann::json runs = nlohmann::json::array();
  for (const Compared& compared : comparison.runs) {
    nlohmann::json run = {{"label", compared.run.summary.label},
                          {"method", compared.run.summary.method},
                          {"status", to_string(compared.run.summary.status)},
                          {"reached", compared.reached},
                          {"relative_gap", gap_of(compared)},
                          {"steps", compared.run.summary.last.step}};
    for (const Cost& cost : kCosts) {
      run[cost.name] = cost.of(comparison, compared.run.summary.last);
    }
    runs.push_back(std::move(run));
  }
  nlohmann::json refused = nlohmann::json::array();
  for (const auto& [name, why] : comparison.refused) {
    refused.push_back({{"label", name}, {"why", why}});
  }
  return {{"schema", kSchema},       {"target", comparison.target}, {"reference_optimum", comparison.optimum},
          {"rows", comparison.rows}, {"runs", std::move(runs)},     {"does_not_fit", std::move(refused)}};
}

ReportSection ranking(const Comparison& comparison, const std::string& by) {
  ReportSection section;
  section.title = "Every method that fits, to one target";
  section.paragraphs = {
      fmt::format("Ranked by {}. A run ends where a relative gap of {:g} is reached, or its time is used up.", by,
                  comparison.target)};
  for (const auto& [name, why] : comparison.refused) {
    section.paragraphs.push_back(fmt::format("{} does not fit: {}", name, why));
  }
  ReportTable costs;
  costs.title = "What it took";
  costs.columns = {"method", "reached", "relative gap"};
  for (const Cost& cost : kCosts) {
    costs.columns.emplace_back(cost.name);
  }
  for (const Compared& compared : comparison.runs) {
    std::vector<Cell> row{compared.run.summary.label, std::string(compared.reached ? "yes" : "no"), gap_of(compared)};
    for (const Cost& cost : kCosts) {
      row.emplace_back(cost.of(comparison, compared.run.summary.last));
    }
    costs.rows.push_back(std::move(row));
  }
  section.tables.push_back(std::move(costs));
  return section;
}

void write_page(const Comparison& comparison, const CompareArguments& arguments) {
  ReportInput page;
  page.title = "Comparison of methods";
  page.name = "compare";
  page.problem = comparison.problem;
  page.networks.push_back(comparison.network);
  page.sections.push_back(ranking(comparison, arguments.by));
  for (const Compared& compared : comparison.runs) {
    page.runs.push_back(compared.run);
  }
  write_report(arguments.out, page);
}

ExitCode compare(const CompareArguments& arguments) {
  require<UsageError>(mpi_job() == nullptr, "compare", "to run alone", "a job of several ranks");
  std::vector<std::string> overrides = arguments.overrides;
  const Config asked = read_config(arguments.config, overrides);
  require<UsageError>(std::ranges::none_of(asked.nodes, [](const auto& node) { return node.set.has_value(); }),
                      arguments.config + ": compare",
                      "one set for all nodes, since F* over an intersection of sets is not computed",
                      "nodes with sets of their own");
  const double target = asked.stop.target_gap.value_or(kDefaultTarget);
  overrides.push_back(fmt::format("stop.target_gap={}", arguments.target > 0.0 ? arguments.target : target));
  // Read again, since lengths and tolerances of methods go by the target.
  const Config config = read_config(arguments.config, overrides);
  Progress progress(arguments.quiet || arguments.json);
  catch_interrupts();
  Comparison comparison = compare_methods(config, {arguments.methods, arguments.seconds, interrupted}, progress);
  progress.end();
  rank(comparison, *std::ranges::find(kCosts, arguments.by, &Cost::name));
  if (!arguments.out.empty()) {
    write_page(comparison, arguments);
  }
  if (arguments.json) {
    fmt::print("{}\n", as_json(comparison).dump(1));
  } else {
    fmt::print("{}", table(comparison));
    fmt::print("{}", arguments.out.empty() ? "" : fmt::format("picture {}\n", arguments.out));
  }
  return interrupted() ? ExitCode::kStopped : ExitCode::kOk;
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command(app, "compare", "Every method that fits a config's problem, to one target, ranked by what it took",
                  action, compare);
  command->add_option("CONFIG", arguments->config, "A TOML file; its [[method]] tables give methods keys")->required();
  command->add_option("--set", arguments->overrides, "Change a key: --set problem.mu=0.5")->type_name("KEY=VALUE");
  command->add_option("--methods", arguments->methods, "Only these, separated by commas")->delimiter(',');
  command->add_option("--target", arguments->target, "The relative gap; without it the config's, or 1e-4")
      ->check(positive_number());
  command->add_option("--seconds", arguments->seconds, "What each method may take")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--by", arguments->by, "What to rank by")
      ->check(CLI::IsMember(names_of(kCosts)))
      ->capture_default_str();
  command->add_option("--out", arguments->out, "The page with the picture; \"\": none")->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the ranking as JSON");
  command->add_flag("--quiet", arguments->quiet, "Print nothing but the table and errors");
  command->footer("Example:\n  slidemesh compare quickstart.toml --target 1e-3 --by hops");
}

}  // namespace slidemesh::app

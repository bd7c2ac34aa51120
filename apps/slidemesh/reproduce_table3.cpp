// Table 3 of the paper: gradient evaluations to one target loss over four graphs of 100 nodes.
//
// The paper's target, a loss of 70, depends on its data; here it is 1 % of F(0) - F* together with
// consensus, |x - x̄| / |x̄| of at most 1 %, without which a "solution" may be a hundred different ones.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/base/text.h"
#include "workbench.h"

namespace slidemesh::app {

namespace {

constexpr Index kNodes = 100;
constexpr double kTargetGap = 0.01;
constexpr double kConsensus = 0.01;
constexpr double kRatio = 4.0;  ///< R |A| / L~
constexpr int kMostIpdsSteps = 300;
constexpr int kMostDefwSteps = 5000;

struct GraphRow {
  std::string name;
  std::string kind;
  std::string paper_defw, paper_ipds;
};

const std::vector<GraphRow>& graphs() {
  static const std::vector<GraphRow> rows = {
      {"Erdős–Rényi, p = 0.1", "erdos-renyi", ">= 10^6", "866"},
      {"path", "path", ">= 10^6", "865"},
      {"barbell", "barbell", ">= 10^6", "865"},
      {"complete", "complete", ">= 10^6", "865"},
  };
  return rows;
}

bool reached(const Point& point) { return point.relative_gap <= kTargetGap && point.disagreement <= kConsensus; }

/// A method that table 3 compares, by its name and how it is made for a case.
struct Contender {
  std::string name;
  std::string GraphRow::*paper;  ///< its figure in the paper, if there is one
  int every;
  std::function<std::unique_ptr<Method>(const Case&)> make;
};

std::unique_ptr<Method> make_ipds(const Case& c, Gossip gossip) {
  IpdsOptions options;
  options.outer_steps = kMostIpdsSteps;
  options.gossip = gossip;
  options.laplacian_lambda_max = c.spectrum.lambda_max;
  const double norm = gossip == Gossip::kLaplacian ? c.spectrum.lambda_max : std::sqrt(c.spectrum.lambda_max);
  options.R = kRatio * c.problem.smoothness / norm;
  return std::make_unique<Ipds>(c.problem, *c.network, options);
}

std::vector<Contender> contenders() {
  return {
      {"I-PDS, sqrt-laplacian", nullptr, 1, [](const Case& c) { return make_ipds(c, Gossip::kSqrtLaplacian); }},
      {"I-PDS, laplacian (the paper's)", &GraphRow::paper_ipds, 1,
       [](const Case& c) { return make_ipds(c, Gossip::kLaplacian); }},
      {"I-PDS, restarted (not in the paper)", nullptr, 1,
       [](const Case& c) -> std::unique_ptr<Method> {
         IpdsRestartedOptions options;
         options.outer_steps = kMostIpdsSteps;
         options.laplacian_lambda_max = c.spectrum.lambda_max;
         return std::make_unique<IpdsRestarted>(c.problem, *c.network, options);
       }},
      {"DeFW", &GraphRow::paper_defw, 10,
       [](const Case& c) -> std::unique_ptr<Method> {
         DefwOptions options;
         options.outer_steps = kMostDefwSteps;
         return std::make_unique<Defw>(c.problem, *c.network, options);
       }},
  };
}

std::string passes_text(const Point& end) { return fmt::format("{}{:.0f}", reached(end) ? "" : "> ", end.passes()); }

Cell passes_cell(const Point& end) { return reached(end) ? Cell(end.passes()) : Cell(passes_text(end)); }

/// Largest over smallest of the passes, where all graphs reached the target.
Cell spread(const std::vector<Point>& ends) {
  if (!std::ranges::all_of(ends, reached)) {
    return "not reached on all";
  }
  const auto [least, most] = std::ranges::minmax(ends, {}, &Point::passes);
  return most.passes() / least.passes();
}

/// One method with one split on the four graphs, a row of the table each.
std::vector<Point> run_graphs(Workbench& bench, const Contender& contender, SplitRule split, ReportTable& table) {
  std::vector<Point> ends;
  for (const GraphRow& graph : graphs()) {
    Case c = bench.make_case({.graph = graph.kind, .nodes = kNodes, .p = 0.1, .split = split});
    const auto method = contender.make(c);
    const std::string label = fmt::format("table 3: {}, {}, {}", contender.name, graph.kind, to_string(split));
    const Point& last = ends.emplace_back(follow(bench, label, c, *method, contender.every, reached).back());
    table.rows.push_back({contender.name, std::string(to_string(split)), graph.name, passes_cell(last),
                          last.meters.data_oracle_calls, last.meters.communication_rounds, last.relative_gap,
                          last.disagreement, contender.paper != nullptr ? graph.*contender.paper : "-"});
  }
  return ends;
}

const std::vector<std::string>& paragraphs() {
  static const std::vector<std::string> text = {
      fmt::format("Target: F(x̄) - F* at most 1 % of F(0) - F*, and |x - x̄| / |x̄| at most 1 %. I-PDS with the paper's "
                  "step sizes, "
                  "R |A| / L~ = {:g} and the projection inside; at most {} outer steps. DeFW with Metropolis weights, "
                  "looked at every "
                  "10 steps; at most {}. A pass is 20,000 data-oracle calls; the paper's column is as printed, for its "
                  "own target.",
                  kRatio, kMostIpdsSteps, kMostDefwSteps),
      "What holds: with A = Lap^(1/2) (sqrt-laplacian) the number of passes is the same on all four graphs, as the "
      "paper claims. What "
      "does not: with the paper's own A = Lap the step sizes see |A| = lambda_max alone, consensus comes at the rate "
      "of the squared "
      "condition number, and badly connected graphs need more. DeFW's counts spread by far more than either: few "
      "passes where one "
      "exchange averages everything, very many on a path."};
  return text;
}

}  // namespace

Part reproduce_table3(Workbench& bench) {
  Part part;
  part.section.title = "Table 3: one target, four graphs of 100 nodes";
  part.section.paragraphs = paragraphs();
  ReportTable table;
  table.title = "Passes over the data to the target";
  table.columns = {"method",
                   "split",
                   "graph",
                   "passes",
                   "data-oracle calls",
                   "rounds",
                   "relative gap",
                   "disagreement",
                   "paper's gradient evaluations"};
  ReportTable spreads;
  spreads.title = "Spread over the four graphs";
  spreads.columns = {"method", "split", "largest / smallest number of passes"};
  for (const Contender& contender : contenders()) {
    std::string found;
    for (const SplitRule split : {SplitRule::kContiguous, SplitRule::kByLabel}) {
      const std::vector<Point> ends = run_graphs(bench, contender, split, table);
      spreads.rows.push_back({contender.name, std::string(to_string(split)), spread(ends)});
      found +=
          fmt::format("{}{} {}", found.empty() ? "" : "; ", text::joined(ends, ", ", passes_text), to_string(split));
    }
    part.findings.push_back(
        fmt::format("Table 3, {}: passes on Erdős–Rényi, path, barbell, complete: {}.", contender.name, found));
  }
  part.section.tables = {std::move(table), std::move(spreads)};
  return part;
}

}  // namespace slidemesh::app

// The appendix's table of spectral gaps, measured over growing graphs.
//
// Two gaps are measured. Lap: lambda_2 / lambda_max of the Laplacian, on which the rounds of I-PDS
// depend. W: 1 - lambda_2 of the Metropolis weights, on which DeFW's steps depend. The paper quotes
// orders from the literature; on four of its five graphs the graph itself does otherwise.

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <optional>

#include "interrupt.h"
#include "slidemesh/algorithms/mixing.h"
#include "slidemesh/base/fail.h"
#include "workbench.h"

namespace slidemesh::app {

namespace {

constexpr int kDraws = 3;        ///< of the random kinds; the geometric mean counts
constexpr double kAgrees = 0.3;  ///< how far a fitted exponent may be from the paper's and still confirm it

/// Two cliques of a third of the nodes each and a bar of the rest: what Aldous and Fill call a barbell.
Graph long_barbell(Index nodes) {
  const Index third = nodes / 3;
  std::vector<Edge> edges;
  for (const Index first : {Index{0}, nodes - third}) {
    for (Index i = first; i < first + third; ++i) {
      for (Index j = i + 1; j < first + third; ++j) {
        edges.emplace_back(i, j);
      }
    }
  }
  for (Index i = third - 1; i < nodes - third; ++i) {
    edges.emplace_back(i, i + 1);
  }
  return {nodes, edges};
}

/// Two rings, rung by rung: as badly connected as a graph of three neighbours each can be, but for a constant.
Graph prism(Index nodes) {
  const Index half = nodes / 2;
  std::vector<Edge> edges;
  for (Index i = 0; i < half; ++i) {
    edges.emplace_back(i, (i + 1) % half);
    edges.emplace_back(half + i, half + (i + 1) % half);
    edges.emplace_back(i, half + i);
  }
  return {nodes, edges};
}

struct Topology {
  std::string name;
  std::string paper;                          ///< as printed
  std::function<double(double nodes)> order;  ///< the same as a function; none where the paper has no such row
  bool random;
  std::function<Graph(Index nodes, std::uint64_t seed)> make;
  std::string why;  ///< what to say of the outcome
};

std::vector<Topology> topologies() {
  const auto kind = [](const char* name) {
    return [name](Index nodes, std::uint64_t seed) { return make_graph({.kind = name, .nodes = nodes, .seed = seed}); };
  };
  const auto power = [](double exponent) { return [exponent](double m) { return std::pow(m, exponent); }; };
  return {
      {"chain", "1/m^2", power(-2.0), false, kind("path"), "as the paper says"},
      {"star", "1/m^2", power(-2.0), false, kind("star"),
       "1/m exactly: Lap has eigenvalues 1 and m, and Metropolis weights are I - Lap/m"},
      {"geometric", "1/(m log m)", [](double m) { return 1.0 / (m * std::log(m)); }, true, kind("geometric"),
       "with the radius sqrt(2 log m / m) that keeps it connected, about log m / m: the logarithm is above, not below"},
      {"barbell, two cliques and an edge", "1/m^3", power(-3.0), false, kind("barbell"),
       "8/m^2: with lambda_2 of about 4/m and lambda_max of about m/2"},
      {"barbell with a bar of m/3 nodes", "1/m^3", power(-3.0), false,
       [](Index nodes, std::uint64_t) { return long_barbell(nodes); },
       "the graph of the book that the paper cites; 1/m^3 holds for it"},
      {"cubic, drawn at random", "1/m^2", power(-2.0), true, kind("cubic"),
       "an expander: its gap does not close at all"},
      {"cubic, two rings and rungs", "1/m^2", power(-2.0), false,
       [](Index nodes, std::uint64_t) { return prism(nodes); }, "the worst case of three neighbours each"},
      {"complete (not in the paper)", "none", nullptr, false, kind("complete"), "for scale: the gap is 1"},
  };
}

double laplacian_gap(const Graph& graph) {
  const Spectrum spectrum = laplacian_spectrum(graph);
  return spectrum.lambda_2 / spectrum.lambda_max;
}

double mixing_gap(const Graph& graph) {
  const MixingWeights w = mixing_weights(graph, Weights::kMetropolis);
  Matrix dense = Matrix::Zero(graph.nodes(), graph.nodes());
  for (Index i = 0; i < graph.nodes(); ++i) {
    dense(i, i) = w.diagonal(i);
    std::size_t e = 0;
    for (const Index j : graph.neighbours(i)) {
      dense(i, j) = w.edge[static_cast<std::size_t>(i)][e++];
    }
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(dense, Eigen::EigenvaluesOnly);
  return 1.0 - solver.eigenvalues()(graph.nodes() - 2);
}

struct Measured {
  std::vector<double> nodes, laplacian, mixing;
};

Measured measure_topology(const Topology& topology, Progress& progress) {
  Measured measured;
  for (const Index nodes : {48, 96, 192, 384, 768}) {
    const int draws = topology.random ? kDraws : 1;
    double laplacian = 0.0;
    double mixing = 0.0;
    for (int draw = 1; draw <= draws; ++draw) {
      progress.passing(fmt::format("spectral gaps: {}, {} nodes", topology.name, nodes));
      require<StoppedError>(!interrupted(), "interrupted", "to finish the spectral gaps", "a signal");
      const Graph graph = topology.make(nodes, static_cast<std::uint64_t>(draw));
      laplacian += std::log(laplacian_gap(graph)) / draws;
      mixing += std::log(mixing_gap(graph)) / draws;
    }
    measured.nodes.push_back(static_cast<double>(nodes));
    measured.laplacian.push_back(std::exp(laplacian));
    measured.mixing.push_back(std::exp(mixing));
  }
  return measured;
}

/// The slope that the paper's order has over the same numbers of nodes.
std::optional<double> paper_slope(const Topology& topology, const std::vector<double>& nodes) {
  if (!topology.order) {
    return std::nullopt;
  }
  std::vector<double> gaps(nodes.size());
  std::transform(nodes.begin(), nodes.end(), gaps.begin(), topology.order);
  return log_log_slope(nodes, gaps);
}

std::string verdict(const std::optional<double>& paper, double laplacian, double mixing) {
  if (!paper) {
    return "-";
  }
  const bool lap = std::abs(laplacian - *paper) <= kAgrees;
  const bool w = std::abs(mixing - *paper) <= kAgrees;
  return lap && w ? "agrees" : (lap ? "agrees for the Laplacian" : (w ? "agrees for Metropolis" : "contradicts"));
}

/// A fit means no more digits than these.
double rounded(double slope) { return std::round(slope * 1000.0) / 1000.0 + 0.0; }

ReportChart gap_chart(const std::string& title) {
  return {.title = title, .x_label = "nodes m", .y_label = "gap", .log_x = true};
}

}  // namespace

Part reproduce_spectral_gaps(Progress& progress) {
  Part part;
  part.section.title = "Appendix: spectral gaps of graphs that grow";
  part.section.paragraphs = {
      "The paper lists gaps as orders in the number of nodes m, without saying of which matrix. "
      "Measured here: "
      "lambda_2 / lambda_max of the Laplacian (what the rounds of I-PDS see) and 1 - lambda_2 of the Metropolis "
      "weights (what DeFW "
      "sees), for m = 48 to 768; the exponent is the slope of log gap over log m. Random graphs are the geometric mean "
      "of three."};
  ReportTable table;
  table.title = "Fitted exponents of m";
  table.columns = {
      "graph",   "paper", "paper's exponent", "measured, Laplacian", "measured, Metropolis", "Laplacian gap at m = 768",
      "verdict", "why"};
  ReportChart laplacian = gap_chart("Laplacian: lambda_2 / lambda_max");
  ReportChart mixing = gap_chart("Metropolis weights: 1 - lambda_2");
  std::vector<std::string> contradicted;
  for (const Topology& topology : topologies()) {
    const Measured m = measure_topology(topology, progress);
    const double lap_slope = rounded(log_log_slope(m.nodes, m.laplacian));
    const double mix_slope = rounded(log_log_slope(m.nodes, m.mixing));
    const std::optional<double> paper = paper_slope(topology, m.nodes);
    const std::string says = verdict(paper, lap_slope, mix_slope);
    table.rows.push_back({topology.name, topology.paper, paper ? Cell(rounded(*paper)) : Cell(std::string("-")),
                          lap_slope, mix_slope, m.laplacian.back(), says, topology.why});
    laplacian.series.push_back({topology.name, m.nodes, m.laplacian});
    mixing.series.push_back({topology.name, m.nodes, m.mixing});
    if (says == "contradicts") {
      contradicted.push_back(
          fmt::format("{} ({:.2f} measured, {:.2f} in the paper)", topology.name, lap_slope, *paper));
    }
  }
  part.section.tables.push_back(std::move(table));
  part.section.charts = {std::move(laplacian), std::move(mixing)};
  part.findings.push_back(fmt::format("Spectral gaps: the measured exponent contradicts the paper's for {}.",
                                      fmt::join(contradicted, "; ")));
  return part;
}

}  // namespace slidemesh::app

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/data/feature_map.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/session/run.h"
#include "slidemesh/session/solve.h"
#include "slidemesh/sets/registry.h"

namespace slidemesh::test {

inline constexpr Index kToyNodes = 10;

inline Graph toy_graph(const std::string& kind, Index nodes = kToyNodes) {
  GraphSpec spec;
  spec.kind = kind;
  spec.nodes = nodes;
  return make_graph(spec);
}

/// Logistic regression over an l1 ball on 30 generated rows per node; this process's part of it.
inline Problem toy_problem(Network& network) {
  SyntheticOptions options;
  options.rows = 30 * network.nodes();
  options.features = 22;
  Rows rows = make_synthetic(options);
  Index classes = 0;
  prepare_labels(rows, LabelKind::kBinary, classes, "generated data");
  const std::shared_ptr<const FeasibleSet> set = make_set({"l1-ball", {{"radius", 5.0}}}, rows.features);
  const Partition partition = split_rows(rows.labels, network.nodes());
  const auto table = std::make_shared<const Rows>(std::move(rows));
  const auto sources = node_sources(table, partition, network.first_node(), network.local_nodes());
  Problem problem = make_problem(row_objectives(sources, std::make_shared<Logistic>()), set, 0.0, network);
  network.meters() = Meters(network.local_nodes());
  return problem;
}

inline IpdsOptions toy_options(const Graph& graph) {
  IpdsOptions options;
  options.outer_steps = 6;
  options.tolerance = 0.05;
  options.laplacian_lambda_max = laplacian_spectrum(graph).lambda_max;
  return options;
}

struct ToyRun {
  Stacked output;  ///< all columns of the control's scope
  std::vector<Record> records;
};

inline ToyRun run_toy(const Control& control, const IpdsOptions& options) {
  Network& network = control.network();
  const Problem problem = toy_problem(network);
  Ipds method(problem, network, options);
  ToyRun toy;
  RunOptions run_options;
  run_options.every = 3;
  run_options.on_record = [&](const Record& record) { toy.records.push_back(record); };
  run(method, problem, control, run_options);
  control.gather(method.output(), toy.output);
  return toy;
}

}  // namespace slidemesh::test

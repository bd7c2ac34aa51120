#include "workbench.h"

#include <fmt/format.h>

#include <cmath>

#include "interrupt.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/feature_map.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/losses/logistic.h"
#include "slidemesh/session/reference_optimum.h"
#include "slidemesh/session/solve.h"
#include "slidemesh/sets/norm_balls.h"

namespace slidemesh::app {

namespace {

constexpr double kReferenceAccuracy = 1e-9;  ///< the finest target of any experiment is 1e-4

void stop_if_interrupted() {
  require<StoppedError>(!interrupted(), "interrupted", "to finish the experiments", "a signal");
}

Rows read_data(const std::string& data) {
  Rows rows = read_libsvm(data, {.max_rows = kRows});
  require<DataError>(rows.count() >= kRows, data, fmt::format("at least {} rows", kRows), std::to_string(rows.count()));
  Index classes = 0;
  prepare_labels(rows, LabelKind::kBinary, classes, data);
  return rows;
}

}  // namespace

Workbench::Workbench(const std::string& data, Progress& progress) : progress_(progress), generated_(data.empty()) {
  Rows rows;
  if (generated_) {
    rows = make_synthetic({.rows = kRows});
    description_ = fmt::format("generated stand-in for ijcnn1, {} rows x {} features", rows.count(), rows.features);
  } else {
    rows = read_data(data);
    description_ = fmt::format("{}, first {} rows x {} features", std::filesystem::path(data).filename().string(),
                               rows.count(), rows.features);
  }
  choose_storage(rows);
  rows_ = std::make_shared<const Rows>(std::move(rows));
}

Problem Workbench::make_problem(Index nodes, SplitRule split, double mu) const {
  const Partition partition = split_rows(rows_->labels, nodes, {.rule = split});
  return slidemesh::make_problem(
      row_objectives(node_sources(rows_, partition, 0, nodes), std::make_shared<const Logistic>()),
      std::make_shared<const L1Ball>(rows_->features, kRadius), mu);
}

double Workbench::mean_optimum(double mu) {
  const auto known = mean_optimum_.find(mu);
  if (known != mean_optimum_.end()) {
    return known->second;
  }
  const Problem problem = make_problem(1, SplitRule::kContiguous, mu);
  InProcessNetwork alone(Graph(1, {}));
  ReferenceOptions options;
  options.relative_accuracy = kReferenceAccuracy;
  options.interrupted = interrupted;
  options.on_progress = [&](int iteration, double accuracy) {
    progress_.passing(fmt::format("optimum for mu = {}: iteration {}, certain to {:.1e}", mu, iteration, accuracy));
  };
  const ReferenceOptimum optimum = reference_optimum(problem, alone, options);
  stop_if_interrupted();
  mean_optimum_[mu] = optimum.value;
  return optimum.value;
}

Case Workbench::make_case(const Setting& setting) {
  const Graph graph = make_graph({.kind = setting.graph, .nodes = setting.nodes, .p = setting.p});
  Case c;
  c.spectrum = laplacian_spectrum(graph);
  c.network = std::make_unique<InProcessNetwork>(graph);
  c.problem = make_problem(setting.nodes, setting.split, setting.mu);
  c.optimum = static_cast<double>(setting.nodes) * mean_optimum(setting.mu);
  c.start_value = objective(c.problem, *c.network, c.problem.start);
  return c;
}

std::vector<Point> follow(Workbench& bench, const std::string& label, Case& c, Method& method, int every,
                          const std::function<bool(const Point&)>& enough) {
  c.network->meters() = Meters(c.network->local_nodes());
  std::vector<Point> points;
  while (!method.finished()) {
    method.step();
    stop_if_interrupted();
    if (method.steps_done() % every != 0 && !method.finished()) {
      continue;
    }
    const Measures measures = measure(c.problem, *c.network, method.output());
    const double value = *measures.objective_at_average;
    const Point& point = points.emplace_back(Point{method.steps_done(), c.relative_gap(value), value - c.optimum,
                                                   measures.relative_disagreement, c.network->meters().totals()});
    bench.progress().passing(fmt::format("{}: step {}, relative gap {:.2e}", label, point.step, point.relative_gap));
    if (enough && enough(point)) {
      break;
    }
  }
  const Point& last = points.back();
  bench.progress().say(fmt::format("{}: {} steps, {:.1f} passes, relative gap {:.2e}", label, last.step, last.passes(),
                                   last.relative_gap));
  return points;
}

IpdsOptions affordable_cgs(const Case& c, int most_steps, double tolerance, Count most_inner_steps) {
  IpdsOptions options;
  options.outer_steps = most_steps;
  options.laplacian_lambda_max = c.spectrum.lambda_max;
  options.inner = "cgs";
  options.tolerance = tolerance;
  options.outer_steps = longest_schedule(schedule_parameters(c.problem, options), most_steps, most_inner_steps);
  return options;
}

double log_log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / n;
    mean_y += std::log(y[i]) / n;
  }
  double covariance = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    covariance += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    variance += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return covariance / variance;
}

}  // namespace slidemesh::app

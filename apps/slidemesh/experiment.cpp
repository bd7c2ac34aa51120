#include "experiment.h"

#include <fmt/format.h>

#include <variant>

#include "job.h"
#include "slidemesh/io/libsvm.h"

namespace slidemesh::app {

namespace {

/// Relative paths in a config start where the config is.
std::filesystem::path beside_config(const Config& config, const std::filesystem::path& path) {
  return path.is_absolute() ? path : std::filesystem::path(config.file).parent_path() / path;
}

Rows read_rows(const Config& config, std::string& description) {
  if (config.data.source == "synthetic") {
    Rows rows = make_synthetic(config.data.synthetic);
    description = fmt::format("generated {} data, {} rows x {} features", to_string(config.data.synthetic.kind),
                              rows.count(), rows.features);
    return rows;
  }
  LibsvmOptions options;
  options.max_rows = config.data.rows;
  options.features = config.data.features;
  const auto path = beside_config(config, config.data.path);
  Rows rows = read_libsvm(path, options);
  if (config.data.rows > rows.count()) {
    throw DataError(fmt::format("{}: expected {} rows (data.rows), got {}", path.string(), config.data.rows, rows.count()));
  }
  description = fmt::format("{}, {} rows x {} features", path.filename().string(), rows.count(), rows.features);
  return rows;
}

std::string describe_set(const SetSpec& spec) {
  std::string text = spec.kind;
  for (const auto& [key, value] : spec.parameters) {
    if (const auto* number = std::get_if<double>(&value)) {
      text += fmt::format(", {} {}", key, *number);
    }
  }
  return text;
}

void require_feasible_start(const Problem& problem) {
  if (!problem.set->contains(problem.start)) {
    throw InternalError("the set's own starting point is not in the set");
  }
}

}  // namespace

Experiment build_experiment(const Config& config) {
  Experiment e;
  GraphSpec graph = config.graph;
  graph.path = beside_config(config, graph.path);
  e.graph = make_graph(graph);
  e.spectrum = laplacian_spectrum(e.graph);
  e.network = make_network(config, e.graph);

  Rows rows = read_rows(config, e.data_description);
  LossSpec loss = config.loss;
  const std::string where = config.data.source == "synthetic" ? "generated data" : config.data.path.string();
  const LabelKind kind = make_loss(loss.kind == "softmax" && loss.classes == 0 ? LossSpec{"softmax", 1.0, 1.0, 2} : loss)->label_kind();
  Index classes = 0;
  e.labels = prepare_labels(rows, kind, classes, where);
  if (loss.kind == "softmax") {
    if (loss.classes != 0 && loss.classes != classes) {
      throw DataError(fmt::format("{}: expected {} classes (problem.classes), got {}", where, loss.classes, classes));
    }
    loss.classes = classes;
  }
  const auto model_loss = make_loss(loss);
  choose_storage(rows);
  e.rows = rows.count();
  e.features = rows.features;

  const Index matrix_rows = loss.kind == "matrix-completion" && config.data.source == "synthetic"
                                ? config.data.synthetic.matrix_rows
                                : (model_loss->outputs() > 1 ? rows.features : 0);
  e.problem.set = make_set(config.set, rows.features * model_loss->outputs(), matrix_rows);
  e.set_description = describe_set(config.set);
  e.problem.mu = config.mu;
  const Partition partition = split_rows(rows.labels, e.graph.nodes(), config.data.split);
  const auto table = std::make_shared<const Rows>(std::move(rows));
  for (auto& source : node_sources(table, partition, e.network->first_node(), e.network->local_nodes())) {
    e.problem.objectives.push_back(std::make_shared<RowObjective>(std::move(source), model_loss));
  }
  Vector smoothness(e.network->local_nodes());
  for (Index i = 0; i < smoothness.size(); ++i) {
    smoothness(i) = e.problem.objectives[static_cast<std::size_t>(i)]->smoothness();
  }
  e.problem.smoothness = e.network->agree_max(smoothness.transpose())(0);
  if (!(e.problem.smoothness > 0.0)) {
    throw DataError(fmt::format("{}: expected some feature that is not zero, got none", where));
  }
  e.problem.start = Vector::Zero(e.problem.set->dimension());
  e.problem.set->start(e.problem.start);
  require_feasible_start(e.problem);
  return e;
}

}  // namespace slidemesh::app

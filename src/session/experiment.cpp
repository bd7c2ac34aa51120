#include "slidemesh/session/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "config_sections.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/load/sources.h"
#include "slidemesh/session/measures.h"
#include "slidemesh/session/model.h"
#include "slidemesh/sets/combinators.h"

namespace slidemesh {

namespace {

std::string describe_set(const SetSpec& spec) {
  std::string text = spec.kind;
  for (const auto& [key, value] : spec.parameters) {
    if (const auto* number = std::get_if<double>(&value)) {
      text += fmt::format(", {} {}", key, *number);
    }
  }
  return text;
}

LabelKind label_kind(LossSpec loss) {
  loss.classes = std::max<Index>(loss.classes, 2);  // as yet unknown; any number tells the kind
  return make_loss(loss)->label_kind();
}

/// The loss, now that the data has said how many classes there are.
std::shared_ptr<const Loss> finish_loss(const Config& config, LossSpec loss, const Dataset& data) {
  if (loss.kind == "softmax") {
    require<DataError>(loss.classes == 0 || loss.classes == data.classes, title_of_data(config.data.spec),
                       fmt::format("{} classes (problem.classes)", loss.classes), std::to_string(data.classes));
    loss.classes = data.classes;
  }
  return make_loss(loss);
}

/// Counts every row that is read, and writes the record where the config asks for one.
std::unique_ptr<Ledger> open_ledger(const Config& config, const Job& job, const std::filesystem::path& out,
                                    const Network& network, bool resume) {
  std::filesystem::path path;
  if (!config.data.ledger.empty()) {
    path = out / config.data.ledger;
    if (job.mpi != nullptr) {
      path += fmt::format(".rank-{}", job.rank());
    }
  }
  return std::make_unique<Ledger>(path, network.first_node(), network.local_nodes(), resume);
}

/// A node's own loss must understand the labels as the problem's does, and make a model of the same shape.
std::shared_ptr<const Loss> own_loss(const Config& config, const NodeConfig& node, const Loss& common,
                                     const Dataset& data) {
  auto loss = finish_loss(config, *node.loss, data);
  require<UsageError>(loss->label_kind() == common.label_kind() && loss->outputs() == common.outputs(),
                      node.place + "node.loss",
                      fmt::format("a loss for the same labels and as many outputs as {}", common.name()), loss->name());
  return loss;
}

/// m n_i / sum n for each local node: every row of all nodes weighs the same. Exactly 1 where all nodes have as many.
Vector row_weights(const Dataset& data, Network& network) {
  const Vector rows = Vector::NullaryExpr(network.local_nodes(), [&](Index i) {
    return static_cast<double>(data.nodes[static_cast<std::size_t>(i)]->rows());
  });
  return static_cast<double>(network.nodes()) * rows / network.agree_sum(rows.transpose())(0);
}

/// Far beyond any intercept that rows around zero could ask for: of numbers, ten times the largest label; of classes, a
/// probability that differs from 1 by less than rounding.
double bound_on_intercept(const Dataset& data, Network& network) {
  constexpr double kTimesTheLabels = 10.0;
  constexpr double kLogit = 40.0;
  const Matrix largest = Matrix::Constant(1, network.local_nodes(), data.largest_label);
  const double label = network.agree_max(largest)(0);
  return data.classes > 0 ? kLogit : kTimesTheLabels * std::max(label, std::numeric_limits<double>::min());
}

/// Sets and objectives of this process's nodes, their own where a [[node]] says so.
void make_nodes(const Config& config, Dataset& data, Experiment& e) {
  const auto loss = finish_loss(config, config.loss, data);
  const Index outputs = loss->outputs();
  e.intercept_bound = config.data.free_intercept ? bound_on_intercept(data, *e.network) : 0.0;
  const auto set_of = [&](const SetSpec& spec) -> std::shared_ptr<const FeasibleSet> {
    const bool free = config.data.free_intercept;
    const Index rows = e.features - (free ? 1 : 0);
    auto set = make_set(spec, rows * outputs, outputs > 1 ? rows : data.matrix_rows);
    if (free) {
      return std::make_shared<FreeRowSet>(std::move(set), outputs, e.intercept_bound);
    }
    return set;
  };
  const auto common = set_of(config.set);
  const Vector weights =
      config.weigh_rows ? row_weights(data, *e.network) : Vector::Ones(e.network->local_nodes()).eval();
  require_nodes(config.nodes, e.graph.nodes());
  for (const NodeConfig& node : config.nodes) {
    e.problem.sets_differ = e.problem.sets_differ || node.set.has_value();
    e.problem.losses_differ = e.problem.losses_differ || node.loss.has_value();
  }
  for (Index i = 0; i < e.network->local_nodes(); ++i) {
    const NodeConfig* own = find_node(config.nodes, e.network->global(i));
    e.problem.sets.push_back(own != nullptr && own->set ? set_of(*own->set) : common);
    e.problem.objectives.push_back(
        std::make_shared<RowObjective>(std::move(data.nodes[static_cast<std::size_t>(i)]),
                                       own != nullptr && own->loss ? own_loss(config, *own, *loss, data) : loss,
                                       RowObjective::Options{.weight = weights(i), .prefetch = config.data.prefetch}));
  }
  e.problem.start = start_of(*common);
  e.model_rows = data.matrix_rows > 0 ? data.matrix_rows : e.features;
  e.model_columns = common->dimension() / e.model_rows;
  e.set_description = describe_set(config.set) + (config.data.free_intercept ? ", free intercept" : "") +
                      (e.problem.sets_differ ? ", and sets of the nodes' own" : "");
}

/// Rows over all nodes.
void sum_up_nodes(const Config& config, Experiment& e) {
  // Agreed on over the network and not by a centre: a run whose trace is local has none.
  e.rows = static_cast<Count>(e.network->agree_sum(local_rows(e.problem).transpose())(0));
  const std::string name = title_of_data(config.data.spec);
  const bool is_made = config.data.spec.source == DataSourceKind::kSynthetic;
  require<DataError>(is_made || !config.data.spec.hold_out.is_empty() || config.data.spec.max_rows <= e.rows, name,
                     fmt::format("{} rows (data.rows)", config.data.spec.max_rows), std::to_string(e.rows));
  e.data_description = fmt::format("{}, {} rows x {} features", name, e.rows, e.features);
}

/// A model that was trained in another set is moved into this one, or refused where that cannot be done.
void start_from_model(const Config& config, Experiment& e) {
  Problem& problem = e.problem;
  const FeasibleSet& set = problem.set(0);
  const Model model = find_model(config.start, config.start_label, set.dimension());
  problem.start = model.parameters;
  if (model.dual.cols() == e.network->nodes()) {
    e.start_dual = model.dual.middleCols(e.network->first_node(), e.network->local_nodes());
  }
  if (problem.sets_differ || set.contains(problem.start)) {
    return;  // each node moves it into its own set (Problem::starts)
  }
  require<UsageError>(set.projection_kind() != ProjectionKind::kNone, config.file + ": problem.start",
                      fmt::format("a model inside the set {}", set.name()), config.start.string() + " outside");
  const Vector outside = problem.start;
  set.clone()->project(outside, problem.start);
}

/// Parties that go on without one that is gone: a mean of points of the set is in the set, and is no news to anybody
/// but for the sums that agreements show.
void start_from_what_was_reached(const Party& party, Experiment& e) {
  if (!e.control->any(party.reached.size() != e.problem.start.size())) {
    e.control->mean_over_tree(party.reached, e.problem.start);
  }
}

}  // namespace

void agree_on_smoothness(const Config& config, Experiment& e) {
  const std::string name = title_of_data(config.data.spec);
  Matrix smoothness(1, e.network->local_nodes());
  for (Index i = 0; i < smoothness.cols(); ++i) {
    try {
      smoothness(0, i) = e.problem.objectives[static_cast<std::size_t>(i)]->smoothness();
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}: node {}: {}", name, e.network->global(i), error.what()));
    }
  }
  e.problem.smoothness = e.network->agree_max(smoothness)(0);
  require<DataError>(e.problem.smoothness > 0.0, name, "some feature whose square is not zero",
                     "none (all are zero or below about 1e-160: scale them)");
}

Count share_of_budget(Count budget, const Network& network) {
  return static_cast<Count>(static_cast<double>(budget) * static_cast<double>(network.local_nodes()) /
                            static_cast<double>(network.nodes()));
}

Experiment build_experiment(const Config& config, const Job& job, const std::filesystem::path& out, bool resume,
                            std::function<void(Count rows)> on_rows) {
  Experiment e;
  e.graph = job.party != nullptr ? job.party->graph : make_graph(config.graph);
  e.spectrum = laplacian_spectrum(e.graph);
  e.network = make_network(config, e.graph, job);
  e.control = control_of(config, *e.network, job);

  DataSpec spec = config.data.spec;
  spec.rank = job.rank();
  spec.own = job.party != nullptr;
  spec.on_rows = std::move(on_rows);
  e.ledger = open_ledger(config, job, out, *e.network, resume);
  if (config.data.budget) {
    e.ledger->set_budget(share_of_budget(*config.data.budget, *e.network));
  }
  Dataset data = load_dataset(spec, label_kind(config.loss), *e.network, e.ledger.get());
  e.map = data.map;
  e.held_out = std::move(data.held_out);
  e.data_notes = data.notes;
  e.features = data.features;
  e.problem.mu = config.mu;
  make_nodes(config, data, e);
  if (job.party != nullptr) {  // a party's own set is not in the others' configs
    e.problem.sets_differ = e.control->any(e.problem.sets_differ);
  }
  sum_up_nodes(config, e);
  e.origin = e.problem.start;
  if (!config.start.empty()) {
    start_from_model(config, e);
  }
  if (job.party != nullptr) {
    start_from_what_was_reached(*job.party, e);
  }
  return e;
}

RowBudget::RowBudget(const Config& config, const Experiment& experiment, Count before)
    : experiment_(experiment), earlier_(before) {
  const Network& network = *experiment.network;
  if (experiment.control->scope() == ControlScope::kAllNodes) {
    earlier_ = share_of_budget(static_cast<Count>(experiment.control->from_root(static_cast<double>(before))), network);
  }
  if (config.data.budget) {
    share_ = share_of_budget(*config.data.budget, network);
    experiment.ledger->set_budget(share_ - earlier_);
  }
}

Count RowBudget::rows_left() const {
  Count held_out = 0;
  for (const auto& source : experiment_.held_out) {
    held_out += source->rows();
  }
  return share_ - earlier_ - experiment_.ledger->rows_read() - held_out;
}

void RowBudget::count(RunSummary& summary) const {
  Vector read = Vector::Zero(experiment_.network->local_nodes());
  read(0) = static_cast<double>(earlier_ + experiment_.ledger->rows_read());
  summary.rows_read = static_cast<Count>(experiment_.control->sum(read));
  read(0) = static_cast<double>(experiment_.ledger->rows_read_in_opening());
  summary.rows_read_in_opening = static_cast<Count>(experiment_.control->sum(read));
}

}  // namespace slidemesh

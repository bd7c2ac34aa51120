#include "answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "slidemesh/core/termination.h"
#include "slidemesh/session/measures.h"

namespace slidemesh {

namespace {

/// Labels and scores of this process's held-out rows, one after the other.
std::vector<double> own_scores(const Predictor& predictor, const Experiment& experiment, Index& outputs) {
  std::vector<double> numbers;
  for (const auto& source : experiment.held_out) {
    source->scan(AccessPurpose::kTrace, [&](const RowBlock& block, Index) {
      const Matrix scores = predictor.scores(block);
      outputs = scores.rows();
      for (Index r = 0; r < block.count; ++r) {
        numbers.push_back(block.label(r));
        numbers.insert(numbers.end(), scores.col(r).begin(), scores.col(r).end());
      }
    });
  }
  return numbers;
}

void add_all(const double* numbers, Index count, Index outputs, Judge& judge) {
  for (Index at = 0; at < count; at += 1 + outputs) {
    judge.add(numbers[at], Eigen::Map<const Vector>(numbers + at + 1, outputs));
  }
}

Scores scores_of_held_out(const Predictor& predictor, const Experiment& e) {
  Index outputs = 1;
  const std::vector<double> own = own_scores(predictor, e, outputs);
  Judge judge(predictor);
  const auto count = static_cast<Index>(own.size());
  if (e.network->local_nodes() == e.control->nodes()) {
    add_all(own.data(), count, outputs, judge);
    return judge.finish("held out");
  }
  // Columns that all have one length: how many numbers follow, the numbers, and nothing. A process's first node brings
  // all of them.
  Vector lengths = Vector::Zero(e.network->local_nodes());
  lengths(0) = static_cast<double>(count);
  Stacked columns = Stacked::Zero(1 + static_cast<Index>(e.control->max(lengths)), e.network->local_nodes());
  columns(0, 0) = static_cast<double>(count);
  std::copy(own.begin(), own.end(), columns.data() + 1);
  Stacked all;
  e.control->gather(columns, all);
  const Index of_model = predictor.classes() > 2 ? predictor.classes() : 1;
  for (Index i = 0; i < all.cols(); ++i) {
    add_all(all.col(i).data() + 1, static_cast<Index>(all(0, i)), of_model, judge);
  }
  return judge.finish("held out");
}

}  // namespace

std::vector<std::string> problem_lines(const Config& config, const Experiment& e, const Job& job) {
  const std::string smoothness = e.problem.smoothness > 0.0 ? fmt::format(", L~ {:.6g}", e.problem.smoothness) : "";
  const std::string split = job.party != nullptr ? std::string("each party's own")
                                                 : fmt::format("dealt {}", to_string(config.data.spec.split.rule));
  return {
      fmt::format("{} on {}", config.loss.kind, e.data_description),
      fmt::format("set {}, mu {}{}", e.set_description, config.mu, smoothness),
      fmt::format("{} graph, {} nodes, {} edges, lambda_max {:.6g}, lambda_2 {:.6g}, rows {}", config.graph.kind,
                  e.graph.nodes(), e.graph.edges(), e.spectrum.lambda_max, e.spectrum.lambda_2, split),
  };
}

ReportNetwork network_to_draw(const Config& config, const Experiment& e) {
  constexpr Index kDrawSpectrumUpTo = 1000;
  ReportNetwork network{config.graph.kind, e.graph, {}};
  if (e.graph.nodes() <= kDrawSpectrumUpTo) {
    const Vector spectrum = full_laplacian_spectrum(e.graph);
    network.eigenvalues.assign(spectrum.data(), spectrum.data() + spectrum.size());
  }
  return network;
}

Model model_of(const Config& config, const MethodConfig& method, const Experiment& experiment, Status status,
               const Record& last) {
  Model model;
  model.label = method.label;
  model.method = method.name;
  model.rows = experiment.model_rows;
  model.columns = experiment.model_columns;
  model.loss = config.loss.kind;
  model.set = experiment.set_description;
  model.mu = config.mu;
  model.label_values = experiment.map.labels.values;
  model.map = experiment.map;
  model.status = status;
  if (experiment.control->scope() == ControlScope::kAllNodes) {  // else it is of this process's nodes alone
    model.objective = last.measures.objective_at_average;
  }
  model.lower_bound = last.lower_bound;
  model.certified_gap = last.certified_gap;
  return model;
}

Vector answer_of(Method& method, Control& control, const Job& job) {
  Vector mean;
  if (job.party != nullptr) {
    control.mean_over_tree(method.output(), mean);
  } else {
    control.mean(method.output(), mean);
  }
  return mean;
}

double certified_gap_at(const Vector& answer, double lower_bound, double start_value, const Experiment& experiment) {
  const double value = total_objective(experiment.problem, *experiment.control, answer);
  if (experiment.problem.sets_differ) {  // the mean may lie outside some
    return value - lower_bound;
  }
  return certified_gap(value, lower_bound, std::abs(value) + std::abs(lower_bound) + std::abs(start_value));
}

Stacked dual_of(const Method& method, Control& control) {
  constexpr Index kMostNumbers = Index{1} << 20;
  Stacked all;
  const Dual* dual = method.dual();
  if (dual != nullptr && control.scope() == ControlScope::kAllNodes &&
      dual->s.rows() <= kMostNumbers / control.nodes()) {
    control.gather(dual->s, all);
  }
  return all;
}

bool intercept_is_at_bound(const Model& model, double bound) {
  constexpr double kNear = 0.99;
  const Matrix parameters = Eigen::Map<const Matrix>(model.parameters.data(), model.rows, model.columns);
  return parameters.bottomRows(1).cwiseAbs().maxCoeff() >= kNear * bound;
}

std::vector<Scores> scores_of(const Model& model, const Config& config, const Experiment& experiment) {
  std::vector<Scores> scores;
  const Predictor predictor(model, model.label);
  if (!config.data.spec.hold_out.is_empty()) {
    scores.push_back(scores_of_held_out(predictor, experiment));
  }
  if (config.data.test && experiment.control->is_root()) {
    DataSpec spec = *config.data.test;
    if (spec.csv.label.empty()) {
      spec.csv.label = predictor.map().label;
    }
    scores.push_back(evaluate(predictor, spec));
  }
  return scores;
}

}  // namespace slidemesh

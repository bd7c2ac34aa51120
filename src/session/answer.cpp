#include "answer.h"

#include <cmath>

#include "slidemesh/core/termination.h"
#include "slidemesh/session/measures.h"

namespace slidemesh {

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

}  // namespace slidemesh

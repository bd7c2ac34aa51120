#include "answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "slidemesh/base/text.h"
#include "slidemesh/core/termination.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/linalg/decompositions.h"
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
  const CompactStacked* compact = method.compact_output();
  const Stacked& columns = compact != nullptr ? compact->numbers() : method.output();
  Vector mean;
  if (job.party != nullptr) {
    control.mean_over_tree(columns, mean);
  } else {
    control.mean(columns, mean);
  }
  return compact != nullptr ? compact->expanded(mean) : mean;
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

namespace {

/// Relative to the largest: a mean over nodes is hardly ever exactly zero.
constexpr double kNegligible = 1e-6;
constexpr std::size_t kMostShown = 20;
/// Of the shorter side: beyond that singular values take too long.
constexpr Index kLargestSide = 500;

Eigen::Map<const Matrix> as_matrix(const Model& model) { return {model.parameters.data(), model.rows, model.columns}; }

/// Of each column of the parameters; one column has no name.
std::vector<std::string> output_names(const Model& model) {
  std::vector<std::string> names(static_cast<std::size_t>(model.columns));
  for (Index c = 0; model.columns > 1 && c < model.columns; ++c) {
    names[static_cast<std::size_t>(c)] = model.map->class_name(c);
  }
  return names;
}

/// With a feature (a - shift) / scale and a coefficient x, the data's own a has x / scale, and the intercept loses
/// x shift / scale.
Matrix in_original_units(const Model& model) {
  const Preparation& p = model.map->preparation;
  const Index d = model.map->features;
  Matrix x = as_matrix(model);
  Matrix intercept = Matrix::Zero(1, model.columns);
  for (Index j = 0; j < d; ++j) {
    const auto at = static_cast<std::size_t>(j);
    x.row(j) /= p.scale.empty() ? 1.0 : p.scale[at];
    intercept -= x.row(j) * (p.shift.empty() ? 0.0 : p.shift[at]);
  }
  if (p.options.intercept) {
    intercept += x.row(d);
  }
  Matrix out(d + 1, model.columns);
  out << x.topRows(d), intercept;
  return out;
}

/// A name that a spreadsheet would take for a formula is made text by an apostrophe, as spreadsheets do it themselves.
std::string name_field(const std::string& name) {
  const bool is_formula = !name.empty() && std::string_view("=+-@\t\r").find(name.front()) != std::string_view::npos;
  return csv_field(is_formula ? "'" + name : name);
}

void append_model(const Model& model, std::string& csv) {
  std::vector<std::string> names = model.map->feature_names();
  names.resize(static_cast<std::size_t>(model.map->features));
  names.emplace_back("intercept");
  const std::vector<std::string> outputs = output_names(model);
  const Matrix original = in_original_units(model);
  for (Index c = 0; c < model.columns; ++c) {
    for (Index j = 0; j < original.rows(); ++j) {
      const std::string trained = j < model.rows ? text::shortest(as_matrix(model)(j, c)) : "";
      csv += name_field(model.label) + "," + name_field(outputs[static_cast<std::size_t>(c)]) + "," +
             name_field(names[static_cast<std::size_t>(j)]) + "," + trained + "," + text::shortest(original(j, c)) +
             "\n";
    }
  }
}

}  // namespace

CoefficientSummary summarize_coefficients(const Model& model) {
  CoefficientSummary out{model.rows, model.columns, 0, {}, {}};
  const auto x = as_matrix(model);
  const double negligible = kNegligible * x.cwiseAbs().maxCoeff();
  out.nonzeros = (x.cwiseAbs().array() > negligible).count();
  if (std::min(model.rows, model.columns) > 1 && std::min(model.rows, model.columns) <= kLargestSide) {
    const Vector values = singular_values(x);
    out.rank = (values.array() > kNegligible * values.maxCoeff()).count();
  }
  if (!model.map || model.completes_a_matrix()) {
    return out;
  }
  const std::vector<std::string> names = model.map->feature_names();
  const std::vector<std::string> outputs = output_names(model);
  for (Index c = 0; c < model.columns; ++c) {
    for (Index j = 0; j < model.map->features; ++j) {
      if (std::abs(x(j, c)) > negligible) {
        out.largest.push_back({names[static_cast<std::size_t>(j)], outputs[static_cast<std::size_t>(c)], x(j, c)});
      }
    }
  }
  std::stable_sort(out.largest.begin(), out.largest.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.value) > std::abs(b.value); });
  out.largest.resize(std::min(out.largest.size(), kMostShown));
  return out;
}

std::string coefficients_csv(std::span<const Model> models) {
  std::string csv;
  for (const Model& model : models) {
    if (model.map && !model.completes_a_matrix()) {
      append_model(model, csv);
    }
  }
  return csv.empty() ? csv : "model,output,name,coefficient,original_units\n" + csv;
}

}  // namespace slidemesh

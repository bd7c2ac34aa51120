#include "held_out.h"

#include <algorithm>

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

#include "slidemesh/session/prediction.h"

#include <cmath>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/core/row_numbers.h"
#include "slidemesh/data/load/sources.h"

namespace slidemesh {

namespace {

/// 1 / (1 + exp(-t)) without an exponential that overflows.
double logistic(double t) {
  const double e = std::exp(-std::abs(t));
  return t >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

template <class Column>
void become_probabilities(Column&& t) {
  t = (t.array() - t.maxCoeff()).exp().matrix().eval();
  t /= t.sum();
}

}  // namespace

Predictor::Predictor(Model model, const std::string& where) : model_(std::move(model)) {
  require<UsageError>(model_.map.has_value(), where, "a model that says what its features are",
                      "one of an earlier version");
}

std::vector<std::string> Predictor::class_names() const {
  std::vector<std::string> names;
  for (Index c = 0; c < classes(); ++c) {
    names.push_back(map().class_name(c));
  }
  return names;
}

Matrix Predictor::scores(const RowBlock& rows) const {
  const Index features = map().prepared_features();
  const Index outputs = model_.dimension() / features;
  const Eigen::Map<const Matrix> x(model_.parameters.data(), features, outputs);
  Matrix t = Matrix::Zero(outputs, rows.count);
  for (Index r = 0; r < rows.count; ++r) {
    for_each_number(rows, r, [&](Index j, double a) { t.col(r) += a * x.row(j).transpose(); });
    if (model_.loss == "logistic") {
      t(0, r) = logistic(t(0, r));
    } else if (outputs > 1) {
      become_probabilities(t.col(r));
    }
  }
  if (outputs == 2) {
    return t.row(1);
  }
  return t;
}

Index Predictor::best_class(ConstVectorRef scores) const {
  if (scores.size() == 1) {
    return scores(0) > (gives_probabilities() ? 0.5 : 0.0) ? 1 : 0;
  }
  Index best = 0;
  scores.maxCoeff(&best);
  return best;
}

void Predictor::scan(const DataSpec& spec, bool labels, const std::function<void(const NewRows&)>& visit) const {
  NewRowsOptions options{.labels = labels};
  if (model_.completes_a_matrix()) {
    options.matrix_rows = model_.rows;
    options.matrix_columns = model_.columns;
  }
  scan_new_rows(spec, map(), options, visit);
}

void Judge::add(const RowBlock& rows) {
  const Matrix scores = predictor_.scores(rows);
  for (Index r = 0; r < rows.count; ++r) {
    add(rows.label(r), scores.col(r));
  }
}

void Judge::add(double label, ConstVectorRef scores) {
  labels_.push_back(label);
  scores_.insert(scores_.end(), scores.begin(), scores.end());
}

Scores Judge::finish(const std::string& data) const {
  require<DataError>(!labels_.empty(), data, "rows to judge the model by", "none");
  Scores out{data, predictor_.class_names(), {}, {}};
  const Index classes = predictor_.classes();
  if (classes == 0) {
    out.numbers = score_numbers(labels_, scores_);
    return out;
  }
  const auto rows = static_cast<Index>(labels_.size());
  const Matrix scores = Eigen::Map<const Matrix>(scores_.data(), static_cast<Index>(scores_.size()) / rows, rows);
  std::vector<Index> truth;
  std::vector<Index> predicted;
  for (Index r = 0; r < rows; ++r) {
    const double label = labels_[static_cast<std::size_t>(r)];
    const bool binary = predictor_.map().labels.kind == LabelKind::kBinary;
    truth.push_back(static_cast<Index>(binary ? (label + 1.0) / 2.0 : label));
    predicted.push_back(predictor_.best_class(scores.col(r)));
  }
  out.classes = score_classes(truth, predicted, scores, predictor_.gives_probabilities(), classes);
  return out;
}

Scores evaluate(const Predictor& predictor, const DataSpec& spec) {
  Judge judge(predictor);
  predictor.scan(spec, true, [&](const NewRows& rows) { judge.add(rows.rows); });
  return judge.finish(name_of_data(spec));
}

}  // namespace slidemesh

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "slidemesh/core/metrics.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/data/load/new_rows.h"
#include "slidemesh/session/model.h"

namespace slidemesh {

/// What a model says of rows.
class Predictor {
 public:
  /// UsageError for a model that does not know what its features are. `where` names it.
  Predictor(Model model, const std::string& where);

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const FeatureMap& map() const { return *model_.map; }
  /// 0: numbers are predicted.
  [[nodiscard]] Index classes() const { return map().labels.classes(); }
  [[nodiscard]] bool gives_probabilities() const { return model_.loss == "logistic" || model_.loss == "softmax"; }
  [[nodiscard]] std::vector<std::string> class_names() const;

  /// A column for each row of a block of prepared rows: probabilities of the classes, of class 1 alone where there are
  /// two; where there are none, how far the row lies on the side of class 1; or the number.
  [[nodiscard]] Matrix scores(const RowBlock& rows) const;
  /// The class that a column of these stands for.
  [[nodiscard]] Index best_class(ConstVectorRef scores) const;

  /// Rows of new data, prepared for this model.
  void scan(const DataSpec& spec, bool labels, const std::function<void(const NewRows&)>& visit) const;

 private:
  Model model_;
};

/// Collects scores and truth, and judges them.
class Judge {
 public:
  explicit Judge(const Predictor& predictor) : predictor_(predictor) {}

  /// Rows with labels as the loss has them.
  void add(const RowBlock& rows);
  /// The same with scores that were computed elsewhere.
  void add(double label, ConstVectorRef scores);
  /// DataError where there was no row.
  [[nodiscard]] Scores finish(const std::string& data) const;

 private:
  const Predictor& predictor_;
  std::vector<double> labels_;
  std::vector<double> scores_;
};

/// `slidemesh evaluate`.
[[nodiscard]] Scores evaluate(const Predictor& predictor, const DataSpec& spec);

}  // namespace slidemesh

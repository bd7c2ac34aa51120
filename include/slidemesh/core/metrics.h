#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// How good predicted classes are. Classes are 0, 1, ..., and true ones are known.
struct ClassificationScores {
  Count rows = 0;
  double accuracy = 0.0;
  double balanced_accuracy = 0.0;  ///< the mean over the true classes of the share that was found
  /// The probability that a row of a class is scored above a row that is not, ties counting half: of class 1 where
  /// there are two, else the mean over all classes, each against the rest. None where some class has no row or all
  /// rows.
  std::optional<double> auc;
  /// Mean of -log of the probability that the true class was given, which is clipped to [ε, 1 - ε], ε the distance from
  /// 1 to the next double: one row that was wrong for certain does not make it infinite. None without probabilities.
  std::optional<double> log_loss;
  std::vector<std::vector<Count>> confusion;  ///< [true class][predicted class]
};

/// `scores` is classes x rows; for two classes 1 x rows, the score of class 1. `probabilities`: whether the scores are
/// probabilities (of class 1 for two classes).
[[nodiscard]] ClassificationScores score_classes(std::span<const Index> truth, std::span<const Index> predicted,
                                                 const Matrix& scores, bool probabilities, Index classes);

/// The area under the receiver operating characteristic; none unless there are rows of both kinds.
[[nodiscard]] std::optional<double> area_under_curve(const std::vector<bool>& positive, std::span<const double> scores);

/// How many of some numbers lie in each of equal parts of [low, high].
struct Histogram {
  double low = 0.0;
  double high = 0.0;
  std::vector<Count> counts = {};
};
/// Of all of them, in so many parts; one part where they are all the same.
[[nodiscard]] Histogram histogram(std::span<const double> numbers, std::size_t parts);

/// How good predicted numbers are.
struct RegressionScores {
  Count rows = 0;
  std::optional<double>
      r2;             ///< 1 - sum of squared errors / sum of squared deviations; none where the truth is constant
  double rmse = 0.0;  ///< the root of the mean squared error
  double mae = 0.0;   ///< the mean absolute error
  Histogram residuals = {};  ///< of predicted - true
};
[[nodiscard]] RegressionScores score_numbers(std::span<const double> truth, std::span<const double> predicted);

/// How good a model is on rows that it was not trained on.
struct Scores {
  std::string data;                      ///< which rows these are: "held out", a file
  std::vector<std::string> class_names;  ///< in the order of the confusion table; empty where numbers are predicted
  std::optional<ClassificationScores> classes;  ///< either these
  std::optional<RegressionScores> numbers;      ///< or those
};

}  // namespace slidemesh

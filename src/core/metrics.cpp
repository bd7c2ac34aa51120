#include "slidemesh/core/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace slidemesh {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double minus_log(double probability) {
  constexpr double kLeast = std::numeric_limits<double>::epsilon();
  return -std::log(std::clamp(probability, kLeast, 1.0 - kLeast));
}

double mean_log_loss(std::span<const Index> truth, const Matrix& probabilities, Index classes) {
  double sum = 0.0;
  for (std::size_t r = 0; r < truth.size(); ++r) {
    const auto column = static_cast<Index>(r);
    if (classes == 2) {
      const double p = probabilities(0, column);
      sum += minus_log(truth[r] == 1 ? p : 1.0 - p);
    } else {
      sum += minus_log(probabilities(truth[r], column));
    }
  }
  return sum / static_cast<double>(truth.size());
}

/// Of class 1 where there are two classes, else the mean over all, each against the rest.
std::optional<double> mean_area(std::span<const Index> truth, const Matrix& scores, Index classes) {
  double sum = 0.0;
  const Index first = classes == 2 ? 1 : 0;
  for (Index c = first; c < classes; ++c) {
    std::vector<bool> positive(truth.size());
    std::transform(truth.begin(), truth.end(), positive.begin(), [&](Index t) { return t == c; });
    const Vector of_class = scores.row(classes == 2 ? 0 : c);
    const auto area = area_under_curve(positive, {of_class.data(), truth.size()});
    if (!area) {
      return std::nullopt;
    }
    sum += *area;
  }
  return sum / static_cast<double>(classes - first);
}

}  // namespace

std::optional<double> area_under_curve(const std::vector<bool>& positive, std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  // Twice the sum of the positives' ranks, rows of one score sharing the mean of theirs: whole numbers, so that no
  // digit is lost.
  Count doubled_ranks = 0;
  Count positives = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    Count among = 0;
    while (end < order.size() && scores[order[end]] == scores[order[begin]]) {
      among += positive[order[end++]] ? 1 : 0;
    }
    doubled_ranks += among * static_cast<Count>(begin + 1 + end);
    positives += among;
    begin = end;
  }
  const Count negatives = static_cast<Count>(order.size()) - positives;
  if (positives == 0 || negatives == 0) {
    return std::nullopt;
  }
  const Count doubled_area = doubled_ranks - positives * (positives + 1);
  return static_cast<double>(doubled_area) / 2.0 / (static_cast<double>(positives) * static_cast<double>(negatives));
}

ClassificationScores score_classes(std::span<const Index> truth, std::span<const Index> predicted, const Matrix& scores,
                                   bool probabilities, Index classes) {
  ClassificationScores out;
  out.rows = static_cast<Count>(truth.size());
  out.confusion.assign(at(classes), std::vector<Count>(at(classes), 0));
  Count right = 0;
  for (std::size_t r = 0; r < truth.size(); ++r) {
    ++out.confusion[at(truth[r])][at(predicted[r])];
    right += truth[r] == predicted[r] ? 1 : 0;
  }
  out.accuracy = static_cast<double>(right) / static_cast<double>(out.rows);
  double recalls = 0.0;
  Count seen = 0;
  for (Index c = 0; c < classes; ++c) {
    const auto& row = out.confusion[at(c)];
    if (const Count of_class = std::accumulate(row.begin(), row.end(), Count{0}); of_class > 0) {
      recalls += static_cast<double>(row[at(c)]) / static_cast<double>(of_class);
      ++seen;
    }
  }
  out.balanced_accuracy = recalls / static_cast<double>(seen);
  out.auc = mean_area(truth, scores, classes);
  if (probabilities) {
    out.log_loss = mean_log_loss(truth, scores, classes);
  }
  return out;
}

Histogram histogram(std::span<const double> numbers, std::size_t parts) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  Histogram out{*low, *high, std::vector<Count>(*low < *high ? parts : 1, 0)};
  const double width = (out.high - out.low) / static_cast<double>(out.counts.size());
  for (const double number : numbers) {
    const double place = width > 0.0 ? (number - out.low) / width : 0.0;
    ++out.counts[std::min(static_cast<std::size_t>(place), out.counts.size() - 1)];
  }
  return out;
}

RegressionScores score_numbers(std::span<const double> truth, std::span<const double> predicted) {
  RegressionScores out;
  out.rows = static_cast<Count>(truth.size());
  const auto n = static_cast<double>(truth.size());
  const double mean = std::accumulate(truth.begin(), truth.end(), 0.0) / n;
  std::vector<double> residuals;
  double squares = 0.0;
  double deviations = 0.0;
  double magnitudes = 0.0;
  for (std::size_t r = 0; r < truth.size(); ++r) {
    const double error = predicted[r] - truth[r];
    residuals.push_back(error);
    squares += error * error;
    magnitudes += std::abs(error);
    deviations += (truth[r] - mean) * (truth[r] - mean);
  }
  if (deviations > 0.0) {
    out.r2 = 1.0 - squares / deviations;
  }
  out.rmse = std::sqrt(squares / n);
  out.mae = magnitudes / n;
  constexpr std::size_t kParts = 21;  // odd: an error of 0 is not on a border where errors are as often high as low
  out.residuals = histogram(residuals, kParts);
  return out;
}

}  // namespace slidemesh

#include "slidemesh/losses/softmax.h"

#include <cmath>
#include <string>
#include <vector>

#include "blocks.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

/// Numbers become their exponentials, each by the same path wherever it lies.
void exponentials(double* number, Index n) {
  losses::over_pieces(n, [number](Index first, Index count) {
    losses::Buffer buffer;
    const Index filled = losses::filled_up(count);
    std::copy_n(number + first, count, buffer.number);
    std::fill(buffer.number + count, buffer.number + filled, 0.0);
    buffer.array(filled) = buffer.array(filled).exp();
    std::copy_n(buffer.number, count, number + first);
    return 0.0;
  });
}

}  // namespace

Softmax::Softmax(Index classes) : classes_(classes) {
  require<UsageError>(classes >= 2, "problem.classes", "at least 2", std::to_string(classes));
}

// Each row is shifted by its largest prediction, so that exponentials are at most 1 and one of them
// is 1. The shifted predictions are made where the derivatives go, then all exponentials at once.
double Softmax::evaluate(std::span<const double> labels, std::span<const double> predictions,
                         std::span<double> derivatives, bool want_value) const {
  const auto rows = static_cast<Index>(labels.size());
  double total = 0.0;
  for (Index r = 0; r < rows; ++r) {
    const double* t = predictions.data() + r * classes_;
    const double largest = *std::max_element(t, t + classes_);
    double* p = derivatives.data() + r * classes_;
    for (Index k = 0; k < classes_; ++k) {
      p[k] = t[k] - largest;
    }
    if (want_value) {
      total -= p[static_cast<Index>(labels[static_cast<std::size_t>(r)])];
    }
  }
  exponentials(derivatives.data(), rows * classes_);
  for (Index r = 0; r < rows; ++r) {
    double* p = derivatives.data() + r * classes_;
    double sum = 0.0;
    for (Index k = 0; k < classes_; ++k) {
      sum += p[k];
    }
    for (Index k = 0; k < classes_; ++k) {
      p[k] /= sum;
    }
    p[static_cast<Index>(labels[static_cast<std::size_t>(r)])] -= 1.0;
    if (want_value) {
      total += std::log(sum);
    }
  }
  return total;
}

// diag(p) - p p'. The derivatives p - e_b tell p.
void Softmax::curvatures(std::span<const double> labels, std::span<const double> predictions,
                         std::span<const double> /*moves*/, std::span<double> curvatures) const {
  std::vector<double> derivatives(predictions.size());
  evaluate(labels, predictions, derivatives, false);
  double* out = curvatures.data();
  for (std::size_t r = 0; r < labels.size(); ++r) {
    double* p = derivatives.data() + static_cast<Index>(r) * classes_;
    p[static_cast<Index>(labels[r])] += 1.0;
    for (Index k = 0; k < classes_; ++k) {
      for (Index l = 0; l < classes_; ++l) {
        *out++ = (k == l ? p[k] : 0.0) - p[k] * p[l];
      }
    }
  }
}

}  // namespace slidemesh

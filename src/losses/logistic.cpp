#include "slidemesh/losses/logistic.h"

#include "blocks.h"

namespace slidemesh {

// With s = b t and e = exp(-|s|), which cannot overflow:
//     l = log(1 + e) + max(-s, 0),     l' = -b (e or 1) / (1 + e)   for s > 0 or not.
// One exp serves both; the log is taken only where values are wanted.
double Logistic::evaluate(std::span<const double> labels, std::span<const double> predictions,
                          std::span<double> derivatives, bool want_value) const {
  using losses::Buffer;
  return losses::over_pieces(static_cast<Index>(labels.size()), [&](Index first, Index count) {
    const double* b = labels.data() + first;
    const double* t = predictions.data() + first;
    double* derivative = derivatives.data() + first;
    const Index filled = losses::filled_up(count);
    Buffer s;
    Buffer e;
    for (Index r = 0; r < count; ++r) {
      s[r] = b[r] * t[r];
    }
    std::fill(s.number + count, s.number + filled, 0.0);
    e.array(filled) = (-s.array(filled).abs()).exp();
    for (Index r = 0; r < count; ++r) {
      derivative[r] = -b[r] * (s[r] > 0.0 ? e[r] : 1.0) / (1.0 + e[r]);
    }
    if (!want_value) {
      return 0.0;
    }
    e.array(filled) = (1.0 + e.array(filled)).log();
    for (Index r = 0; r < count; ++r) {
      e[r] += s[r] < 0.0 ? -s[r] : 0.0;
    }
    return losses::sum(e, count);
  });
}

// l'' = e / (1 + e)^2 with e = exp(-|t|): even in t, and so the same for both labels.
void Logistic::curvatures(std::span<const double> labels, std::span<const double> predictions,
                          std::span<const double> /*moves*/, std::span<double> curvatures) const {
  losses::over_pieces(static_cast<Index>(labels.size()), [&](Index first, Index count) {
    const double* t = predictions.data() + first;
    const Index filled = losses::filled_up(count);
    losses::Buffer e;
    std::copy_n(t, count, e.number);
    std::fill(e.number + count, e.number + filled, 0.0);
    e.array(filled) = (-e.array(filled).abs()).exp();
    for (Index r = 0; r < count; ++r) {
      curvatures[static_cast<std::size_t>(first + r)] = e[r] / ((1.0 + e[r]) * (1.0 + e[r]));
    }
    return 0.0;
  });
}

}  // namespace slidemesh

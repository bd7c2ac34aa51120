#include "slidemesh/losses/loss_by_row.h"

#include "blocks.h"

namespace slidemesh {

double LossByRow::evaluate(std::span<const double> labels, std::span<const double> predictions,
                           std::span<double> derivatives, bool want_value) const {
  return losses::over_pieces(static_cast<Index>(labels.size()), [&](Index first, Index count) {
    const auto from = static_cast<std::size_t>(first);
    const auto rows = static_cast<std::size_t>(count);
    losses::Buffer values;
    evaluate_each(labels.subspan(from, rows), predictions.subspan(from, rows), derivatives.subspan(from, rows),
                  std::span(values.number, rows));
    return want_value ? losses::sum(values, count) : 0.0;
  });
}

}  // namespace slidemesh

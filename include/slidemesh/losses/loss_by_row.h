#pragma once

#include "slidemesh/core/loss.h"
#include "slidemesh/core/values_by_row.h"

namespace slidemesh {

/// A loss of one output that says what it has to say row by row, in `evaluate_each`.
class LossByRow : public Loss, public ValuesByRow {
 public:
  double evaluate(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                  bool want_value) const final;
};

}  // namespace slidemesh

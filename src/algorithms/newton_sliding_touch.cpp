// The touches of Newton sliding: which rows of a node a stage looks at, and what its model makes of them.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "slidemesh/algorithms/newton_sliding.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/interruption.h"

namespace slidemesh {

namespace {

constexpr Count kRowsAtOnce = Count{1} << 16;  ///< a stage's rows are fetched in parts of so many
constexpr double kLargest = 1e140;             ///< of numbers whose squares and sums of squares are to be finite

/// Not every number that can be read can be squared: without a smoothness constant nobody else would notice.
void require_usable(const LocalModel& model, double diameter, Index node) {
  const Index features = model.dimension() / model.loss().outputs();
  for (Index j = 0; j < model.dimension(); ++j) {
    const double reach = std::max(1.0, diameter) * model.diagonal(j);
    if (!(std::max(reach, std::abs(model.linear()(j))) <= kLargest)) {
      fail<DataError>("node " + std::to_string(node) + ": feature " + std::to_string(j % features + 1),
                      "numbers whose squares times the set's diameter stay below 1e140",
                      "larger (scale the columns, data.scaling)");
    }
  }
}

}  // namespace

Count NewtonSliding::next_data_oracle_calls() const {
  Count calls = 0;
  for (Index i = 0; i < network_.local_nodes() && stage_is_over_ && !finished(); ++i) {
    calls += planned_rows(i);
  }
  return calls;
}

Count NewtonSliding::planned_rows(Index i) const {
  const Count touched = models_[static_cast<std::size_t>(i)].touched();
  if (exact_next_ || starts_from_answer()) {
    return rows(i);
  }
  if (is_quadratic_ && touched == rows(i)) {
    return 0;
  }
  return stage_rows(touched, rows(i), wanted_, refresh());
}

void NewtonSliding::touch(Index i) {
  const auto n = static_cast<std::size_t>(i);
  const Count count = planned_rows(i);
  const bool again = models_[n].touched() == rows(i);
  new_rows_[n] = again ? 0 : count;
  if (again && exact_next_) {
    models_[n].begin_anew();
  }
  touch_rows(i, count, again);
  predictions_[n] = models_[n].finish_touch();
  require_usable(models_[n], problem_.set(i).diameter(), network_.global(i));
}

void NewtonSliding::touch_rows(Index i, Count count, bool again) {
  const auto n = static_cast<std::size_t>(i);
  std::vector<Index> numbers;
  Count first = 0;
  for (; first < count && !(first > 0 && interruption_is_due()); first += kRowsAtOnce) {
    numbers.resize(static_cast<std::size_t>(std::min(kRowsAtOnce, count - first)));
    for (Index& number : numbers) {
      number = order_[n][static_cast<std::size_t>(next_[n])];
      next_[n] = (next_[n] + 1) % rows(i);
    }
    data_.touch(i, slide_.x().col(i), numbers,
                [&](const TouchedRows& touched) { models_[n].touch(touched, again, exact_next_); });
  }
  is_half_touched_[n] = first < count;
}

}  // namespace slidemesh

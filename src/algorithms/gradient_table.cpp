#include "gradient_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "slidemesh/base/fail.h"
#include "slidemesh/core/row_numbers.h"

namespace slidemesh {

namespace {
std::size_t at(Index i) { return static_cast<std::size_t>(i); }
}  // namespace

GradientTable::GradientTable(DataOracle& data, std::uint64_t seed)
    : data_(data),
      derivatives_(at(data.nodes())),
      fresh_(at(data.nodes())),
      mean_(Stacked::Zero(data.objective(0).dimension(), data.nodes())),
      largest_(Vector::Zero(data.nodes())) {
  for (Index i = 0; i < data.nodes(); ++i) {
    dealers_.emplace_back(seed, data.global(i), data.rows(i));
    derivatives_[at(i)].assign(at(data.objective(i).derivative_count()), 0.0);
  }
}

void GradientTable::touch(Index i, ConstVectorRef x, Count batch, VectorRef v) {
  std::vector<Index> rows;
  dealers_[at(i)].deal(std::min<Count>(batch, data_.rows(i)), rows);
  v.setZero();
  data_.touch(i, x, rows, [&](const TouchedRows& touched) { replace(i, touched, v); });
  const double weight = data_.objective(i).weight();
  const Vector change = weight * v;  // weight Σ (l'_j(x) − l'_j) a_j
  v = change / static_cast<double>(rows.size()) + mean_.col(i);
  mean_.col(i) += change / static_cast<double>(data_.rows(i));
}

void GradientTable::replace(Index i, const TouchedRows& rows, VectorRef v) {
  const LocalObjective& objective = data_.objective(i);
  const auto k = at(objective.row_loss()->outputs());
  auto& fresh = fresh_[at(i)];
  fresh.resize(rows.labels.size() * k);
  objective.row_loss()->evaluate(rows.labels, rows.predictions, fresh, false);
  for (Index r = rows.begin; r < rows.end; ++r) {
    const std::size_t n = at(r - rows.begin);
    double* kept = derivatives_[at(i)].data() + at(rows.numbers[n]) * k;
    for (std::size_t a = 0; a < k; ++a) {
      const double change = fresh[n * k + a] - kept[a];
      double* out = v.data() + static_cast<Index>(a) * rows.block.features;
      for_each_number(rows.block, r, [&](Index j, double value) { out[j] += change * value; });
      kept[a] = fresh[n * k + a];
    }
    double square = 0.0;
    for_each_number(rows.block, r, [&](Index, double value) { square += value * value; });
    largest_(i) = std::max(largest_(i), objective.weight() * square);
  }
}

void GradientTable::visit_state(StateVisitor& visitor) {
  visitor.visit("table_mean", mean_);
  visitor.each_node(dealers_.size(), [&](std::size_t n) {
    const auto i = static_cast<Index>(n);
    visitor.visit("derivatives", derivatives_[n]);
    require<DataError>(static_cast<Index>(derivatives_[n].size()) == data_.objective(i).derivative_count(),
                       fmt::format("checkpoint: node {}", data_.global(i)), "a derivative of every row",
                       "another number of them");
    visitor.visit("largest_row", largest_(i));
    dealers_[n].visit_state(visitor);
  });
}

}  // namespace slidemesh

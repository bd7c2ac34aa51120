#include "slidemesh/core/data_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/random.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

/// Elementary operations for `rows` rows of a model of dimension d, roughly.
double gradient_work(Count rows, Index d) { return 4.0 * static_cast<double>(rows) * static_cast<double>(d + 8); }

void require_finite(const Stacked& v, Index i, Index node) {
  if (!v.col(i).allFinite()) {
    throw DataError("node " + std::to_string(node) + ": expected a finite gradient, got NaN or infinity");
  }
}

}  // namespace

DataOracle::DataOracle(const Problem& problem, Meters& meters, Index first_node, std::uint64_t seed)
    : problem_(problem),
      meters_(meters),
      first_node_(first_node),
      seed_(seed),
      values_(Vector::Zero(nodes())),
      drawn_(meters.node.size()),
      ahead_until_(meters.node.size()),
      dealers_(meters.node.size()) {}

void DataOracle::charge(Index local, Count calls) {
  meters_.at(local).data_oracle_calls += calls;
  ++meters_.at(local).data_oracle_accesses;
}

void DataOracle::full_gradient(Index i, const Stacked& x, Stacked& v, std::span<double> derivatives) {
  auto& objective = *problem_.objectives[static_cast<std::size_t>(i)];
  values_(i) = objective.gradient(AccessPurpose::kGradient, x.col(i), v.col(i), derivatives);
  require_finite(v, i, (first_node_ + i));
  if (!std::isfinite(values_(i))) {
    throw DataError("node " + std::to_string((first_node_ + i)) + ": expected a finite loss, got NaN or infinity");
  }
  charge(i, objective.rows());
}

void DataOracle::gradient(const Stacked& x, Stacked& v) {
  for_each_node(x.cols(), gradient_work(rows(0), x.rows()), [&](Index i) { full_gradient(i, x, v, {}); });
}

void DataOracle::draw(Index local, Count batch, int step, std::vector<Index>& rows_drawn) const {
  const auto node = static_cast<std::uint32_t>((first_node_ + local));
  for (Count n = 0; n < batch; ++n) {
    const std::uint64_t bits = random_bits(seed_, Purpose::kRowSampling, node, static_cast<std::uint32_t>(step),
                                           static_cast<std::uint64_t>(n));
    rows_drawn.push_back(bits_to_index(bits, rows(local)));
  }
}

void DataOracle::sampled_gradient(const Stacked& x, Count batch, int step, bool cap, Stacked& v) {
  for_each_node(x.cols(), gradient_work(batch, x.rows()), [&](Index i) {
    if (cap && batch >= rows(i)) {
      full_gradient(i, x, v, {});
      return;
    }
    auto& drawn = drawn_[static_cast<std::size_t>(i)];
    drawn.clear();
    draw(i, batch, step, drawn);
    problem_.objectives[static_cast<std::size_t>(i)]->sampled_gradient(x.col(i), drawn, v.col(i));
    require_finite(v, i, (first_node_ + i));
    charge(i, batch);
  });
}

void DataOracle::touch(Index i, ConstVectorRef x, std::span<const Index> numbers,
                       const LocalObjective::TouchVisit& visit) {
  problem_.objectives[static_cast<std::size_t>(i)]->touch(x, numbers, visit);
  charge(i, static_cast<Count>(numbers.size()));
}

void DataOracle::prefetch_touch(Index i, std::span<const Index> numbers) {
  if (gains_from_prefetch(i) && !numbers.empty()) {
    problem_.objectives[static_cast<std::size_t>(i)]->prefetch(numbers);
  }
}

bool DataOracle::gains_from_prefetch(Index i) const {
  return problem_.objectives[static_cast<std::size_t>(i)]->gains_from_prefetch();
}

void DataOracle::prefetch(const BatchOf& batch, int next, int last, bool cap) {
  for (Index i = 0; i < nodes(); ++i) {
    int& until = ahead_until_[static_cast<std::size_t>(i)];
    if (!gains_from_prefetch(i) || next <= until) {
      continue;
    }
    auto& drawn = drawn_[static_cast<std::size_t>(i)];
    drawn.clear();
    for (int step = next; step <= last; ++step) {
      const Count b = batch(step);
      if ((cap && b >= rows(i)) || (step > next && drawn.size() + static_cast<std::size_t>(b) > kReadAhead)) {
        break;
      }
      draw(i, b, step, drawn);
      until = step;
    }
    if (!drawn.empty()) {
      problem_.objectives[static_cast<std::size_t>(i)]->prefetch(drawn);
    }
  }
}

void DataOracle::prefetch_correction(std::span<const Count> batch) {
  for (Index i = 0; i < nodes(); ++i) {
    const auto& dealer = dealers_[static_cast<std::size_t>(i)];
    const Count b = batch[static_cast<std::size_t>(i)];
    const auto dealt = static_cast<Count>(dealer.order.size());
    if (b > 0 && b < rows(i) && dealer.position + b <= dealt && keeps_derivatives(i) && gains_from_prefetch(i)) {
      problem_.objectives[static_cast<std::size_t>(i)]->prefetch(
          std::span(dealer.order).subspan(static_cast<std::size_t>(dealer.position), static_cast<std::size_t>(b)));
    }
  }
}

bool DataOracle::keeps_derivatives(Index i) const {
  return problem_.objectives[static_cast<std::size_t>(i)]->derivative_count() > 0;
}

void DataOracle::snapshot(const Stacked& x, Stacked& v) {
  for_each_node(x.cols(), gradient_work(rows(0), x.rows()), [&](Index i) {
    deal_all(i);
    snapshot_at(i, x, v);
  });
}

void DataOracle::snapshot_at(Index i, const Stacked& x, Stacked& v) {
  auto& kept = dealers_[static_cast<std::size_t>(i)].derivatives;
  if (keeps_derivatives(i)) {
    kept.resize(static_cast<std::size_t>(problem_.objectives[static_cast<std::size_t>(i)]->derivative_count()));
    full_gradient(i, x, v, kept);
  } else {
    kept.assign(x.col(i).begin(), x.col(i).end());
    full_gradient(i, x, v, {});
  }
}

void DataOracle::subset_snapshot(const Stacked& x, std::span<const Count> subset, Stacked& v) {
  for_each_node(x.cols(), gradient_work(rows(0), x.rows()), [&](Index i) {
    auto& dealer = dealers_[static_cast<std::size_t>(i)];
    auto& objective = *problem_.objectives[static_cast<std::size_t>(i)];
    dealer.dealt_rows = subset[static_cast<std::size_t>(i)];
    dealer.position = 0;
    reshuffle(i);
    if (keeps_derivatives(i)) {
      dealer.derivatives.assign(static_cast<std::size_t>(objective.derivative_count()), 0.0);
      objective.keep_derivatives(x.col(i), dealer.order, dealer.derivatives, v.col(i));
    } else {
      dealer.derivatives.assign(x.col(i).begin(), x.col(i).end());
      objective.sampled_gradient(x.col(i), dealer.order, v.col(i));
    }
    require_finite(v, i, (first_node_ + i));
    charge(i, static_cast<Count>(dealer.order.size()));
  });
}

void DataOracle::corrected_gradient(const Stacked& x, std::span<const Count> batch, Snapshot& snapshot, Stacked& v,
                                    Vector& variance) {
  const Count largest = *std::max_element(batch.begin(), batch.end());
  for_each_node(x.cols(), gradient_work(largest, x.rows()), [&](Index i) {
    const Count b = batch[static_cast<std::size_t>(i)];
    variance(i) = 0.0;
    if (b == 0) {
      v.col(i) = snapshot.gradient.col(i);
    } else if (b >= rows(i)) {
      snapshot_at(i, x, v);
      snapshot.x.col(i) = x.col(i);
      snapshot.gradient.col(i) = v.col(i);
    } else {
      auto& drawn = drawn_[static_cast<std::size_t>(i)];
      deal(i, b, drawn);
      variance(i) = correction(i, x.col(i), drawn, v.col(i));
      v.col(i) += snapshot.gradient.col(i);
      require_finite(v, i, (first_node_ + i));
    }
  });
}

double DataOracle::correction(Index i, ConstVectorRef x, std::span<const Index> drawn, VectorRef g) {
  if (!keeps_derivatives(i)) {
    return correction_at_both_points(i, x, drawn, g);
  }
  const double mean_square = problem_.objectives[static_cast<std::size_t>(i)]->corrected_gradient(
      x, drawn, dealers_[static_cast<std::size_t>(i)].derivatives, g);
  const auto b = static_cast<double>(drawn.size());
  charge(i, static_cast<Count>(drawn.size()));
  return b > 1.0 ? std::max(0.0, mean_square - squared_norm(g)) * b / (b - 1.0) : mean_square;
}

double DataOracle::correction_at_both_points(Index i, ConstVectorRef x, std::span<const Index> drawn, VectorRef g) {
  auto& objective = *problem_.objectives[static_cast<std::size_t>(i)];
  const auto& kept = dealers_[static_cast<std::size_t>(i)].derivatives;
  const Eigen::Map<const Vector> snapshot(kept.data(), static_cast<Index>(kept.size()));
  Vector at(g.size());
  std::array<Vector, 2> half = {Vector::Zero(g.size()), Vector::Zero(g.size())};
  // Means of two halves of the draw: how they differ tells the variance of one row.
  const std::size_t middle = (drawn.size() + 1) / 2;
  const std::array part = {drawn.first(middle), drawn.subspan(middle)};
  g.setZero();
  for (std::size_t h = 0; h < 2; ++h) {
    if (part[h].empty()) {
      continue;
    }
    objective.sampled_gradient(x, part[h], half[h]);
    objective.sampled_gradient(snapshot, part[h], at);
    half[h] -= at;
    g += static_cast<double>(part[h].size()) / static_cast<double>(drawn.size()) * half[h];
    charge(i, static_cast<Count>(part[h].size()));
    charge(i, static_cast<Count>(part[h].size()));
  }
  if (part[1].empty()) {
    return squared_norm(g);
  }
  const double share = 1.0 / static_cast<double>(part[0].size()) + 1.0 / static_cast<double>(part[1].size());
  return squared_distance(half[0], half[1]) / share;
}

void DataOracle::set_snapshot_aside() {
  for (Dealer& dealer : dealers_) {
    dealer.aside = dealer.derivatives;
  }
}

void DataOracle::return_to_snapshot() {
  for (Dealer& dealer : dealers_) {
    dealer.derivatives = dealer.aside;
  }
}

void DataOracle::deal_all(Index local) {
  auto& dealer = dealers_[static_cast<std::size_t>(local)];
  if (dealer.dealt_rows != 0) {
    dealer.dealt_rows = 0;
    dealer.position = 0;
    ++dealer.epoch;
    reshuffle(local);
  }
}

void DataOracle::deal(Index local, Count batch, std::vector<Index>& rows_out) {
  auto& dealer = dealers_[static_cast<std::size_t>(local)];
  if (dealer.order.empty()) {
    reshuffle(local);
  }
  const auto dealt = static_cast<Count>(dealer.order.size());
  rows_out.resize(static_cast<std::size_t>(std::min(batch, dealt)));
  for (Index& row : rows_out) {
    if (dealer.position == dealt) {
      ++dealer.epoch;
      dealer.position = 0;
      reshuffle(local);
    }
    row = dealer.order[static_cast<std::size_t>(dealer.position++)];
  }
}

void DataOracle::reshuffle(Index local) {
  auto& dealer = dealers_[static_cast<std::size_t>(local)];
  const auto shuffled_by = [&](Count epoch) {
    RandomStream random(seed_, Purpose::kRowShuffle, static_cast<std::uint32_t>((first_node_ + local)),
                        static_cast<std::uint32_t>(epoch));
    shuffle(dealer.order, random);
  };
  dealer.order.resize(static_cast<std::size_t>(rows(local)));
  std::iota(dealer.order.begin(), dealer.order.end(), Index{0});
  if (dealer.dealt_rows != 0) {
    shuffled_by(0);  // which rows the subset has never changes, only their order
    dealer.order.resize(static_cast<std::size_t>(dealer.dealt_rows));
  }
  if (dealer.dealt_rows == 0 || dealer.epoch > 0) {
    shuffled_by(dealer.epoch);
  }
}

/// A checkpoint is not to be trusted further than this.
void DataOracle::require_sensible(Index i) const {
  const auto& dealer = dealers_[static_cast<std::size_t>(i)];
  const Index all = keeps_derivatives(i) ? problem_.objectives[static_cast<std::size_t>(i)]->derivative_count()
                                         : problem_.dimension();
  const auto fits = [&](const std::vector<double>& kept) {
    return kept.empty() || static_cast<Index>(kept.size()) == all;
  };
  const Count dealt = dealer.dealt_rows == 0 ? rows(i) : dealer.dealt_rows;
  if (dealer.dealt_rows < 0 || dealt > rows(i) || dealer.position < 0 || dealer.position > dealt || dealer.epoch < 0 ||
      !fits(dealer.derivatives) || !fits(dealer.aside)) {
    throw DataError("checkpoint: node " + std::to_string((first_node_ + i)) +
                    ": expected a place in a permutation of its rows, got none");
  }
}

void DataOracle::visit_state(StateVisitor& visitor) {
  for (Index i = 0; i < nodes(); ++i) {
    auto& dealer = dealers_[static_cast<std::size_t>(i)];
    visitor.node(i);
    visitor.visit("derivatives", dealer.derivatives);
    visitor.visit("derivatives_aside", dealer.aside);
    visitor.visit("dealt_rows", dealer.dealt_rows);
    visitor.visit("dealt_position", dealer.position);
    visitor.visit("dealt_epoch", dealer.epoch);
    if (visitor.is_reading()) {
      require_sensible(i);
      reshuffle(i);
    }
  }
  visitor.all_nodes();
}

}  // namespace slidemesh

#include "slidemesh/core/data_oracle.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "slidemesh/core/errors.h"
#include "slidemesh/core/parallel.h"
#include "slidemesh/core/random.h"

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

DataOracle::DataOracle(const Problem& problem, Network& network, std::uint64_t seed)
    : problem_(problem),
      network_(network),
      seed_(seed),
      values_(Vector::Zero(network.local_nodes())),
      drawn_(static_cast<std::size_t>(network.local_nodes())),
      dealers_(static_cast<std::size_t>(network.local_nodes())) {}

void DataOracle::charge(Index local, Count calls) {
  network_.meters().at(local).data_oracle_calls += calls;
  ++network_.meters().at(local).data_oracle_accesses;
}

void DataOracle::full_gradient(Index i, const Stacked& x, Stacked& v, std::span<double> derivatives) {
  auto& objective = *problem_.objectives[static_cast<std::size_t>(i)];
  values_(i) = objective.gradient(AccessPurpose::kGradient, x.col(i), v.col(i), derivatives);
  require_finite(v, i, network_.global(i));
  charge(i, objective.rows());
}

void DataOracle::gradient(const Stacked& x, Stacked& v) {
  for_each_node(x.cols(), gradient_work(rows(0), x.rows()), [&](Index i) { full_gradient(i, x, v, {}); });
}

std::vector<Index>& DataOracle::draw(Index local, Count batch, int step) {
  auto& drawn = drawn_[static_cast<std::size_t>(local)];
  drawn.resize(static_cast<std::size_t>(batch));
  const auto node = static_cast<std::uint32_t>(network_.global(local));
  for (Count n = 0; n < batch; ++n) {
    const std::uint64_t bits = random_bits(seed_, Purpose::kRowSampling, node, static_cast<std::uint32_t>(step),
                                           static_cast<std::uint64_t>(n));
    drawn[static_cast<std::size_t>(n)] = bits_to_index(bits, rows(local));
  }
  return drawn;
}

void DataOracle::sampled_gradient(const Stacked& x, Count batch, int step, bool cap, Stacked& v) {
  for_each_node(x.cols(), gradient_work(batch, x.rows()), [&](Index i) {
    if (cap && batch >= rows(i)) {
      full_gradient(i, x, v, {});
      return;
    }
    problem_.objectives[static_cast<std::size_t>(i)]->sampled_gradient(x.col(i), draw(i, batch, step), v.col(i));
    require_finite(v, i, network_.global(i));
    charge(i, batch);
  });
}

void DataOracle::prefetch(Count batch, int step, bool cap) {
  for (Index i = 0; i < network_.local_nodes(); ++i) {
    auto& objective = *problem_.objectives[static_cast<std::size_t>(i)];
    if (objective.gains_from_prefetch() && !(cap && batch >= rows(i))) {
      objective.prefetch(draw(i, batch, step));
    }
  }
}

void DataOracle::snapshot(const Stacked& x, Stacked& v) {
  for_each_node(x.cols(), gradient_work(rows(0), x.rows()), [&](Index i) {
    auto& dealer = dealers_[static_cast<std::size_t>(i)];
    dealer.derivatives.resize(static_cast<std::size_t>(problem_.objectives[static_cast<std::size_t>(i)]->derivative_count()));
    full_gradient(i, x, v, dealer.derivatives);
  });
}

void DataOracle::corrected_gradient(const Stacked& x, const Stacked& snapshot_gradient, Count batch, Stacked& v) {
  for_each_node(x.cols(), gradient_work(batch, x.rows()), [&](Index i) {
    auto& drawn = drawn_[static_cast<std::size_t>(i)];
    deal(i, std::min<Count>(batch, rows(i)), drawn);
    problem_.objectives[static_cast<std::size_t>(i)]->corrected_gradient(
        x.col(i), drawn, dealers_[static_cast<std::size_t>(i)].derivatives, v.col(i));
    v.col(i) += snapshot_gradient.col(i);
    require_finite(v, i, network_.global(i));
    charge(i, static_cast<Count>(drawn.size()));
  });
}

void DataOracle::deal(Index local, Count batch, std::vector<Index>& rows_out) {
  auto& dealer = dealers_[static_cast<std::size_t>(local)];
  if (dealer.order.empty()) {
    reshuffle(local);
  }
  rows_out.resize(static_cast<std::size_t>(batch));
  for (Index& row : rows_out) {
    if (dealer.position == rows(local)) {
      ++dealer.epoch;
      dealer.position = 0;
      reshuffle(local);
    }
    row = dealer.order[static_cast<std::size_t>(dealer.position++)];
  }
}

void DataOracle::reshuffle(Index local) {
  auto& dealer = dealers_[static_cast<std::size_t>(local)];
  dealer.order.resize(static_cast<std::size_t>(rows(local)));
  std::iota(dealer.order.begin(), dealer.order.end(), Index{0});
  RandomStream random(seed_, Purpose::kRowShuffle, static_cast<std::uint32_t>(network_.global(local)),
                      static_cast<std::uint32_t>(dealer.epoch));
  shuffle(dealer.order, random);
}

void DataOracle::restore_dealers() {
  for (Index i = 0; i < network_.local_nodes(); ++i) {
    reshuffle(i);
  }
}

}  // namespace slidemesh

#include "slidemesh/core/data_oracle.h"

#include <fmt/format.h>

#include <cmath>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/random.h"
#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

double gradient_work(Count rows, Index d) { return 4.0 * static_cast<double>(rows) * static_cast<double>(d + 8); }

void charge_smoothness(const Problem& problem, Meters& meters) {
  for (std::size_t i = 0; i < problem.objectives.size(); ++i) {
    const Count calls = problem.objectives[i]->smoothness_calls();
    meters.node[i].data_oracle_calls += calls;
    meters.node[i].data_oracle_accesses += calls / problem.objectives[i]->rows();
  }
}

DataOracle::DataOracle(const Problem& problem, Meters& meters, Index first_node, std::uint64_t seed)
    : problem_(problem),
      meters_(meters),
      first_node_(first_node),
      seed_(seed),
      values_(Vector::Zero(nodes())),
      drawn_(meters.node.size()),
      ahead_until_(meters.node.size()) {}

void DataOracle::charge(Index local, Count calls) {
  meters_.at(local).data_oracle_calls += calls;
  ++meters_.at(local).data_oracle_accesses;
}

void DataOracle::require_finite(Index i, std::span<const double> gradient) const {
  if (!inlined::all_finite(gradient.data(), static_cast<Index>(gradient.size()))) {
    fail<DataError>(fmt::format("node {}", global(i)), "a finite gradient", "NaN or infinity");
  }
}

void DataOracle::require_finite_gradient(Index i, const Stacked& v) const {
  require_finite(i, {v.col(i).data(), static_cast<std::size_t>(v.rows())});
}

void DataOracle::full_gradient(Index i, const Stacked& x, Stacked& v, std::span<double> derivatives) {
  gradient_of(i, objective(i), x.col(i), v.col(i), derivatives);
}

void DataOracle::gradient_of(Index i, LocalObjective& form, ConstVectorRef x, VectorRef v,
                             std::span<double> derivatives) {
  values_(i) = form.gradient(AccessPurpose::kGradient, x, v, derivatives);
  require_finite(i, {v.data(), static_cast<std::size_t>(v.size())});
  if (!std::isfinite(values_(i))) {
    fail<DataError>(fmt::format("node {}", global(i)), "a finite loss", "NaN or infinity");
  }
  charge(i, rows(i));
}

void DataOracle::derivatives(Index i, ConstVectorRef x, std::span<double> derivatives) {
  objective(i).derivatives(AccessPurpose::kGradient, x, derivatives);
  require_finite(i, derivatives);
  charge(i, rows(i));
}

void DataOracle::gradient(const Stacked& x, Stacked& v) {
  for_each_node(x.cols(), gradient_work(rows(0), x.rows()), [&](Index i) { full_gradient(i, x, v, {}); });
}

void DataOracle::draw(Index local, Count batch, int step, std::vector<Index>& rows_drawn) const {
  const auto node = static_cast<std::uint32_t>(global(local));
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
    objective(i).sampled_gradient(x.col(i), drawn, v.col(i));
    require_finite_gradient(i, v);
    charge(i, batch);
  });
}

void DataOracle::touch(Index i, ConstVectorRef x, std::span<const Index> numbers,
                       const LocalObjective::TouchVisit& visit) {
  objective(i).touch(AccessPurpose::kGradient, x, numbers, visit);
  charge(i, static_cast<Count>(numbers.size()));
}

void DataOracle::prefetch(const BatchOf& batch, int next, int last, bool cap) {
  for (Index i = 0; i < nodes(); ++i) {
    int& until = ahead_until_[static_cast<std::size_t>(i)];
    if (!objective(i).gains_from_prefetch() || next <= until) {
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
      objective(i).prefetch(drawn);
    }
  }
}

}  // namespace slidemesh

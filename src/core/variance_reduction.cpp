#include "slidemesh/core/variance_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

VarianceReduction::VarianceReduction(DataOracle& data, std::uint64_t seed)
    : data_(data), kept_(static_cast<std::size_t>(data.nodes())), drawn_(static_cast<std::size_t>(data.nodes())) {
  for (Index i = 0; i < data.nodes(); ++i) {
    dealers_.emplace_back(seed, data.global(i), data.rows(i));
  }
}

void VarianceReduction::snapshot(const Stacked& x, Stacked& v) {
  for_each_node(x.cols(), gradient_work(data_.rows(0), x.rows()), [&](Index i) {
    dealers_[static_cast<std::size_t>(i)].deal_all();
    snapshot_at(i, x, v);
  });
}

void VarianceReduction::snapshot_at(Index i, const Stacked& x, Stacked& v) {
  auto& derivatives = kept_[static_cast<std::size_t>(i)].derivatives;
  if (keeps_derivatives(i)) {
    derivatives.resize(static_cast<std::size_t>(objective(i).derivative_count()));
    data_.full_gradient(i, x, v, derivatives);
  } else {
    derivatives.assign(x.col(i).begin(), x.col(i).end());
    data_.full_gradient(i, x, v, {});
  }
}

void VarianceReduction::subset_snapshot(const Stacked& x, std::span<const Count> subset, Stacked& v) {
  for_each_node(x.cols(), gradient_work(data_.rows(0), x.rows()), [&](Index i) {
    auto& dealer = dealers_[static_cast<std::size_t>(i)];
    auto& derivatives = kept_[static_cast<std::size_t>(i)].derivatives;
    dealer.deal_subset(subset[static_cast<std::size_t>(i)]);
    auto& drawn = drawn_[static_cast<std::size_t>(i)];
    drawn.assign(dealer.dealt().begin(), dealer.dealt().end());
    if (keeps_derivatives(i)) {
      derivatives.assign(static_cast<std::size_t>(objective(i).derivative_count()), 0.0);
      objective(i).keep_derivatives(x.col(i), drawn, derivatives, v.col(i));
    } else {
      derivatives.assign(x.col(i).begin(), x.col(i).end());
      objective(i).sampled_gradient(x.col(i), drawn, v.col(i));
    }
    data_.require_finite_gradient(i, v);
    data_.charge(i, static_cast<Count>(drawn.size()));
  });
}

void VarianceReduction::corrected_gradient(const Stacked& x, std::span<const Count> batch, Snapshot& snapshot,
                                           Stacked& v, Vector& variance) {
  const Count largest = *std::max_element(batch.begin(), batch.end());
  for_each_node(x.cols(), gradient_work(largest, x.rows()), [&](Index i) {
    const Count b = batch[static_cast<std::size_t>(i)];
    variance(i) = 0.0;
    if (b == 0) {
      snapshot.gradient.column(i).expand(v.col(i));
    } else if (b >= data_.rows(i)) {
      snapshot_at(i, x, v);
      snapshot.x.assign(i, x.col(i));
      snapshot.gradient.assign(i, v.col(i));
    } else {
      auto& drawn = drawn_[static_cast<std::size_t>(i)];
      dealers_[static_cast<std::size_t>(i)].deal(b, drawn);
      variance(i) = correction(i, x.col(i), drawn, v.col(i));
      snapshot.gradient.column(i).add_to(1.0, v.col(i).data());
      data_.require_finite_gradient(i, v);
    }
  });
}

double VarianceReduction::correction(Index i, ConstVectorRef x, std::span<const Index> drawn, VectorRef g) {
  if (!keeps_derivatives(i)) {
    return correction_at_both_points(i, x, drawn, g);
  }
  const double mean_square =
      objective(i).corrected_gradient(x, drawn, kept_[static_cast<std::size_t>(i)].derivatives, g);
  const auto b = static_cast<double>(drawn.size());
  data_.charge(i, static_cast<Count>(drawn.size()));
  return b > 1.0 ? std::max(0.0, mean_square - squared_norm(g)) * b / (b - 1.0) : mean_square;
}

double VarianceReduction::correction_at_both_points(Index i, ConstVectorRef x, std::span<const Index> drawn,
                                                    VectorRef g) {
  const auto& kept = kept_[static_cast<std::size_t>(i)].derivatives;
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
    objective(i).sampled_gradient(x, part[h], half[h]);
    objective(i).sampled_gradient(snapshot, part[h], at);
    half[h] -= at;
    g += static_cast<double>(part[h].size()) / static_cast<double>(drawn.size()) * half[h];
    data_.charge(i, static_cast<Count>(part[h].size()));
    data_.charge(i, static_cast<Count>(part[h].size()));
  }
  if (part[1].empty()) {
    return squared_norm(g);
  }
  const double share = 1.0 / static_cast<double>(part[0].size()) + 1.0 / static_cast<double>(part[1].size());
  return squared_distance(half[0], half[1]) / share;
}

void VarianceReduction::prefetch(std::span<const Count> batch) {
  for (Index i = 0; i < data_.nodes(); ++i) {
    const Count b = batch[static_cast<std::size_t>(i)];
    if (b > 0 && b < data_.rows(i) && keeps_derivatives(i) && objective(i).gains_from_prefetch()) {
      auto& next = drawn_[static_cast<std::size_t>(i)];
      dealers_[static_cast<std::size_t>(i)].foresee(b, next);
      if (!next.empty()) {
        objective(i).prefetch(next);
      }
    }
  }
}

void VarianceReduction::set_snapshot_aside() {
  for (Kept& kept : kept_) {
    kept.aside = kept.derivatives;
  }
}

void VarianceReduction::return_to_snapshot() {
  for (Kept& kept : kept_) {
    kept.derivatives = kept.aside;
  }
}

/// A checkpoint is not to be trusted further than this.
void VarianceReduction::require_sensible(Index i) {
  const Index all = keeps_derivatives(i) ? objective(i).derivative_count() : objective(i).dimension();
  for (const auto* kept :
       {&kept_[static_cast<std::size_t>(i)].derivatives, &kept_[static_cast<std::size_t>(i)].aside}) {
    if (!kept->empty() && static_cast<Index>(kept->size()) != all) {
      fail<DataError>(fmt::format("checkpoint: node {}", data_.global(i)),
                      fmt::format("{} numbers of its snapshot", all), std::to_string(kept->size()));
    }
  }
}

void VarianceReduction::visit_state(StateVisitor& visitor) {
  visitor.each_node(kept_.size(), [&](std::size_t i) {
    visitor.visit("snapshot.derivatives", kept_[i].derivatives);
    visitor.visit("snapshot.derivatives_aside", kept_[i].aside);
    require_sensible(static_cast<Index>(i));
    dealers_[i].visit_state(visitor);
  });
}

}  // namespace slidemesh

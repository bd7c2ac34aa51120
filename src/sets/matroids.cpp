#include "slidemesh/sets/matroids.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "checks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

using detail::at;

// ---- matroids ----------------------------------------------------------------------------------

GraphicMatroid::GraphicMatroid(Index nodes, std::vector<Arc> edges) : edges_(std::move(edges)), parent_(at(nodes)) {
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    for (const Index end : {edges_[k].from, edges_[k].to}) {
      if (end < 0 || end >= nodes) {
        fail<UsageError>("spanning-trees", fmt::format("nodes from 0 to {} in edge {}", nodes - 1, k),
                         std::to_string(end));
      }
    }
  }
  GraphicMatroid::clear();
}

void GraphicMatroid::clear() { std::iota(parent_.begin(), parent_.end(), Index{0}); }

Index GraphicMatroid::root(Index node) {
  while (parent_[at(node)] != node) {
    parent_[at(node)] = parent_[at(parent_[at(node)])];
    node = parent_[at(node)];
  }
  return node;
}

bool GraphicMatroid::add(Index element) {
  const Index from = root(edges_[at(element)].from);
  const Index to = root(edges_[at(element)].to);
  if (from == to) {
    return false;
  }
  parent_[at(std::max(from, to))] = std::min(from, to);
  return true;
}

PartitionMatroid::PartitionMatroid(std::vector<Index> class_of, std::vector<Index> limits)
    : class_of_(std::move(class_of)), limits_(std::move(limits)), taken_(limits_.size()) {
  for (const Index c : class_of_) {
    if (c < 0 || c >= static_cast<Index>(limits_.size())) {
      fail<UsageError>("matroid-bases", fmt::format("classes from 0 to {}", limits_.size() - 1), std::to_string(c));
    }
  }
}

void PartitionMatroid::clear() { std::fill(taken_.begin(), taken_.end(), Index{0}); }

bool PartitionMatroid::add(Index element) {
  const std::size_t c = at(class_of_[at(element)]);
  if (taken_[c] >= limits_[c]) {
    return false;
  }
  ++taken_[c];
  return true;
}

LinearMatroid::LinearMatroid(Matrix columns)
    : columns_(std::move(columns)),
      basis_(columns_.rows(), std::min(columns_.rows(), columns_.cols())),
      rest_(columns_.rows()) {
  require<UsageError>(columns_.allFinite(), "matroid-bases", "a matrix of finite numbers", "one with others");
}

/// Independent if something is left of the column when its part along the basis is taken off (twice, for rounding).
bool LinearMatroid::add(Index element) {
  constexpr double kDependent = 1e-9;
  if (rank_ == basis_.cols()) {
    return false;
  }
  rest_ = columns_.col(element);
  const double before = norm(rest_);
  for (int pass = 0; pass < 2; ++pass) {
    for (Index k = 0; k < rank_; ++k) {
      axpy(-dot(basis_.col(k), rest_), basis_.col(k).data(), rest_.data(), rest_.size());
    }
  }
  const double after = norm(rest_);
  if (!(after > kDependent * before)) {
    return false;
  }
  basis_.col(rank_++) = rest_ / after;
  return true;
}

// ---- their bases -------------------------------------------------------------------------------

MatroidBases::MatroidBases(std::unique_ptr<Matroid> matroid)
    : OraclePolytope(detail::require_dimension(matroid->elements(), kName)),
      matroid_(std::move(matroid)),
      order_(at(dimension())),
      start_(dimension()) {
  linear_minimizer(Vector::Zero(dimension()), start_);
  rank_ = static_cast<Index>(std::llround(start_.sum()));
  set_diameter(std::sqrt(2.0 * static_cast<double>(std::min(rank_, dimension() - rank_))));
}

void MatroidBases::linear_minimizer(ConstVectorRef g, VectorRef v) {
  detail::sort_places(order_, detail::ByNumber{g.data()});
  matroid_->clear();
  v.setZero();
  for (const Index element : order_) {
    v[element] = matroid_->add(element) ? 1.0 : 0.0;
  }
}

double MatroidBases::violation(ConstVectorRef x) const { return detail::distance_by_oracle(*this, x); }

std::unique_ptr<FeasibleSet> spanning_trees(Index nodes, std::vector<Arc> edges) {
  require<UsageError>(!edges.empty(), "spanning-trees", "edges", "none");
  auto set = std::make_unique<MatroidBases>(std::make_unique<GraphicMatroid>(nodes, std::move(edges)));
  require<UsageError>(set->rank() == nodes - 1, "spanning-trees", "a connected graph",
                      fmt::format("one of {} pieces", nodes - set->rank()));
  return set;
}

}  // namespace slidemesh

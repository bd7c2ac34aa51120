#include "slidemesh/sets/polytope.h"

#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "checks.h"
#include "min_norm_point.h"
#include "slidemesh/core/errors.h"
#include "slidemesh/core/kernels.h"

namespace slidemesh {
namespace {

constexpr double kFeasibility = 1e-10;
constexpr double kOptimality = 1e-10;
constexpr int kDualInfeasible = 2;
constexpr int kPrimalInfeasible = 1;

std::vector<int> to_int(const std::vector<Index>& values) { return {values.begin(), values.end()}; }

}  // namespace

struct Polytope::Solver {
  explicit Solver(const PolytopeRows& rows) {
    const auto d = static_cast<int>(rows.dimension);
    const auto m = static_cast<int>(rows.lower.size());
    const std::vector<int> columns = to_int(rows.columns);
    std::vector<CoinBigIndex> starts(rows.offsets.begin(), rows.offsets.end());
    std::vector<int> lengths;
    for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
      lengths.push_back(static_cast<int>(rows.offsets[i + 1] - rows.offsets[i]));
    }
    const CoinPackedMatrix by_row(false, d, m, static_cast<CoinBigIndex>(rows.values.size()), rows.values.data(),
                                  columns.data(), starts.data(), lengths.data());
    Vector lower = rows.variable_lower;
    Vector upper = rows.variable_upper;
    if (lower.size() == 0) {
      lower.setConstant(rows.dimension, -COIN_DBL_MAX);
    }
    if (upper.size() == 0) {
      upper.setConstant(rows.dimension, COIN_DBL_MAX);
    }
    const Vector cost = Vector::Zero(rows.dimension);
    clp.setLogLevel(0);
    clp.loadProblem(by_row, lower.data(), upper.data(), cost.data(), rows.lower.data(), rows.upper.data());
    clp.setPrimalTolerance(kFeasibility);
    clp.setDualTolerance(kOptimality);
    clp.setLogLevel(0);
  }

  /// Minimizes <cost, x> from the last basis; Clp's status.
  int minimize(const double* cost) {
    clp.setOptimizationDirection(1.0);
    for (int j = 0; j < clp.numberColumns(); ++j) {
      clp.setObjectiveCoefficient(j, cost[j]);
    }
    clp.primal(1);
    return clp.status();
  }

  ClpSimplex clp;
};

Polytope::Polytope(PolytopeRows rows)
    : SetBase(detail::require_dimension(rows.dimension, kName)),
      rows_(std::move(rows)),
      solver_(std::make_unique<Solver>(rows_)) {
  explore();
}

// A fresh solver, so that a copy's answers depend on its own past alone.
Polytope::Polytope(const Polytope& other)
    : SetBase(other),
      rows_(other.rows_),
      diameter_(other.diameter_),
      start_(other.start_),
      solver_(std::make_unique<Solver>(rows_)) {}

Polytope::~Polytope() = default;

/// Both ends of every coordinate: is there a point, is there an end, and how large is the box around.
void Polytope::explore() {
  const Index d = dimension();
  Vector cost = Vector::Zero(d);
  start_ = Vector::Zero(d);
  double square = 0.0;
  for (Index j = 0; j < d; ++j) {
    double end[2] = {};
    for (int side = 0; side < 2; ++side) {
      cost[j] = side == 0 ? 1.0 : -1.0;
      const int status = solver_->minimize(cost.data());
      if (status == kPrimalInfeasible) {
        throw UsageError("polytope: expected constraints that some point meets, got an empty set");
      }
      if (status == kDualInfeasible) {
        throw UsageError("polytope: expected a bounded set, got one without end in coordinate " + std::to_string(j));
      }
      if (status != 0) {
        throw UsageError("polytope: expected constraints that the simplex method can work with, got Clp's status " +
                         std::to_string(status));
      }
      const double* x = solver_->clp.primalColumnSolution();
      end[side] = x[j];
      for (Index i = 0; i < d; ++i) {
        start_[i] += x[i] / static_cast<double>(2 * d);
      }
    }
    cost[j] = 0.0;
    square += (end[1] - end[0]) * (end[1] - end[0]);
  }
  diameter_ = std::sqrt(square);
  solver_ = std::make_unique<Solver>(rows_);
}

void Polytope::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const double largest = std::abs(g[largest_magnitude(g.data(), g.size())]);
  v = largest > 0.0 ? Vector(g / largest) : Vector(Vector::Unit(g.size(), 0));
  int status = solver_->minimize(v.data());
  if (status != 0) {
    solver_ = std::make_unique<Solver>(rows_);  // numerical trouble from a bad basis: once more from scratch
    status = solver_->minimize(v.data());
  }
  if (status != 0) {
    throw InternalError("polytope: expected an optimum, got Clp's status " + std::to_string(status));
  }
  std::copy_n(solver_->clp.primalColumnSolution(), v.size(), v.data());
}

void Polytope::project(ConstVectorRef x, VectorRef nearest) { detail::nearest_point_by_oracle(*this, x, nearest); }

double Polytope::violation(ConstVectorRef x) const {
  double worst = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows_.lower.size(); ++i) {
    double value = 0.0;
    for (std::size_t k = rows_.offsets[i]; k < rows_.offsets[i + 1]; ++k) {
      value += rows_.values[k] * x[rows_.columns[k]];
    }
    worst = std::max({worst, rows_.lower[i] - value, value - rows_.upper[i]});
  }
  for (Index j = 0; j < rows_.variable_lower.size(); ++j) {
    worst = std::max(worst, rows_.variable_lower[j] - x[j]);
  }
  for (Index j = 0; j < rows_.variable_upper.size(); ++j) {
    worst = std::max(worst, x[j] - rows_.variable_upper[j]);
  }
  return worst;
}

// The basis says from where the next call sets out, and ties are broken by where one comes from. Who writes goes on
// with a fresh solver too, so that it and who reads are in the same state.
void Polytope::visit_state(StateVisitor& visitor) {
  std::vector<Count> basis;
  if (solver_->clp.statusExists()) {
    const unsigned char* status = solver_->clp.statusArray();
    basis.assign(status, status + rows_.lower.size() + static_cast<std::size_t>(rows_.dimension));
  }
  visitor.visit("polytope.basis", basis);
  if (!basis.empty() && basis.size() != rows_.lower.size() + static_cast<std::size_t>(rows_.dimension)) {
    throw DataError("checkpoint: expected the basis of a polytope, got something else");
  }
  solver_ = std::make_unique<Solver>(rows_);
  if (!basis.empty()) {
    const std::vector<unsigned char> status(basis.begin(), basis.end());
    solver_->clp.copyinStatus(status.data());
  }
}

// ---- hull --------------------------------------------------------------------------------------

Hull::Hull(Matrix points)
    : SetBase(detail::require_dimension(points.rows(), kName)), points_(std::move(points)), scaled_(points_.rows()) {
  if (points_.cols() == 0) {
    throw UsageError("hull: expected at least one point, got none");
  }
  for (Index i = 0; i < points_.cols(); ++i) {
    if (!points_.col(i).allFinite()) {
      throw UsageError("hull: expected finite numbers, got others in point " + std::to_string(i));
    }
  }
  // Twice the largest distance from the mean: an upper bound without looking at all pairs.
  const Vector mean = points_.rowwise().mean();
  double farthest = 0.0;
  for (Index i = 0; i < points_.cols(); ++i) {
    farthest = std::max(farthest, squared_distance(points_.col(i), mean));
  }
  diameter_ = 2.0 * std::sqrt(farthest);
}

void Hull::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const double largest = std::abs(g[largest_magnitude(g.data(), g.size())]);
  if (largest > 0.0) {
    scaled_ = g / largest;
  } else {
    scaled_ = Vector::Unit(g.size(), 0);
  }
  Index best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < points_.cols(); ++i) {
    const double value = dot(scaled_, points_.col(i));
    if (value < least) {
      least = value;
      best = i;
    }
  }
  v = points_.col(best);
}

void Hull::project(ConstVectorRef x, VectorRef nearest) { detail::nearest_point_by_oracle(*this, x, nearest); }

double Hull::violation(ConstVectorRef x) const { return detail::distance_by_oracle(*this, x); }

void Hull::start(VectorRef x) const { x = points_.rowwise().mean(); }

}  // namespace slidemesh

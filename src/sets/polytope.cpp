#include "slidemesh/sets/polytope.h"

#include <coin/Clp_C_Interface.h>
#include <fmt/core.h>

#include <Eigen/SparseCore>
#include <Eigen/SparseQR>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "checks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/late_library.h"
#include "slidemesh/linalg/kernels.h"

// Clp is opened when the first program is solved, through its C interface.
#define SLIDEMESH_CLP(name) SLIDEMESH_LATE(slidemesh::kClp, name)

namespace slidemesh {
namespace {

constexpr LateLibrary kClp{SLIDEMESH_CLP_FILE, "polytope",
                           "the linear programming library Clp (Debian: coinor-libclp1)"};

constexpr double kFeasibility = 1e-10;
constexpr double kOptimality = 1e-10;
constexpr unsigned kStatusBits = 7;  // of a byte that holds marks of a search under way as well

/// Far more pivots than a program of this size takes: beyond, the simplex method goes in circles.
int most_pivots(int rows, int columns) { return 10'000 + 100 * (rows + columns); }

struct Deleter {
  void operator()(Clp_Simplex* model) const { SLIDEMESH_CLP(Clp_deleteModel)(model); }
};
using Model = std::unique_ptr<Clp_Simplex, Deleter>;

}  // namespace

namespace detail {

static_assert(std::is_same_v<CoinBigIndex, int>);

/// min <cost, x> over the points of a polytope, by Clp's primal simplex method.
class LinearProgram {
 public:
  /// What became of a call: Clp's numbers.
  static constexpr int kOptimal = 0;
  static constexpr int kPrimalInfeasible = 1;
  static constexpr int kDualInfeasible = 2;
  /// A variable's place in a basis: Clp's numbers, from 0 on.
  static constexpr int kBasic = 1;
  static constexpr int kLargestStatus = 5;

  explicit LinearProgram(const PolytopeRows& rows)
      : rows_(static_cast<int>(rows.lower.size())),
        columns_(static_cast<int>(rows.dimension)),
        by_columns_(rows_, columns_),
        lower_(rows.variable_lower),
        upper_(rows.variable_upper),
        row_lower_(rows.lower),
        row_upper_(rows.upper) {
    if (lower_.size() == 0) {
      lower_.setConstant(rows.dimension, -kInfinity);
    }
    if (upper_.size() == 0) {
      upper_.setConstant(rows.dimension, kInfinity);
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
      for (std::size_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
        entries.emplace_back(static_cast<int>(i), static_cast<int>(rows.columns[k]), rows.values[k]);
      }
    }
    by_columns_.setFromTriplets(entries.begin(), entries.end());
  }

  /// Minimizes <cost, x> from `basis` (statuses of the columns, then of the rows; empty: none), and leaves there the
  /// basis of the answer, where it is optimal; returns what became of it.
  ///
  /// Clp carries more than the basis from one call to the next (weights of pivots, a random generator), and no
  /// checkpoint could hold that. So each call loads the problem again: the answer depends on the question and the
  /// basis alone.
  int minimize(const double* cost, std::vector<unsigned char>& basis, VectorRef answer) const {
    const Model model(SLIDEMESH_CLP(Clp_newModel)());
    Clp_Simplex* const clp = model.get();
    SLIDEMESH_CLP(Clp_setLogLevel)(clp, 0);
    SLIDEMESH_CLP(Clp_loadProblem)
    (clp, columns_, rows_, by_columns_.outerIndexPtr(), by_columns_.innerIndexPtr(), by_columns_.valuePtr(),
     lower_.data(), upper_.data(), cost, row_lower_.data(), row_upper_.data());
    SLIDEMESH_CLP(Clp_setPrimalTolerance)(clp, kFeasibility);
    SLIDEMESH_CLP(Clp_setDualTolerance)(clp, kOptimality);
    SLIDEMESH_CLP(Clp_setMaximumIterations)(clp, most_pivots(rows_, columns_));
    if (!basis.empty()) {
      SLIDEMESH_CLP(Clp_copyinStatus)(clp, basis.data());
    }
    SLIDEMESH_CLP(Clp_primal)(clp, 1);
    const int status = SLIDEMESH_CLP(Clp_status)(clp);
    if (status == kOptimal) {
      basis.resize(static_cast<std::size_t>(rows_) + static_cast<std::size_t>(columns_));
      const unsigned char* statuses = SLIDEMESH_CLP(Clp_statusArray)(clp);
      std::transform(statuses, statuses + basis.size(), basis.begin(),
                     [](unsigned char one) { return static_cast<unsigned char>(one & kStatusBits); });
      std::copy_n(SLIDEMESH_CLP(Clp_primalColumnSolution)(clp), answer.size(), answer.data());
    }
    return status;
  }

 private:
  int rows_ = 0;
  int columns_ = 0;
  Eigen::SparseMatrix<double> by_columns_;
  Vector lower_;  ///< of the variables
  Vector upper_;
  std::vector<double> row_lower_;
  std::vector<double> row_upper_;
};

}  // namespace detail

namespace {

using detail::LinearProgram;

/// Whether statuses, those of the columns before those of the rows, choose a basis: as many basic variables as rows,
/// with columns that are linearly independent. Clp itself crashes or runs on for ever on some that do not.
///
/// A basic row is a unit column. So what remains to be seen is whether the other rows of the basic columns of A make a
/// matrix of full rank.
bool is_basis(const PolytopeRows& rows, const std::vector<Count>& statuses) {
  const auto columns = static_cast<std::size_t>(rows.dimension);
  const std::size_t count = rows.lower.size();
  const auto is_basic = [&](std::size_t i) { return statuses[i] == Count{LinearProgram::kBasic}; };
  if (statuses.size() != columns + count ||
      std::ranges::any_of(statuses, [](Count s) { return s < 0 || s > LinearProgram::kLargestStatus; }) ||
      std::ranges::count(statuses, Count{LinearProgram::kBasic}) != static_cast<Count>(count)) {
    return false;
  }
  std::vector<int> place(columns, -1);
  int size = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    place[j] = is_basic(j) ? size++ : -1;
  }
  if (size == 0) {
    return true;
  }
  std::vector<Eigen::Triplet<double>> entries;
  int row = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_basic(columns + i)) {
      continue;
    }
    for (std::size_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
      const int column = place[static_cast<std::size_t>(rows.columns[k])];
      if (column >= 0) {
        entries.emplace_back(row, column, rows.values[k]);
      }
    }
    ++row;
  }
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr(matrix);
  return qr.info() == Eigen::Success && qr.rank() == size;
}

}  // namespace

Polytope::Polytope(PolytopeRows rows)
    : OraclePolytope(detail::require_dimension(rows.dimension, kName)),
      rows_(std::move(rows)),
      program_(std::make_shared<const LinearProgram>(rows_)) {
  explore();
}

// Without the basis, so that a copy's answers depend on its own past alone.
Polytope::Polytope(const Polytope& other)
    : OraclePolytope(other), rows_(other.rows_), start_(other.start_), program_(other.program_) {}

/// Both ends of every coordinate: is there a point, is there an end, and how large is the box around.
void Polytope::explore() {
  const Index d = dimension();
  Vector cost = Vector::Zero(d);
  start_ = Vector::Zero(d);
  double square = 0.0;
  Vector x(d);
  for (Index j = 0; j < d; ++j) {
    double end[2] = {};
    for (int side = 0; side < 2; ++side) {
      cost[j] = side == 0 ? 1.0 : -1.0;
      const int status = program_->minimize(cost.data(), basis_, x);
      require<UsageError>(status != LinearProgram::kPrimalInfeasible, kName, "constraints that some point meets",
                          "an empty set");
      require<UsageError>(status != LinearProgram::kDualInfeasible, kName, "a bounded set",
                          fmt::format("one without end in coordinate {}", j));
      require<UsageError>(status == LinearProgram::kOptimal, kName, "constraints that the simplex method can work with",
                          fmt::format("Clp's status {}", status));
      end[side] = x[j];
      start_ += x / static_cast<double>(2 * d);
    }
    cost[j] = 0.0;
    square += (end[1] - end[0]) * (end[1] - end[0]);
  }
  set_diameter(std::sqrt(square));
  basis_.clear();
}

void Polytope::linear_minimizer(ConstVectorRef g, VectorRef v) {
  detail::take_direction(g, cost_);
  if (!cost_.allFinite()) {  // Clp would end the process
    fail<DataError>("polytope", "a finite direction", "NaN or infinity");
  }
  int status = program_->minimize(cost_.data(), basis_, v);
  if (status != LinearProgram::kOptimal) {
    basis_.clear();  // numerical trouble from a bad basis: once more from scratch
    status = program_->minimize(cost_.data(), basis_, v);
  }
  if (status != LinearProgram::kOptimal) {
    fail<InternalError>("polytope", "an optimum", fmt::format("Clp's status {}", status));
  }
}

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

// The basis says from where the next call sets out, and ties are broken by where one comes from.
void Polytope::visit_state(StateVisitor& visitor) {
  std::vector<Count> basis(basis_.begin(), basis_.end());
  visitor.visit("polytope.basis", basis);
  require<DataError>(!visitor.is_reading() || basis.empty() || is_basis(rows_, basis), "checkpoint",
                     "the basis of a polytope", "something else");
  basis_.assign(basis.begin(), basis.end());
}

// ---- hull --------------------------------------------------------------------------------------

Hull::Hull(Matrix points)
    : OraclePolytope(detail::require_dimension(points.rows(), kName)),
      points_(std::move(points)),
      scaled_(points_.rows()) {
  require<UsageError>(points_.cols() > 0, "hull", "at least one point", "none");
  for (Index i = 0; i < points_.cols(); ++i) {
    if (!points_.col(i).allFinite()) {
      fail<UsageError>("hull", "finite numbers", fmt::format("others in point {}", i));
    }
  }
  // Twice the largest distance from the mean: an upper bound without looking at all pairs.
  const Vector mean = points_.rowwise().mean();
  double farthest = 0.0;
  for (Index i = 0; i < points_.cols(); ++i) {
    farthest = std::max(farthest, squared_distance(points_.col(i), mean));
  }
  set_diameter(2.0 * std::sqrt(farthest));
}

void Hull::linear_minimizer(ConstVectorRef g, VectorRef v) {
  detail::take_direction(g, scaled_);
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

double Hull::violation(ConstVectorRef x) const { return detail::distance_by_oracle(*this, x); }

void Hull::start(VectorRef x) const { x = points_.rowwise().mean(); }

}  // namespace slidemesh

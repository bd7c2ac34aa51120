#include "slidemesh/graphs/spectrum.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lanczos.h"
#include "slidemesh/base/errors.h"

namespace slidemesh {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

constexpr Index kDenseNodes = 400;
// A sparse factorization is worth its while up to about this many multiplications (some seconds) and edges; beyond, the
// graph is dense or an expander, and there Lanczos on the Laplacian itself is quick.
constexpr double kFactorWork = 4e9;
constexpr Index kFactorEdges = 1'000'000;
// An eigenvalue's error is the square of its vector's, so that these leave 1e-10 with room. A solve with the factor
// cannot be trusted to more digits.
constexpr double kInverseTolerance = 1e-7;
constexpr double kResidualTolerance = 1e-7;

double quadratic_form(const Graph& graph, const Vector& x) {
  double sum = 0.0;  // over edges, of squared differences: no cancellation, however small lambda_2 is
  for (Index i = 0; i < graph.nodes(); ++i) {
    for (const Index j : graph.neighbours(i)) {
      if (i < j) {
        sum += (x[i] - x[j]) * (x[i] - x[j]);
      }
    }
  }
  return sum;
}

double rayleigh_quotient(const Graph& graph, const Vector& x) { return quadratic_form(graph, x) / x.squaredNorm(); }

/// shift I + sign Lap over nodes first .. m-1, the lower triangle.
SparseMatrix shifted_laplacian(const Graph& graph, Index first, double shift, double sign) {
  const Index n = graph.nodes() - first;
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(n + graph.edges()));
  for (Index i = first; i < graph.nodes(); ++i) {
    const auto row = static_cast<int>(i - first);
    entries.emplace_back(row, row, shift + sign * static_cast<double>(graph.degree(i)));
    for (const Index j : graph.neighbours(i)) {
      if (j >= first && j < i) {
        entries.emplace_back(row, static_cast<int>(j - first), -sign);
      }
    }
  }
  SparseMatrix matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// A Cholesky factor L D L' that tells its price before it is paid.
class Factor : public Eigen::SimplicialLDLT<SparseMatrix> {
 public:
  /// Multiplications that the numbers will take, known from the pattern.
  [[nodiscard]] double work() const {
    double sum = 0.0;
    for (Index j = 0; j < m_nonZerosPerCol.size(); ++j) {
      const auto count = static_cast<double>(m_nonZerosPerCol[j]);
      sum += count * count;
    }
    return sum;
  }
};

/// The factor of shift I + sign Lap over nodes first .. m-1, or nothing where it would be too dear.
std::unique_ptr<Factor> cheap_factor(const Graph& graph, Index first, double shift, double sign) {
  if (graph.edges() > kFactorEdges) {
    return nullptr;
  }
  const SparseMatrix matrix = shifted_laplacian(graph, first, shift, sign);
  auto factor = std::make_unique<Factor>();
  factor->analyzePattern(matrix);
  if (factor->work() > kFactorWork) {
    return nullptr;
  }
  factor->factorize(matrix);
  return factor->info() == Eigen::Success ? std::move(factor) : nullptr;
}

void check_residual(const Graph& graph, const char* which, double eigenvalue, const Vector& x, double scale) {
  Vector residual(x.size());
  graph.laplacian(x, residual);
  residual -= eigenvalue * x;
  if (!(residual.norm() <= kResidualTolerance * scale * x.norm())) {
    throw InternalError(std::string("graph: Lanczos did not find ") + which + " of a graph of " +
                        std::to_string(graph.nodes()) + " nodes: residual " + std::to_string(residual.norm()));
  }
}

/// The upper end: (sigma I - Lap)^-1 for a sigma just above the degree bound has 1 / (sigma -
/// lambda_max) on top, well apart from the rest where Lap itself has a cluster.
double largest_eigenvalue(const Graph& graph) {
  const Index m = graph.nodes();
  const double bound = graph.degree_bound();
  const double sigma = bound * (1.0 + 1e-7);
  LanczosOptions options;
  SymmetricOperator apply = [&graph](const Vector& x, Vector& y) { graph.laplacian(x, y); };
  const std::unique_ptr<Factor> factor = cheap_factor(graph, 0, sigma, -1.0);
  if (factor != nullptr) {
    apply = [&factor](const Vector& x, Vector& y) { y = factor->solve(x); };
    options.tolerance = kInverseTolerance;
  }
  const TopEigenpair top = top_eigenpair(m, apply, options);
  const double lambda = rayleigh_quotient(graph, top.vector);
  check_residual(graph, "lambda_max", lambda, top.vector, bound);
  return lambda;
}

/// The lower end. On vectors of mean zero, Lap^-1 b is had by grounding node 0 (Lap without its row
/// and column is positive definite) and taking the mean off; its top is 1 / lambda_2. Where the
/// factor is too dear, the top of sigma I - Lap on such vectors is sigma - lambda_2.
double algebraic_connectivity(const Graph& graph, double lambda_max) {
  const Index m = graph.nodes();
  LanczosOptions options;
  options.orthogonal_to_constants = true;
  SymmetricOperator apply = [&graph, lambda_max](const Vector& x, Vector& y) {
    graph.laplacian(x, y);
    y = lambda_max * x - y;
  };
  const std::unique_ptr<Factor> factor = cheap_factor(graph, 1, 0.0, 1.0);
  if (factor != nullptr) {
    apply = [&factor, m](const Vector& x, Vector& y) {
      y[0] = 0.0;
      y.tail(m - 1) = factor->solve(x.tail(m - 1));
    };
    options.tolerance = kInverseTolerance;
  }
  const TopEigenpair top = top_eigenpair(m, apply, options);
  const double lambda = rayleigh_quotient(graph, top.vector);
  check_residual(graph, "lambda_2", lambda, top.vector, lambda_max);
  return lambda;
}

}  // namespace

Vector full_laplacian_spectrum(const Graph& graph) {
  const Index m = graph.nodes();
  Matrix lap = Matrix::Zero(m, m);
  for (Index i = 0; i < m; ++i) {
    lap(i, i) = static_cast<double>(graph.degree(i));
    for (const Index j : graph.neighbours(i)) {
      lap(i, j) = -1.0;
    }
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(lap, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) {
    throw InternalError("graph: the eigenvalues of a graph of " + std::to_string(m) + " nodes did not converge");
  }
  return solver.eigenvalues();
}

Spectrum laplacian_spectrum(const Graph& graph) {
  const Index m = graph.nodes();
  if (m <= 1) {
    return {};
  }
  if (graph.edges() == m * (m - 1) / 2) {  // complete: m, m - 1 times
    return {static_cast<double>(m), static_cast<double>(m)};
  }
  if (m <= kDenseNodes) {
    const Vector all = full_laplacian_spectrum(graph);
    return {all[m - 1], all[1]};
  }
  Spectrum spectrum;
  spectrum.lambda_max = largest_eigenvalue(graph);
  spectrum.lambda_2 = algebraic_connectivity(graph, spectrum.lambda_max);
  return spectrum;
}

}  // namespace slidemesh

#include "slidemesh/graphs/spectrum.h"

#include <fmt/core.h>
#include <Eigen/SparseCholesky>

#include <memory>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/linalg/decompositions.h"
#include "slidemesh/linalg/lanczos.h"

namespace slidemesh {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

constexpr Index kDenseNodes = 400;
// A sparse factorization is worth its while up to about this many multiplications (some seconds) and edges; beyond, the
// graph is dense or an expander, and there Lanczos on the Laplacian itself is quick.
constexpr double kFactorWork = 4e9;
constexpr Index kFactorEdges = 1'000'000;
// An eigenvalue's error is the square of its vector's, so that these leave 1e-10 with room. A solve with the factor
// cannot be trusted to more digits. The inverse has its top well apart; the Laplacian itself may have a cluster there.
constexpr LanczosOptions kOfInverse{.pairs = 1, .basis = 40, .restarts = 200, .tolerance = 1e-8, .residual = 1e-6};
constexpr LanczosOptions kOfLaplacian{.pairs = 1, .basis = 60, .restarts = 200, .tolerance = 1e-9, .residual = 1e-7};
constexpr double kResidualTolerance = 1e-7;

using VectorMap = Eigen::Map<Vector>;
using ConstVectorMap = Eigen::Map<const Vector>;

void remove_mean(Vector& x) {
  double sum = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    sum += x[i];
  }
  x.array() -= sum / static_cast<double>(x.size());
}

double rayleigh_quotient(const Graph& graph, const Vector& x) {
  double sum = 0.0;  // over edges, of squared differences: no cancellation, however small lambda_2 is
  for (const auto& [i, j] : graph.edge_list()) {
    sum += (x[i] - x[j]) * (x[i] - x[j]);
  }
  return sum / x.squaredNorm();
}

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

/// The factor of shift I + sign Lap over nodes first .. m-1, or nothing where it would be too expensive.
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

/// The Rayleigh quotient at the leading vector of `apply`, which has an end of the Laplacian's spectrum on top.
double quotient_at_top(const Graph& graph, const char* which, const SymmetricOperator& apply,
                       const LanczosOptions& options, double scale) {
  Vector start;
  const auto top = leading_eigenpairs(graph.nodes(), apply, start, options);
  const Vector x = top ? Vector(top->vectors.col(0)) : Vector::Zero(graph.nodes());
  const double lambda = rayleigh_quotient(graph, x);
  Vector residual(x.size());
  graph.laplacian(x, residual);
  residual -= lambda * x;
  if (!(residual.norm() <= kResidualTolerance * scale * x.norm())) {
    throw InternalError(fmt::format("graph: Lanczos did not find {} of a graph of {} nodes", which, graph.nodes()));
  }
  return lambda;
}

/// The upper end: (sigma I - Lap)^-1 for a sigma just above the degree bound has 1 / (sigma -
/// lambda_max) on top, well apart from the rest where Lap itself has a cluster.
double largest_eigenvalue(const Graph& graph) {
  const Index m = graph.nodes();
  const double bound = graph.degree_bound();
  const double sigma = bound * (1.0 + 1e-7);
  const std::unique_ptr<Factor> factor = cheap_factor(graph, 0, sigma, -1.0);
  if (factor != nullptr) {
    const auto inverse = [&](const double* x, double* y) { VectorMap(y, m) = factor->solve(ConstVectorMap(x, m)); };
    return quotient_at_top(graph, "lambda_max", inverse, kOfInverse, bound);
  }
  const auto laplacian = [&](const double* x, double* y) { graph.laplacian(ConstVectorMap(x, m), VectorMap(y, m)); };
  return quotient_at_top(graph, "lambda_max", laplacian, kOfLaplacian, bound);
}

/// The lower end. On vectors of mean zero, Lap^-1 b is had by grounding node 0 (Lap without its row
/// and column is positive definite) and taking the mean off; its top is 1 / lambda_2. Where the
/// factor is too expensive, the top of sigma I - Lap on such vectors is sigma - lambda_2. The constant vector, an
/// eigenvector of either, is put at 0, below all others.
double algebraic_connectivity(const Graph& graph, double lambda_max) {
  const Index m = graph.nodes();
  Vector centred(m);
  const auto centre = [&](const double* x) {
    centred = ConstVectorMap(x, m);
    remove_mean(centred);
  };
  const std::unique_ptr<Factor> factor = cheap_factor(graph, 1, 0.0, 1.0);
  if (factor != nullptr) {
    const auto inverse = [&](const double* x, double* y) {
      centre(x);
      centred.tail(m - 1) = factor->solve(centred.tail(m - 1)).eval();
      centred[0] = 0.0;
      remove_mean(centred);
      VectorMap(y, m) = centred;
    };
    return quotient_at_top(graph, "lambda_2", inverse, kOfInverse, lambda_max);
  }
  const auto shifted = [&](const double* x, double* y) {
    centre(x);
    graph.laplacian(centred, VectorMap(y, m));
    VectorMap(y, m) = lambda_max * centred - VectorMap(y, m);
  };
  return quotient_at_top(graph, "lambda_2", shifted, kOfLaplacian, lambda_max);
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
  return symmetric_eigenvalues(lap);
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

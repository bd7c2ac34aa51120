#include "slidemesh/linalg/lanczos.h"

#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {
namespace {

class SpectraOperator {
 public:
  using Scalar = double;
  SpectraOperator(const SymmetricOperator& apply, Index n) : apply_(apply), n_(n) {}
  [[nodiscard]] Index rows() const { return n_; }
  [[nodiscard]] Index cols() const { return n_; }
  void perform_op(const double* x, double* y) const { apply_(x, y); }

 private:
  const SymmetricOperator& apply_;
  Index n_;
};

/// A warm start may be orthogonal to what is now the leading vector; a dash of noise is not.
Vector begin_from(const Vector& start, Index n) {
  constexpr double kNoise = 1e-3;
  Vector noise(n);
  RandomStream random(1, Purpose::kPowerMethod);
  for (double& value : noise) {
    value = random.uniform(-1.0, 1.0);
  }
  noise /= norm(noise);
  const double length = start.size() == n ? norm(start) : 0.0;
  if (!(length > 0.0) || !std::isfinite(length)) {
    return noise;
  }
  return start / length + kNoise * noise;
}

double largest_residual(const SymmetricOperator& apply, const Eigenpairs& pairs) {
  double largest = 0.0;
  Vector image(pairs.vectors.rows());
  for (Index i = 0; i < pairs.values.size(); ++i) {
    const auto vector = pairs.vectors.col(i);
    apply(vector.data(), image.data());
    axpy(-pairs.values[i], vector.data(), image.data(), image.size());
    const double residual = norm(image);
    largest = residual <= largest ? largest : residual;  // so that a NaN stays
  }
  return largest;
}

}  // namespace

std::optional<Eigenpairs> leading_eigenpairs(Index n, const SymmetricOperator& apply, Vector& start,
                                             const LanczosOptions& options) {
  const Index k = options.pairs;
  const bool is_warm = start.size() == n;
  const Index few = std::max(2 * k + (is_warm ? 6 : 10), k + 2);
  SpectraOperator op(apply, n);
  Spectra::SymEigsSolver<SpectraOperator> solver(op, k, std::min(n, options.basis > 0 ? options.basis : few));
  const Vector first = begin_from(start, n);
  try {
    solver.init(first.data());
    solver.compute(Spectra::SortRule::LargestAlge, options.restarts, options.tolerance);
  } catch (const std::exception&) {  // Spectra's own decompositions may fail to converge; the caller has another way
    return std::nullopt;
  }
  if (solver.info() != Spectra::CompInfo::Successful) {
    return std::nullopt;
  }
  Eigenpairs pairs{.values = solver.eigenvalues(), .vectors = solver.eigenvectors()};
  pairs.residual = largest_residual(apply, pairs);
  if (!(pairs.residual <= options.residual * pairs.values.cwiseAbs().maxCoeff())) {
    return std::nullopt;
  }
  start = pairs.vectors.rowwise().sum();
  return pairs;
}

}  // namespace slidemesh

#include "lanczos.h"

#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "slidemesh/base/random.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh::detail {
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

}  // namespace

bool leading_eigenpairs(const SymmetricOperator& apply, Index n, Index k, Vector& start, Vector& values,
                        Matrix& vectors) {
  constexpr Index kMostRestarts = 300;
  const bool is_warm = start.size() == n;
  const Index basis = std::min(n, std::max(2 * k + (is_warm ? 6 : 10), k + 2));
  SpectraOperator op(apply, n);
  Spectra::SymEigsSolver<SpectraOperator> solver(op, k, basis);
  const Vector first = begin_from(start, n);
  try {
    solver.init(first.data());
    solver.compute(Spectra::SortRule::LargestAlge, kMostRestarts, kLanczosTolerance);
  } catch (const std::exception&) {  // Spectra's own decompositions may fail to converge; the caller has another way
    return false;
  }
  if (solver.info() != Spectra::CompInfo::Successful) {
    return false;
  }
  values = solver.eigenvalues();
  vectors = solver.eigenvectors();
  const double scale = values.cwiseAbs().maxCoeff();
  Vector image(n);
  for (Index i = 0; i < k; ++i) {
    apply(vectors.col(i).data(), image.data());
    axpy(-values[i], vectors.col(i).data(), image.data(), n);
    if (!(norm(image) <= kLanczosResidual * scale)) {
      return false;
    }
  }
  start = vectors.rowwise().sum();
  return true;
}

}  // namespace slidemesh::detail

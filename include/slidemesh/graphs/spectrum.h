#pragma once

#include "slidemesh/core/graph.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The ends of the Laplacian's spectrum: 0 = lambda_1 < lambda_2 <= ... <= lambda_max.
struct Spectrum {
  double lambda_max = 0.0;
  double lambda_2 = 0.0;  ///< the algebraic connectivity
};

/// Dense up to a few hundred nodes, Lanczos beyond.
[[nodiscard]] Spectrum laplacian_spectrum(const Graph& graph);

/// All eigenvalues, ascending; dense, so for graphs of a few thousand nodes at most.
[[nodiscard]] Vector full_laplacian_spectrum(const Graph& graph);

}  // namespace slidemesh

#pragma once

#include <functional>

#include "slidemesh/core/problem.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// Of the way F* is computed: raised with every change that makes it more exact or more certain, so that what an older
/// program kept is computed again.
inline constexpr int kReferenceVersion = 2;

struct ReferenceOptions {
  double relative_accuracy = 1e-10;  ///< of F - F*, relative to F(x_0) - F*
  int most_iterations = 200'000;
  /// Called now and then with the iteration and the relative accuracy that is certain so far.
  std::function<void(int iteration, double accuracy)> on_progress;
  std::function<bool()> interrupted;
};

struct ReferenceOptimum {
  double value = 0.0;        ///< F at `x`, at most `value - lower_bound` above F*
  double lower_bound = 0.0;  ///< at most F*
  Vector x;
  int iterations = 0;
  bool reached = false;  ///< the accuracy asked for is certain
};

/// F* as well as doubles can tell: FISTA with restarts on the common variable. Knows no privacy and
/// charges no meter: it is for measuring others.
[[nodiscard]] ReferenceOptimum reference_optimum(const Problem& problem, Network& network,
                                                 const ReferenceOptions& options = {});

}  // namespace slidemesh

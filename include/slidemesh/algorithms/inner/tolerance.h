#pragma once

#include <algorithm>

namespace slidemesh {

/// How well the inner problems are to be solved: the Wolfe gap eps_k^t that an inner solver stops at.
enum class ToleranceRule {
  kConstant,  ///< a number
  kTarget,    ///< half of a wanted accuracy of F, as the theorem has it
  kAdaptive,  ///< relative to what an inner step achieves, so that inexactness is never what holds a run up
};

struct ToleranceOptions {
  ToleranceRule rule = ToleranceRule::kAdaptive;
  double value = 1e-3;   ///< constant: eps; target: the accuracy wanted; adaptive: unused
  double share = 0.1;    ///< adaptive: of the inner step's own size
  double least = 1e-12;  ///< adaptive: never below, relative to the first
  double most = 1e-3;    ///< adaptive: never above
};

/// eps for an inner problem of the given strength whose node last moved by |x^{t-1} - x^{t-2}|^2 = moved.
///
/// The inner objective is strength/2 |x - centre|^2, so strength/2 * moved is about what the last inner step gained; an
/// error of a small share of that does not change where the method goes. A pure function: every node knows its own
/// `moved`, nothing is exchanged.
[[nodiscard]] inline double inner_tolerance(const ToleranceOptions& options, double strength, double moved) {
  switch (options.rule) {
    case ToleranceRule::kConstant:
      return options.value;
    case ToleranceRule::kTarget:
      return options.value / 2.0;
    case ToleranceRule::kAdaptive:
      break;
  }
  return std::clamp(options.share * strength / 2.0 * moved, options.least, options.most);
}

}  // namespace slidemesh

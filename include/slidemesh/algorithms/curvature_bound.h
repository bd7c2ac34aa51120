#pragma once

#include "slidemesh/algorithms/local_model.h"
#include "slidemesh/core/feasible_set.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// The share of a convex function's second derivative that is left within a distance R of a point, on average along any
/// line, where the third derivative is at most the second: 2 (exp(-R) + R - 1) / R^2. So
/// f(x + δ) >= f(x) + f'(x) δ + share/2 f''(x) δ^2  for |δ| <= R.
[[nodiscard]] double least_curvature_share(double R);

/// A lower bound on  min over v in X of f_i(v) + <w, v>  for a model all of whose rows were touched at x, so that it
/// has f_i's own value, gradient and curvature there. The bound is the minimum of a parabola below f_i, of a share of
/// that curvature; of the tangent where the loss does not tell how its curvature changes, or where a parabola's minimum
/// would take hundreds of decompositions.
[[nodiscard]] double lower_bound_from_model(const LocalModel& model, const FeasibleSet& set, ConstVectorRef x,
                                            ConstVectorRef w);

/// Where all rows were touched at x: at least f_i(y). Along the line from x to y the second derivative of f_i grows by
/// a factor of at most e^R, R the largest change of a prediction times the loss's third_derivative_ratio, so that
///
///     f_i(y) <= f_i(x) + <∇f_i(x), y - x> + (e^R - R - 1)/R^2 (y - x)'H(y - x)
///
/// and where nothing is known of the third derivative the loss's largest curvature takes the place of H's.
[[nodiscard]] double upper_bound_from_model(const LocalModel& model, ConstVectorRef x, ConstVectorRef y);

}  // namespace slidemesh

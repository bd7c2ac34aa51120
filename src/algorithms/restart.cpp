#include "slidemesh/algorithms/restart.h"

#include <algorithm>
#include <cmath>

#include "slidemesh/linalg/kernels.h"

namespace slidemesh {

Step step_after_restart(Count k, double smoothness, double r, double operator_norm, double mu) {
  ScheduleParameters p;
  p.outer_steps = 0;
  p.smoothness = smoothness;
  p.r = r;
  p.operator_norm = operator_norm;
  p.profile = Profile::kDeterministic;
  Step s = Schedule(p).at(static_cast<int>(k));
  s.mu = mu;
  return s;
}

bool restart_is_due(const RestartRule& rule, Count steps, double measure, double measure_before, double reference) {
  if (steps < rule.least_steps) {
    return false;
  }
  const bool fallen = measure <= rule.fall * reference;
  const bool fallen_and_rising = measure <= rule.enough * reference && measure > rule.rise * measure_before;
  return fallen || fallen_and_rising || steps >= rule.most_steps;
}

double balanced_r(double r, double squared_dual_move, double squared_primal_move, double operator_norm,
                  double smoothness) {
  constexpr double kDualShare = 2.0;
  if (!(squared_dual_move > 0.0) || !(squared_primal_move > 0.0)) {
    return r;
  }
  const double moved = kDualShare * std::sqrt(squared_dual_move / squared_primal_move) * operator_norm / smoothness;
  return std::clamp(std::sqrt(r * moved), kSmallestBalancedR, kLargestBalancedR);
}

double observed_smoothness(double value_before, ConstVectorRef x_before, ConstVectorRef g_before, double value,
                           ConstVectorRef x, ConstVectorRef g) {
  constexpr double kRounding = 1e-13;
  const double excess = 2.0 * (value_before - value - (dot(g, x_before) - dot(g, x)));
  if (!(excess > kRounding * (1.0 + std::abs(value)))) {
    return 0.0;
  }
  return squared_distance(g, g_before) / excess;
}

}  // namespace slidemesh

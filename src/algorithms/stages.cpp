#include "slidemesh/algorithms/stages.h"

#include <algorithm>
#include <cmath>

namespace slidemesh {

namespace {

constexpr double kMostChange = 4.0;  ///< of ω at a restart, and what it may be off before one is due

}  // namespace

Count first_stage_rows(Index dimension, Index nodes) {
  constexpr Count kFewest = 8;
  return std::max<Count>(kFewest, (2 * dimension + nodes - 1) / nodes);
}

Count stage_rows(Count touched, Count rows, Count wanted, double refresh) {
  if (touched < rows) {
    return std::min(rows, wanted) - touched;
  }
  return std::clamp<Count>(static_cast<Count>(std::ceil(refresh * static_cast<double>(rows))), 1, rows);
}

double stage_share(double theta, bool has_untouched_rows) { return has_untouched_rows ? std::sqrt(theta) : theta; }

Count refresh_cycle(double refresh) { return static_cast<Count>(std::ceil(1.0 / refresh)); }

bool slide_restart_is_due(const SlideRestart& rule, Count rounds, double rho, double rho_before,
                          double rho_at_restart) {
  const bool fallen = rho <= rule.fall * rho_at_restart;
  const bool rising = rho <= rule.enough * rho_at_restart && rho > rho_before && rounds >= rule.least_rounds;
  return fallen || rising || rounds >= rule.most_rounds;
}

double first_omega(double lambda_2) { return 0.5 / std::sqrt(lambda_2); }

bool omega_is_too_small(const SlideRestart& rule, Count rounds, Count delay, double omega, double squared_dual_move,
                        double squared_primal_move) {
  const double most = kMostChange * omega;
  return rounds >= rule.least_rounds + 2 * delay && squared_dual_move > most * most * squared_primal_move;
}

bool primal_is_held_back(const SlideRestart& rule, Count rounds, Count delay, double share, double squared_dual_move,
                         double squared_primal_move) {
  const bool dual_stood_still = !(squared_dual_move > 0.0) && squared_primal_move > 0.0;
  return dual_stood_still && share > rule.enough && rounds >= rule.least_rounds + 2 * delay;
}

double above_rounding(double sum, double terms) {
  constexpr double kRounding = 1e-15;
  return sum > kRounding * terms ? sum : 0.0;
}

double balanced_omega(double omega, double squared_dual_move, double squared_primal_move, double squared_size,
                      bool was_long, bool is_held) {
  constexpr double kRounding = 1e-22;  // of |x|^2: what moves less says nothing
  if (!(squared_primal_move > kRounding * squared_size)) {
    return is_held ? omega * kMostChange : omega;
  }
  if (!(squared_dual_move > 0.0)) {
    return was_long ? omega / kMostChange : omega;
  }
  const double balanced = std::sqrt(omega * std::sqrt(squared_dual_move / squared_primal_move));
  return std::clamp(balanced, omega / kMostChange, omega * kMostChange);
}

Damping next_damping(Damping damping, double predicted_change, double error, Count cycle, bool astray) {
  constexpr double kBad = 0.75;  // of the predicted change: the model promised four times what came
  constexpr double kGood = 0.25;
  constexpr double kFirst = 1.0;  // of the mean curvature, per coordinate
  constexpr double kLeast = 1.0 / 64.0;
  constexpr double kLeastAstray = 1e-12;
  constexpr double kMost = 1e6;
  if (error > kBad * predicted_change) {
    const bool begins = !astray || damping.amount == 0.0;
    return {std::min(kMost, std::max(begins ? kFirst : 0.0, 4.0 * damping.amount)), 0};
  }
  if (error > kGood * predicted_change) {
    return damping;
  }
  if (damping.good_stages + 1 < cycle) {
    return {damping.amount, damping.good_stages + 1};
  }
  const double lowered = damping.amount * std::pow(4.0, -static_cast<double>(cycle));
  return {lowered < (astray ? kLeastAstray : kLeast) ? 0.0 : lowered, 0};
}

bool has_gone_astray(const RowsAgain& rows) {
  constexpr double kTooMuch = 2.0;
  constexpr double kSomething = 1e-4;
  const bool matters = rows.loss_before > 0.0 && rows.loss_found > kSomething * rows.largest_loss;
  if (!rows.is_cautious) {
    return matters && rows.loss_found > kTooMuch * rows.loss_before;
  }
  return matters && rows.loss_found > rows.loss_before && rows.damping > rows.damping_before;
}

double cautious_theta(double theta, Count times_astray) {
  constexpr double kLeast = 1e-4;
  return std::max(std::min(theta, kLeast), theta * std::pow(0.25, static_cast<double>(times_astray)));
}

}  // namespace slidemesh

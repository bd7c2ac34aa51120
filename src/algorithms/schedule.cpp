#include "slidemesh/algorithms/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

/// The ceiling of a number that rounding may have pushed just above an integer.
Count ceiling(double value, int k, const char* what) {
  constexpr double kRounding = 1e-12;
  const double result = std::ceil(value - kRounding * std::max(1.0, value));
  if (!(result <= static_cast<double>(std::numeric_limits<std::int32_t>::max()))) {
    fail<UsageError>("method.outer_steps", fmt::format("steps of at most 2^31 {}", what),
                     fmt::format("{} at step {} (take fewer steps or a smaller R or c)", result, k));
  }
  return std::max<Count>(1, static_cast<Count>(result));
}

}  // namespace

std::string_view to_string(Profile profile) { return profile == Profile::kPaper ? "paper" : "deterministic"; }

Schedule::Schedule(const ScheduleParameters& parameters)
    : parameters_(parameters), radius_(parameters.r * parameters.smoothness / parameters.operator_norm) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double ratio = parameters.smoothness / parameters.mu;
  if (parameters.mu <= 0.0) {
    tau_ = infinity;
  } else {
    tau_ = parameters.profile == Profile::kPaper ? 2.0 * std::sqrt(ratio) : std::sqrt(2.0 * ratio);
  }
  lambda_ = parameters.mu > 0.0 ? tau_ / (1.0 + tau_) : 1.0;
  delta_ = parameters.mu > 0.0 ? std::ceil(2.0 * tau_ + 1.0) : infinity;
  if (parameters.outer_steps > 0) {
    static_cast<void>(at(parameters.outer_steps));  // the largest T and c: throws where they are too many
  }
}

Step Schedule::without_alpha(int k) const {
  const double L = parameters_.smoothness;
  const double profile = parameters_.profile == Profile::kPaper ? 2.0 : 1.0;
  Step s;
  s.mu = parameters_.mu;
  if (k <= delta_) {
    s.tau = (k - 1) / 2.0;
    s.lambda = (k - 1.0) / k;
    s.beta = k;
    s.p = profile * 2.0 * L / k;
    s.inner_steps = ceiling(k * parameters_.r, k, "inner steps");
  } else {
    s.tau = tau_;
    s.lambda = lambda_;
    s.beta = delta_ * std::pow(lambda_, -(k - delta_));
    s.p = profile * L / (1.0 + tau_);
    s.inner_steps =
        ceiling(2.0 * (1.0 + tau_) * parameters_.r / std::pow(lambda_, (k - delta_) / 2.0), k, "inner steps");
  }
  s.q = L * static_cast<double>(s.inner_steps) / (profile * 2.0 * s.beta * radius_ * radius_);
  return s;
}

Count Schedule::batch(int k, const Step& s) const {
  const double L = parameters_.smoothness;
  const double N = parameters_.outer_steps;
  if (k <= delta_) {
    return ceiling(std::min(N, delta_) * s.beta * *parameters_.c / (s.p * L), k, "rows");
  }
  const double grow = std::pow(lambda_, (k + N - 2.0 * delta_) / 2.0);
  return ceiling((1.0 + tau_) * (1.0 + tau_) * delta_ * *parameters_.c / (L * L * grow), k, "rows");
}

Step Schedule::at(int k) const {
  Step s = without_alpha(k);
  if (k >= 2) {
    const Step before = without_alpha(k - 1);
    s.first_alpha =
        before.beta * static_cast<double>(s.inner_steps) / (s.beta * static_cast<double>(before.inner_steps));
  }
  if (parameters_.c) {
    s.batch = batch(k, s);
  }
  return s;
}

int longest_schedule(ScheduleParameters parameters, int most, Count inner_steps) {
  parameters.outer_steps = 0;
  const Schedule schedule(parameters);
  const auto affordable = [&](int k) {
    try {
      return schedule.at(k).inner_steps <= inner_steps;
    } catch (const UsageError&) {
      return false;
    }
  };
  int longest = 1;  // inner steps never become fewer, so that halving the interval finds the last
  for (int beyond = most + 1; beyond - longest > 1;) {
    const int middle = longest + (beyond - longest) / 2;
    (affordable(middle) ? longest : beyond) = middle;
  }
  return longest;
}

}  // namespace slidemesh

#pragma once

#include <optional>
#include <string_view>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

enum class Profile {
  kPaper,          ///< the theorem's, safe for sampled gradients: p_k = 4 L/k
  kDeterministic,  ///< Lan, Ouyang and Zhou 2021, for exact gradients: p_k = 2 L/k, half the steps
};

[[nodiscard]] std::string_view to_string(Profile profile);

/// The step sizes of one outer step k.
struct Step {
  double lambda = 0.0;
  double tau = 0.0;
  double beta = 0.0;
  double p = 0.0;
  double q = 0.0;
  Count inner_steps = 0;     ///< T_k
  Count batch = 0;           ///< c_k; 0 where gradients are exact
  double first_alpha = 1.0;  ///< alpha_k^1
  double mu = 0.0;

  [[nodiscard]] double alpha(Count t) const { return t == 1 ? first_alpha : 1.0; }
  [[nodiscard]] double eta(Count t) const {
    return (p + mu) * static_cast<double>(t - 1) + p * static_cast<double>(inner_steps);
  }
};

/// What the theorem's table is computed from.
struct ScheduleParameters {
  int outer_steps = 100;    ///< N
  double smoothness = 1.0;  ///< L~
  double mu = 0.0;
  double r = 1.0;              ///< R |A| / L~
  double operator_norm = 1.0;  ///< |A|
  std::optional<double> c;     ///< of the batches; none where gradients are exact
  Profile profile = Profile::kPaper;
};

/// The paper's theorem as a function of k. For any parameters it meets, up to rounding, every
/// inequality of the paper's list "cond_Qest"; tests/property/schedule_test.cpp has them.
class Schedule {
 public:
  /// UsageError where a step would need more than 2^31 inner steps or drawn rows.
  explicit Schedule(const ScheduleParameters& parameters);

  [[nodiscard]] int outer_steps() const { return parameters_.outer_steps; }
  /// k = 1 .. outer_steps().
  [[nodiscard]] Step at(int k) const;
  /// ceil(2 tau + 1); infinity where mu = 0.
  [[nodiscard]] double delta() const { return delta_; }

 private:
  [[nodiscard]] Step without_alpha(int k) const;
  [[nodiscard]] Count batch(int k, const Step& step) const;

  ScheduleParameters parameters_;
  double radius_;  ///< R
  double tau_;
  double lambda_;
  double delta_;
};

/// The largest number of outer steps, up to `most`, whose last has at most `inner_steps` inner steps: where mu > 0 they
/// grow without bound, far beyond the point where doubles have no digits left to gain. For exact gradients.
[[nodiscard]] int longest_schedule(ScheduleParameters parameters, int most, Count inner_steps);

}  // namespace slidemesh

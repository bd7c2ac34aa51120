#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/sets/norm_balls.h"

namespace slidemesh {
namespace {

/// By sorting: the largest threshold t with sum of max(|x_j| - t, 0) = radius.
double sorted_threshold(const Vector& x, double radius) {
  std::vector<double> sizes(static_cast<std::size_t>(x.size()));
  std::transform(x.begin(), x.end(), sizes.begin(), [](double one) { return std::abs(one); });
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  double sum = 0.0;
  double threshold = 0.0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    sum += sizes[k];
    const double candidate = (sum - radius) / static_cast<double>(k + 1);
    threshold = sizes[k] > candidate ? candidate : threshold;
  }
  return threshold;
}

// From few columns, which are gathered one by one, to many, which are struck out by passes; ties and outliers too.
TEST(ProjectionOntoL1Ball, IsThatOfSortingForFewAndManyColumns) {
  constexpr double kRounding = 1e-12;
  RandomStream random(9, Purpose::kTest);
  for (const Index n : {5, 255, 256, 259, 1000, 5003}) {
    for (const double radius : {1e-3, 1.0, 30.0}) {
      for (const int kind : {0, 1, 2}) {
        Vector x(n);
        for (double& one : x) {
          one = kind == 0   ? random.normal()
                : kind == 1 ? (random.unit() < 0.5 ? -1.0 : 1.0)
                            : std::exp(4.0 * random.normal());
        }
        if (x.lpNorm<1>() <= radius) {
          continue;
        }
        const double threshold = sorted_threshold(x, radius);
        Vector nearest(n);
        L1Ball(n, radius).project(x, nearest);
        for (const Vector& near : {Vector(nearest), Vector(x), Vector(Vector::Zero(n)), Vector(nearest.reverse())}) {
          Vector again = near;
          L1Ball(n, radius).project_from(x, again);
          ASSERT_EQ(again, nearest) << "wherever it sets out from: " << n << ' ' << radius << ' ' << kind;
        }
        Vector in_place = x;
        L1Ball(n, radius).project(in_place, in_place);
        ASSERT_EQ(in_place, nearest);
        for (Index j = 0; j < n; ++j) {
          const double expected = std::copysign(std::max(std::abs(x(j)) - threshold, 0.0), x(j));
          ASSERT_NEAR(nearest(j), expected, kRounding * (1.0 + x.lpNorm<Eigen::Infinity>()))
              << n << ' ' << radius << ' ' << kind << ' ' << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace slidemesh

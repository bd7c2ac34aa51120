#include <utility>

#include "slidemesh/sets/affine.h"
#include "slidemesh/sets/norm_balls.h"
#include "spec_reader.h"

namespace slidemesh::detail {
namespace {

const SetKey kRadius{"radius", SetKeyType::kNumber, "", "how far it reaches, in its norm"};
const SetKey kCenter{"center", SetKeyType::kNumberOrNumbers, "0", "its centre"};

/// A ball about `center`, where there is one.
std::unique_ptr<FeasibleSet> centred(const SpecReader& reader, std::unique_ptr<FeasibleSet> ball) {
  return reader.has("center") ? shifted(std::move(ball), reader.per_coordinate("center")) : std::move(ball);
}

Vector positive_numbers(const SpecReader& reader, const std::string& key) {
  Vector values = reader.per_coordinate(key);
  for (Index j = 0; j < values.size(); ++j) {
    if (values[j] <= 0.0) {
      reader.fail(key, "positive numbers", describe(values[j]));
    }
  }
  return values;
}

std::unique_ptr<FeasibleSet> build_l1(const SpecReader& reader) {
  const double radius = reader.positive("radius");
  if (reader.has("weights")) {
    return centred(reader, std::make_unique<WeightedL1Ball>(positive_numbers(reader, "weights"), radius));
  }
  return centred(reader, std::make_unique<L1Ball>(reader.dimension(), radius));
}

std::unique_ptr<FeasibleSet> build_l2(const SpecReader& reader) {
  return centred(reader, std::make_unique<L2Ball>(reader.dimension(), reader.positive("radius")));
}

std::unique_ptr<FeasibleSet> build_linf(const SpecReader& reader) {
  return centred(reader, std::make_unique<LinfBall>(reader.dimension(), reader.positive("radius")));
}

std::unique_ptr<FeasibleSet> build_box(const SpecReader& reader) {
  Vector lower = reader.per_coordinate("lower");
  Vector upper = reader.per_coordinate("upper");
  for (Index j = 0; j < lower.size(); ++j) {
    if (lower[j] > upper[j]) {
      reader.fail("upper", "no less than lower at position " + std::to_string(j), describe(upper[j]));
    }
  }
  return std::make_unique<Box>(std::move(lower), std::move(upper));
}

}  // namespace

std::vector<KindEntry> norm_ball_kinds() {
  const SetKey weights{"weights", SetKeyType::kNumberOrNumbers, "1", "the weight of each coordinate in the norm"};
  return {
      {{"l1-ball", "sum of w_j |x_j - c_j| at most radius", {kRadius, weights, kCenter}}, &build_l1},
      {{"l2-ball", "Euclidean norm of x - c at most radius", {kRadius, kCenter}}, &build_l2},
      {{"linf-ball", "every |x_j - c_j| at most radius", {kRadius, kCenter}}, &build_linf},
      {{"box",
        "lower <= x <= upper, coordinate by coordinate",
        {{"lower", SetKeyType::kNumberOrNumbers, "", "smallest value of each coordinate"},
         {"upper", SetKeyType::kNumberOrNumbers, "", "largest value of each coordinate"}}},
       &build_box},
  };
}

}  // namespace slidemesh::detail

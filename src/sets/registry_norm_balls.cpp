#include <utility>

#include "slidemesh/sets/combinators.h"
#include "slidemesh/sets/norm_balls.h"
#include "slidemesh/sets/smooth_balls.h"
#include "slidemesh/sets/sparse_balls.h"
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

std::unique_ptr<FeasibleSet> build_lp(const SpecReader& reader) {
  const double p = reader.number("p");
  reader.require(p > 1.0, "p", "a number above 1", describe(p));
  return centred(reader, std::make_unique<LpBall>(reader.dimension(), p, reader.positive("radius")));
}

std::unique_ptr<FeasibleSet> build_ellipsoid(const SpecReader& reader) {
  Vector center = reader.has("center") ? reader.per_coordinate("center") : Vector::Zero(reader.dimension());
  if (!reader.has("shape")) {
    return std::make_unique<Ellipsoid>(std::move(center), positive_numbers(reader, "axes"));
  }
  reader.require(!reader.has("axes"), "axes", "either axes or shape", "both");
  const auto rows = reader.lists("shape");
  Matrix shape(static_cast<Index>(rows.size()), static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows.size()) {
      reader.fail("shape", "a square matrix", "a row of " + std::to_string(rows[i].size()) + " numbers");
    }
    for (std::size_t j = 0; j < rows.size(); ++j) {
      shape(static_cast<Index>(i), static_cast<Index>(j)) = rows[i][j];
    }
  }
  return std::make_unique<Ellipsoid>(Ellipsoid::with_shape(std::move(center), shape));
}

/// Groups of `size` consecutive coordinates.
std::vector<std::vector<Index>> consecutive_groups(const SpecReader& reader) {
  const Index size = reader.divisor("group_size");
  std::vector<std::vector<Index>> groups(static_cast<std::size_t>(reader.dimension() / size));
  for (Index j = 0; j < reader.dimension(); ++j) {
    groups[static_cast<std::size_t>(j / size)].push_back(j);
  }
  return groups;
}

std::unique_ptr<FeasibleSet> build_group_lasso(const SpecReader& reader) {
  const double radius = reader.positive("radius");
  auto groups =
      reader.has("group_size") ? consecutive_groups(reader) : reader.index_lists("groups", reader.dimension());
  const auto count = static_cast<Index>(groups.size());
  Vector weights = reader.has("weights") ? reader.numbers("weights", count) : Vector::Ones(count);
  return centred(reader,
                 std::make_unique<GroupLassoBall>(reader.dimension(), std::move(groups), std::move(weights), radius));
}

}  // namespace

std::vector<SetKind> norm_ball_kinds() {
  const SetKey weights{"weights", SetKeyType::kNumberOrNumbers, "1", "the weight of each coordinate in the norm"};
  return {
      {"l1-ball", "sum of w_j |x_j - c_j| at most radius", {kRadius, weights, kCenter}, &build_l1},
      {"l2-ball",
       "Euclidean norm of x - c at most radius",
       {kRadius, kCenter},
       [](const SpecReader& reader) {
         return centred(reader, std::make_unique<L2Ball>(reader.dimension(), reader.positive("radius")));
       }},
      {"linf-ball",
       "every |x_j - c_j| at most radius",
       {kRadius, kCenter},
       [](const SpecReader& reader) {
         return centred(reader, std::make_unique<LinfBall>(reader.dimension(), reader.positive("radius")));
       }},
      {"box",
       "lower <= x <= upper, coordinate by coordinate",
       {{"lower", SetKeyType::kNumberOrNumbers, "", "smallest value of each coordinate"},
        {"upper", SetKeyType::kNumberOrNumbers, "", "largest value of each coordinate"}},
       [](const SpecReader& reader) {
         auto [lower, upper] = read_bounds(reader);
         return std::make_unique<Box>(std::move(lower), std::move(upper));
       }},
      {"lp-ball",
       "p-norm of x - c at most radius",
       {{"p", SetKeyType::kNumber, "", "the norm's exponent, above 1"}, kRadius, kCenter},
       &build_lp},
      {"ellipsoid",
       "(x - c)' Q^-1 (x - c) <= 1",
       {{"axes", SetKeyType::kNumberOrNumbers, "from shape", "semi-axes along the coordinates"},
        {"shape", SetKeyType::kLists, "from axes", "Q, symmetric positive definite, row by row"},
        kCenter},
       &build_ellipsoid},
      {"group-lasso-ball",
       "weighted sum of the groups' Euclidean norms at most radius",
       {kRadius,
        {"groups", SetKeyType::kLists, "from group_size", "the coordinates of each group, counted from 0"},
        {"group_size", SetKeyType::kInteger, "from groups", "groups of so many consecutive coordinates"},
        {"weights", SetKeyType::kNumbers, "1", "the weight of each group"},
        kCenter},
       &build_group_lasso},
      {"k-sparse",
       "hull of the points with at most k coordinates other than 0, each + or - radius",
       {{"k", SetKeyType::kInteger, "", "how many coordinates"}, kRadius, kCenter},
       [](const SpecReader& reader) {
         return centred(reader, std::make_unique<KSparsePolytope>(reader.dimension(), reader.integer("k"),
                                                                  reader.positive("radius")));
       }},
      {"owl-ball",
       "ordered weighted l1 norm (SLOPE) at most radius",
       {kRadius,
        {"weights", SetKeyType::kNumbers, "", "weights that do not rise, the first for the largest |x_j|"},
        kCenter},
       [](const SpecReader& reader) {
         return centred(reader, std::make_unique<OwlBall>(reader.numbers("weights", reader.dimension()),
                                                          reader.positive("radius")));
       }},
  };
}

}  // namespace slidemesh::detail

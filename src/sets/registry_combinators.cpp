#include <utility>

#include "slidemesh/sets/boxed.h"
#include "slidemesh/sets/combinators.h"
#include "spec_reader.h"

namespace slidemesh::detail {
namespace {

/// The spec of a part, with its place in the config.
SetSpec part_of(const SpecReader& reader, const std::string& key, std::size_t i) {
  SetSpec part = reader.sets(key)[i];
  part.where = reader.spec().where + "." + key + "[" + std::to_string(i) + "]";
  part.base_directory = reader.spec().base_directory;
  return part;
}

SetSpec only_part(const SpecReader& reader) {
  reader.require(reader.sets("of").size() == 1, "of", "one set", std::to_string(reader.sets("of").size()));
  return part_of(reader, "of", 0);
}

std::unique_ptr<FeasibleSet> build_product(const SpecReader& reader) {
  const Vector sizes = reader.numbers("sizes", static_cast<Index>(reader.sets("parts").size()));
  std::vector<std::unique_ptr<FeasibleSet>> parts;
  const std::string expected = "whole numbers that sum to the dimension " + std::to_string(reader.dimension());
  auto left = static_cast<double>(reader.dimension());
  for (Index i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1.0 || sizes[i] > left || sizes[i] != static_cast<double>(static_cast<Index>(sizes[i]))) {
      reader.fail("sizes", expected, describe(sizes[i]) + " at position " + std::to_string(i));
    }
    left -= sizes[i];
    parts.push_back(make_set(part_of(reader, "parts", static_cast<std::size_t>(i)), static_cast<Index>(sizes[i])));
  }
  reader.require(left == 0.0, "sizes", expected, describe(static_cast<double>(reader.dimension()) - left));
  return std::make_unique<ProductSet>(std::move(parts));
}

std::unique_ptr<FeasibleSet> build_scaled(const SpecReader& reader) {
  const double factor = reader.number("factor");
  reader.require(factor != 0.0, "factor", "a number other than 0", "0");
  return scaled(make_set(only_part(reader), reader.dimension(), reader.matrix_rows()), factor);
}

std::unique_ptr<FeasibleSet> build_shifted(const SpecReader& reader) {
  return shifted(make_set(only_part(reader), reader.dimension(), reader.matrix_rows()),
                 reader.per_coordinate("offset"));
}

/// A polytope takes the bounds as they are; the others have sets of their own.
std::unique_ptr<FeasibleSet> build_boxed(const SpecReader& reader) {
  SetSpec part = only_part(reader);
  auto [lower, upper] = read_bounds(reader);
  if (part.kind == "polytope") {
    part.parameters["lower"] = std::vector<double>(lower.begin(), lower.end());
    part.parameters["upper"] = std::vector<double>(upper.begin(), upper.end());
    return make_set(part, reader.dimension());
  }
  static_cast<void>(make_set(part, reader.dimension()));  // its keys are checked as ever
  const SpecReader inner(part, reader.dimension(), 0);
  const std::string allowed = "l1-ball, l2-ball or simplex without center and weights, or polytope";
  reader.require(!inner.has("center") && !inner.has("weights"), "of", allowed, part.kind + " with them");
  if (part.kind == "simplex") {
    return std::make_unique<BoxedSimplex>(std::move(lower), std::move(upper), inner.positive("total", 1.0));
  }
  if (part.kind == "l1-ball") {
    return std::make_unique<BoxedL1Ball>(std::move(lower), std::move(upper), inner.positive("radius"));
  }
  if (part.kind == "l2-ball") {
    return std::make_unique<BoxedL2Ball>(std::move(lower), std::move(upper), inner.positive("radius"));
  }
  reader.fail("of", allowed, part.kind);
}

}  // namespace

std::vector<SetKind> combinator_kinds() {
  const SetKey of{"of", SetKeyType::kSets, "", "the set, a table"};
  return {
      {"product",
       "consecutive blocks of coordinates, each in its own set",
       {{"parts", SetKeyType::kSets, "", "the sets, one per block"},
        {"sizes", SetKeyType::kNumbers, "", "how many coordinates each block has"}},
       &build_product},
      {"scaled", "factor times a set", {of, {"factor", SetKeyType::kNumber, "", "any number but 0"}}, &build_scaled},
      {"shifted",
       "a set moved by an offset",
       {of, {"offset", SetKeyType::kNumberOrNumbers, "", "where its origin goes"}},
       &build_shifted},
      {"box-intersection",
       "an l1 ball, l2 ball, simplex or polytope, cut by a box",
       {of,
        {"lower", SetKeyType::kNumberOrNumbers, "", "smallest value of each coordinate"},
        {"upper", SetKeyType::kNumberOrNumbers, "", "largest value of each coordinate"}},
       &build_boxed},
  };
}

}  // namespace slidemesh::detail

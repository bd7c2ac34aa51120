#include "slidemesh/sets/simplices.h"
#include "spec_reader.h"

namespace slidemesh::detail {
namespace {

std::unique_ptr<FeasibleSet> build_simplex(const SpecReader& reader) {
  return std::make_unique<Simplex>(reader.dimension(), reader.positive("total", 1.0));
}

std::unique_ptr<FeasibleSet> build_capped(const SpecReader& reader) {
  return std::make_unique<CappedSimplex>(reader.dimension(), reader.positive("total", 1.0));
}

std::unique_ptr<FeasibleSet> build_hypersimplex(const SpecReader& reader) {
  const Index k = reader.integer("k");
  if (k < 1 || k > reader.dimension()) {
    reader.fail("k", "a whole number from 1 to " + std::to_string(reader.dimension()), std::to_string(k));
  }
  return std::make_unique<Hypersimplex>(reader.dimension(), k);
}

std::unique_ptr<FeasibleSet> build_permutahedron(const SpecReader& reader) {
  if (reader.has("values")) {
    return std::make_unique<Permutahedron>(reader.numbers("values", reader.dimension()));
  }
  return std::make_unique<Permutahedron>(
      Vector::LinSpaced(reader.dimension(), 1.0, static_cast<double>(reader.dimension())));
}

}  // namespace

std::vector<KindEntry> simplex_kinds() {
  const SetKey total{"total", SetKeyType::kNumber, "1", "what the coordinates sum to"};
  const SetKey most{"total", SetKeyType::kNumber, "1", "what the coordinates sum to at most"};
  return {
      {{"simplex", "x >= 0 that sum to total", {total}}, &build_simplex},
      {{"capped-simplex", "x >= 0 that sum to at most total", {most}}, &build_capped},
      {{"hypersimplex",
        "0 <= x <= 1 that sum to k",
        {{"k", SetKeyType::kInteger, "", "how many coordinates are 1 at a vertex"}}},
       &build_hypersimplex},
      {{"permutahedron",
        "hull of all permutations of the values",
        {{"values", SetKeyType::kNumbers, "1, 2, ..., d", "what is permuted"}}},
       &build_permutahedron},
  };
}

}  // namespace slidemesh::detail

#include "slidemesh/sets/simplices.h"
#include "spec_reader.h"

namespace slidemesh::detail {

std::vector<SetKind> simplex_kinds() {
  const SetKey total{"total", SetKeyType::kNumber, "1", "what the coordinates sum to"};
  const SetKey most{"total", SetKeyType::kNumber, "1", "what the coordinates sum to at most"};
  return {
      {"simplex",
       "x >= 0 that sum to total",
       {total},
       [](const SpecReader& reader) {
         return std::make_unique<Simplex>(reader.dimension(), reader.positive("total", 1.0));
       }},
      {"capped-simplex",
       "x >= 0 that sum to at most total",
       {most},
       [](const SpecReader& reader) {
         return std::make_unique<CappedSimplex>(reader.dimension(), reader.positive("total", 1.0));
       }},
      {"hypersimplex",
       "0 <= x <= 1 that sum to k",
       {{"k", SetKeyType::kInteger, "", "how many coordinates are 1 at a vertex"}},
       [](const SpecReader& reader) {
         return std::make_unique<Hypersimplex>(reader.dimension(), reader.integer("k", 1, reader.dimension()));
       }},
      {"permutahedron",
       "hull of all permutations of the values",
       {{"values", SetKeyType::kNumbers, "1, 2, ..., d", "what is permuted"}},
       [](const SpecReader& reader) {
         const Index d = reader.dimension();
         return std::make_unique<Permutahedron>(
             reader.has("values") ? reader.numbers("values", d) : Vector::LinSpaced(d, 1.0, static_cast<double>(d)));
       }},
  };
}

}  // namespace slidemesh::detail

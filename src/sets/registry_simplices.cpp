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

}  // namespace

std::vector<KindEntry> simplex_kinds() {
  const SetKey total{"total", SetKeyType::kNumber, "1", "what the coordinates sum to"};
  const SetKey most{"total", SetKeyType::kNumber, "1", "what the coordinates sum to at most"};
  return {
      {{"simplex", "x >= 0 that sum to total", {total}}, &build_simplex},
      {{"capped-simplex", "x >= 0 that sum to at most total", {most}}, &build_capped},
  };
}

}  // namespace slidemesh::detail

#include "slidemesh/sets/spectral.h"
#include "spec_reader.h"

namespace slidemesh::detail {
namespace {

std::unique_ptr<FeasibleSet> build_nuclear(const SpecReader& reader) {
  const Index rows = reader.rows_of_matrix();
  return std::make_unique<NuclearBall>(rows, reader.dimension() / rows, reader.positive("radius"));
}

std::unique_ptr<FeasibleSet> build_spectraplex(const SpecReader& reader) {
  return std::make_unique<Spectraplex>(reader.side_of_square(), reader.positive("total", 1.0));
}

std::unique_ptr<FeasibleSet> build_spectrahedron(const SpecReader& reader) {
  return std::make_unique<Spectrahedron>(reader.side_of_square(), reader.positive("total", 1.0));
}

std::unique_ptr<FeasibleSet> build_fantope(const SpecReader& reader) {
  const Index side = reader.side_of_square();
  const Index k = reader.integer("k");
  if (k < 1 || k > side) {
    reader.fail("k", "a whole number from 1 to " + std::to_string(side), std::to_string(k));
  }
  return std::make_unique<Fantope>(side, k);
}

}  // namespace

std::vector<KindEntry> spectral_kinds() {
  return {
      {{"nuclear-ball",
        "matrices whose singular values sum to at most radius",
        {{"radius", SetKeyType::kNumber, "", "the most that the singular values sum to"},
         {"rows", SetKeyType::kInteger, "the model's, or square", "rows of the matrix"}}},
       &build_nuclear},
      {{"spectraplex",
        "positive semidefinite matrices of trace total",
        {{"total", SetKeyType::kNumber, "1", "the trace"}}},
       &build_spectraplex},
      {{"spectrahedron",
        "positive semidefinite matrices of trace at most total",
        {{"total", SetKeyType::kNumber, "1", "the largest trace"}}},
       &build_spectrahedron},
      {{"fantope",
        "symmetric matrices with eigenvalues in [0, 1] and trace k",
        {{"k", SetKeyType::kInteger, "", "the trace: the rank of its extreme points"}}},
       &build_fantope},
  };
}

}  // namespace slidemesh::detail

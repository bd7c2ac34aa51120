#include "slidemesh/sets/spectral.h"
#include "spec_reader.h"

namespace slidemesh::detail {

std::vector<SetKind> spectral_kinds() {
  return {
      {"nuclear-ball",
       "matrices whose singular values sum to at most radius",
       {{"radius", SetKeyType::kNumber, "", "the most that the singular values sum to"},
        {"rows", SetKeyType::kInteger, "the model's, or square", "rows of the matrix"}},
       [](const SpecReader& reader) {
         const Index rows = reader.rows_of_matrix();
         return std::make_unique<NuclearBall>(rows, reader.dimension() / rows, reader.positive("radius"));
       }},
      {"spectraplex",
       "positive semidefinite matrices of trace total",
       {{"total", SetKeyType::kNumber, "1", "the trace"}},
       [](const SpecReader& reader) {
         return std::make_unique<Spectraplex>(reader.side_of_square(), reader.positive("total", 1.0));
       }},
      {"spectrahedron",
       "positive semidefinite matrices of trace at most total",
       {{"total", SetKeyType::kNumber, "1", "the largest trace"}},
       [](const SpecReader& reader) {
         return std::make_unique<Spectrahedron>(reader.side_of_square(), reader.positive("total", 1.0));
       }},
      {"fantope",
       "symmetric matrices with eigenvalues in [0, 1] and trace k",
       {{"k", SetKeyType::kInteger, "", "the trace: the rank of its extreme points"}},
       [](const SpecReader& reader) {
         const Index side = reader.side_of_square();
         return std::make_unique<Fantope>(side, reader.integer("k", 1, side));
       }},
  };
}

}  // namespace slidemesh::detail

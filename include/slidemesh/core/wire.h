#pragma once

namespace slidemesh {

/// How the numbers of a round travel from node to node.
enum class Wire {
  kFloat64,  ///< as they are
  kFloat32,  ///< rounded to float32: half the bytes
  kSparse,   ///< as they are, but for zeros where leaving them out is shorter
};

}  // namespace slidemesh

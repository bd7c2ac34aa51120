#pragma once

#include <filesystem>
#include <limits>

#include "slidemesh/sets/polytope.h"

namespace slidemesh::detail {

/// What Clp calls infinite.
inline constexpr double kInfinity = std::numeric_limits<double>::max();

/// Reads an MPS file with names that have no blanks in them, as both forms of it usually are; its objective and other
/// free rows are ignored. 1e30 and beyond is infinite. What readers differ on, and integer variables, are refused.
[[nodiscard]] PolytopeRows read_mps(const std::filesystem::path& path, Index dimension);

}  // namespace slidemesh::detail

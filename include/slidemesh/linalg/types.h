#pragma once

#include <Eigen/Core>

#include <cstdint>

namespace slidemesh {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A stacked variable: d rows, one column for each node that this process owns. The in-process
/// network owns every node; an MPI rank owns a contiguous range of them.
using Stacked = Eigen::MatrixXd;

using VectorRef = Eigen::Ref<Vector>;
using ConstVectorRef = Eigen::Ref<const Vector>;

/// Meters are exact, so they are integers, and they outgrow 32 bits.
using Count = std::int64_t;

}  // namespace slidemesh

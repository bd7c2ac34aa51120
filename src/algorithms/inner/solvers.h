#pragma once

#include "slidemesh/algorithms/inner/inner_solver.h"

/// One function per inner solver, each in the file of its algorithm, for inner_solver.cpp.

namespace slidemesh {

[[nodiscard]] std::unique_ptr<InnerSolver> make_projection_solver(const FeasibleSet& set);
[[nodiscard]] std::unique_ptr<InnerSolver> make_bpcg_solver(const FeasibleSet& set);
[[nodiscard]] std::unique_ptr<InnerSolver> make_lazy_solver(const FeasibleSet& set);
[[nodiscard]] std::unique_ptr<InnerSolver> make_cgs_solver(const FeasibleSet& set);

}  // namespace slidemesh

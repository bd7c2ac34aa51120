#pragma once

#include "slidemesh/algorithms/registry.h"

/// One function a method, for registry.cpp.

namespace slidemesh {

// registry_newton.cpp
[[nodiscard]] MethodKind newton_sliding_kind();
// registry_sliding.cpp
[[nodiscard]] MethodKind ipds_kind();
[[nodiscard]] MethodKind ipds_restarted_kind();
[[nodiscard]] MethodKind ipds_vr_kind();
// registry_baselines.cpp
[[nodiscard]] MethodKind defw_kind();
[[nodiscard]] MethodKind dpg_kind();
// each in the file of its algorithm
[[nodiscard]] MethodKind centralized_fw_kind();
[[nodiscard]] MethodKind centralized_cgs_kind();
[[nodiscard]] MethodKind centralized_fista_kind();
[[nodiscard]] MethodKind tree_fista_kind();
[[nodiscard]] MethodKind pg_extra_kind();
[[nodiscard]] MethodKind nids_kind();
[[nodiscard]] MethodKind tree_newton_kind();
[[nodiscard]] MethodKind dqm_kind();
[[nodiscard]] MethodKind dual_averaging_kind();
[[nodiscard]] MethodKind apm_kind();
[[nodiscard]] MethodKind dadmm_kind();
[[nodiscard]] MethodKind dlm_kind();
[[nodiscard]] MethodKind dcs_kind();
[[nodiscard]] MethodKind sdcs_kind();
[[nodiscard]] MethodKind dcgs_kind();
[[nodiscard]] MethodKind opapc_kind();
[[nodiscard]] MethodKind gt_saga_kind();
[[nodiscard]] MethodKind dvrgtfw_kind();
[[nodiscard]] MethodKind block_defw_kind();
[[nodiscard]] MethodKind quantized_defw_kind();
[[nodiscard]] MethodKind sag_fw_kind();

}  // namespace slidemesh

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
[[nodiscard]] MethodKind pg_extra_kind();
[[nodiscard]] MethodKind nids_kind();
[[nodiscard]] MethodKind centralized_fw_kind();
[[nodiscard]] MethodKind centralized_cgs_kind();
[[nodiscard]] MethodKind centralized_fista_kind();

}  // namespace slidemesh

#include "slidemesh/algorithms/registry.h"

#include <algorithm>

#include "registry_kinds.h"

namespace slidemesh {

const std::vector<MethodKind>& method_kinds() {
  static const std::vector<MethodKind> kinds{
      newton_sliding_kind(),
      ipds_vr_kind(),
      ipds_restarted_kind(),
      ipds_kind(),
      defw_kind(),
      dpg_kind(),
      pg_extra_kind(),
      nids_kind(),
      dual_averaging_kind(),
      dadmm_kind(),
      dlm_kind(),
      dqm_kind(),
      apm_kind(),
      opapc_kind(),
      gt_saga_kind(),
      dcs_kind(),
      sdcs_kind(),
      dcgs_kind(),
      block_defw_kind(),
      quantized_defw_kind(),
      dvrgtfw_kind(),
      tree_newton_kind(),
      tree_fista_kind(),
      sag_fw_kind(),
      centralized_fw_kind(),
      centralized_cgs_kind(),
      centralized_fista_kind(),
  };
  return kinds;
}

const MethodKind* find_method(std::string_view name) {
  const auto& kinds = method_kinds();
  const auto found = std::ranges::find(kinds, name, &MethodKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace slidemesh

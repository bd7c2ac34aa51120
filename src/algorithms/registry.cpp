#include "slidemesh/algorithms/registry.h"

#include <algorithm>

#include "registry_kinds.h"

namespace slidemesh {

const std::vector<MethodKind>& method_kinds() {
  static const std::vector<MethodKind> kinds{
      ipds_vr_kind(),
      newton_sliding_kind(),
      ipds_restarted_kind(),
      ipds_kind(),
      defw_kind(),
      dpg_kind(),
      pg_extra_kind(),
      nids_kind(),
      centralized_fw_kind(),
      centralized_cgs_kind(),
      centralized_fista_kind(),
  };
  return kinds;
}

const MethodKind* find_method(std::string_view name) {
  const auto& kinds = method_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const MethodKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace slidemesh

#pragma once

#include <string>

#include "slidemesh/base/config_table.h"
#include "slidemesh/sets/registry.h"

namespace slidemesh {

/// Reads a set, `{ kind = "l1-ball", radius = 10.0 }`, at `key`; absent, an l1 ball of radius 10.
/// Kinds and keys are checked here; whether the numbers make a set, make_set says.
[[nodiscard]] SetSpec parse_set(ConfigTable& parent, const std::string& key);

}  // namespace slidemesh

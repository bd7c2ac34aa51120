#pragma once

#include "slidemesh/base/config_table.h"
#include "slidemesh/base/keys.h"
#include "slidemesh/session/peer_config.h"

namespace slidemesh {

/// Checks every key and value.
[[nodiscard]] PeerConfig parse_peer(ConfigTable table);
[[nodiscard]] std::vector<KeyDoc> peer_keys_docs();

}  // namespace slidemesh

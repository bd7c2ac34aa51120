#pragma once

#include "slidemesh/session/config.h"

namespace slidemesh {

/// [peer]: what a party of `slidemesh peer run` has for itself, whatever the others have.
struct PeerConfig {
  double patience_seconds = 86'400.0;  ///< how long a neighbour may be gone
  bool ends_on_bad_message = true;     ///< false: waits for a better one
};

[[nodiscard]] PeerConfig peer_config(const Config& config);

}  // namespace slidemesh

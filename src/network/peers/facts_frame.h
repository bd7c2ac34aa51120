#pragma once

#include <string>

#include "slidemesh/network/peers/wire.h"

namespace slidemesh::peers {

/// The frame that tells them, with what the clock says now.
[[nodiscard]] std::string facts_frame(Facts facts);

}  // namespace slidemesh::peers

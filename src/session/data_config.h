#pragma once

#include "slidemesh/session/config.h"

namespace slidemesh {

/// Reads [data] into config.data.
void parse_data(ConfigTable table, Config& config);
[[nodiscard]] std::vector<KeyDoc> data_keys_docs();

}  // namespace slidemesh

#pragma once

#include <string>

namespace slidemesh::app {

/// docs/config.md, made from the tables of keys that configs are read with. A test compares it with the file.
[[nodiscard]] std::string config_page();

}  // namespace slidemesh::app

#pragma once

#include "config.h"

namespace slidemesh::app {

/// Reads [data] into config.data.
void parse_data(ConfigTable table, Config& config);

/// The sources' names with a line on each, for listings.
struct SourceKind {
  std::string name;
  std::string description;
};
[[nodiscard]] const std::vector<SourceKind>& source_kinds();

}  // namespace slidemesh::app

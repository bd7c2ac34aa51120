#pragma once

#include <string>

#include "slidemesh/core/graph.h"

namespace slidemesh::app {

/// The graph as an SVG drawing of its own.
[[nodiscard]] std::string graph_svg(const Graph& graph, const std::string& title);

}  // namespace slidemesh::app

#include "graph_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "slidemesh/report/layout.h"

namespace slidemesh::app {

std::string graph_svg(const Graph& graph, const std::string& title) {
  constexpr double kSize = 800.0;
  constexpr double kMargin = 40.0;
  const auto positions = layout(graph);
  const auto place = [](double unit) { return kMargin + unit * (kSize - 2.0 * kMargin); };
  const double radius = std::clamp(80.0 / std::sqrt(static_cast<double>(graph.nodes())), 1.5, 12.0);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\" width=\"{0}\" height=\"{0}\">\n"
      "<title>{1}, {2} nodes, {3} edges</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<g stroke=\"#8a94a6\" stroke-width=\"1\">\n",
      kSize, title, graph.nodes(), graph.edges());
  const auto at = [&](Index i) { return positions[static_cast<std::size_t>(i)]; };
  for (const auto& [i, j] : graph.edge_list()) {
    svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", place(at(i).x),
                       place(at(i).y), place(at(j).x), place(at(j).y));
  }
  svg += "</g>\n<g fill=\"#2b5cab\">\n";
  for (Index i = 0; i < graph.nodes(); ++i) {
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>node {}, degree {}</title></circle>\n",
                       place(at(i).x), place(at(i).y), radius, i, graph.degree(i));
  }
  return svg + "</g>\n</svg>\n";
}

}  // namespace slidemesh::app

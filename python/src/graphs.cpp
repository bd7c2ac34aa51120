#include <fmt/format.h>

#include "bindings.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/core/graph.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/session/config.h"

namespace slidemesh::python {

namespace {

Graph named_graph(const py::dict& network) {
  Value::Table tree;
  tree.emplace("network", Value{to_table(network, "graph")});
  return make_graph(make_config(std::move(tree), "graph").graph);
}

Graph graph_of_edges(Index nodes, const std::vector<Edge>& edges) {
  Graph graph(nodes, edges);
  if (graph.components() != 1) {
    fail<UsageError>(
        "graph", "one that is connected",
        fmt::format("{} pieces: node {} cannot be reached from node 0", graph.components(), graph.first_unreachable()));
  }
  return graph;
}

}  // namespace

void bind_graphs(py::module_& module) {
  py::class_<Graph>(module, "Graph")
      .def(py::init(&graph_of_edges), py::arg("nodes"), py::arg("edges"))
      .def_static("named", &named_graph, py::arg("network"))
      .def_property_readonly("nodes", &Graph::nodes)
      .def_property_readonly("edges", &Graph::edge_list)
      .def("degree", &Graph::degree, py::arg("node"))
      .def("spectrum", [](const Graph& graph) { return to_array(full_laplacian_spectrum(graph)); })
      .def("lambda_max", [](const Graph& graph) { return laplacian_spectrum(graph).lambda_max; });
}

}  // namespace slidemesh::python

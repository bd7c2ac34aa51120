#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "commands.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/text.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/report/layout.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

struct GraphArguments {
  GraphSpec spec;
  std::optional<Index> nodes;
  bool edges = false;
  bool spectrum = false;
  double smoothness = 0.0;
  std::string picture;
  bool json = false;
};

void print_json(const Graph& graph, const GraphArguments& arguments) {
  const Spectrum s = laplacian_spectrum(graph);
  nlohmann::ordered_json object = {{"graph", arguments.spec.kind},
                                   {"nodes", graph.nodes()},
                                   {"edges", graph.edges()},
                                   {"largest_degree", graph.largest_degree()},
                                   {"lambda_max", s.lambda_max},
                                   {"lambda_2", s.lambda_2},
                                   {"condition", s.lambda_max / s.lambda_2}};
  if (arguments.edges) {
    object["edge_list"] = graph.edge_list();
  }
  if (arguments.spectrum) {
    const Vector all = full_laplacian_spectrum(graph);
    object["spectrum"] = std::vector<double>(all.begin(), all.end());
  }
  fmt::print("{}\n", object.dump());
}

void print_edges(const Graph& graph) {
  fmt::print("# {} nodes, {} edges\n", graph.nodes(), graph.edges());
  for (const auto& [i, j] : graph.edge_list()) {
    fmt::print("{} {}\n", i, j);
  }
}

void print_summary(const Graph& graph, const GraphArguments& arguments) {
  const Spectrum s = laplacian_spectrum(graph);
  Index least = graph.nodes();
  for (Index i = 0; i < graph.nodes(); ++i) {
    least = std::min(least, graph.degree(i));
  }
  fmt::print("graph             {}\n", arguments.spec.kind);
  fmt::print("nodes             {}\n", graph.nodes());
  fmt::print("edges             {}\n", graph.edges());
  fmt::print("degrees           {} to {}, mean {:.3g}\n", least, graph.largest_degree(),
             2.0 * static_cast<double>(graph.edges()) / static_cast<double>(graph.nodes()));
  fmt::print("lambda_max        {:.12g}   (neighbours alone can tell that it is at most {:g})\n", s.lambda_max,
             graph.degree_bound());
  fmt::print("lambda_2          {:.12g}   (algebraic connectivity)\n", s.lambda_2);
  fmt::print("condition         {:.6g}   (lambda_max / lambda_2)\n", s.lambda_max / s.lambda_2);
  const double L = arguments.smoothness > 0.0 ? arguments.smoothness : 1.0;
  fmt::print("suggested R       {:.6g} with gossip = \"laplacian\", {:.6g} with \"sqrt-laplacian\" ({})\n",
             L / s.lambda_max, L / std::sqrt(s.lambda_max),
             arguments.smoothness > 0.0 ? "R |A| / L~ = 1" : "times L~; give --smoothness for a number");
  if (arguments.spectrum) {
    const Vector all = full_laplacian_spectrum(graph);
    fmt::print("spectrum         ");
    for (Index i = 0; i < all.size(); ++i) {
      fmt::print(" {:.6g}", all(i));
    }
    fmt::print("\n");
  }
}

/// The graph as an SVG drawing of its own.
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

ExitCode show_graph(const GraphArguments& given) {
  GraphArguments arguments = given;
  arguments.spec.nodes = given.nodes.value_or(given.spec.kind == "file" ? 0 : given.spec.nodes);
  const Graph graph = make_graph(arguments.spec);
  if (arguments.json) {
    print_json(graph, arguments);
  } else if (arguments.edges) {
    print_edges(graph);
  } else {
    print_summary(graph, arguments);
  }
  if (!arguments.picture.empty()) {
    atomic_write(arguments.picture, graph_svg(graph, arguments.spec.kind));
    write_to_log(fmt::format("picture           {}\n", arguments.picture));
  }
  return ExitCode::kOk;
}

}  // namespace

void add_graph_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command(
      app, "graph", "A graph's degrees, spectrum and suggested R; its edges; a picture", action, show_graph);
  GraphSpec& spec = arguments->spec;
  command->add_option("KIND", spec.kind, "See slidemesh list graphs")
      ->required()
      ->check(CLI::IsMember(names_of(graph_kinds())));
  command->add_option("--nodes,-n", arguments->nodes, "How many nodes")->check(CLI::Range(2, 1'000'000));
  command->add_option("--p", spec.p, "Probability of an edge (erdos-renyi)")->check(CLI::Range(0.0, 1.0));
  command->add_option("--radius", spec.radius, "Reach of a node in the unit square (geometric)")
      ->check(positive_number());
  command->add_option("--rows", spec.rows, "Rows (grid)")->check(positive_number());
  command->add_option("--path", spec.path, "An edge list (file)");
  command->add_option("--seed", spec.seed, "Seed of the random kinds");
  command->add_flag("--edges", arguments->edges, "Print the edge list instead, as KIND file reads it");
  command->add_flag("--spectrum", arguments->spectrum, "Print all eigenvalues of the Laplacian");
  command->add_option("--smoothness", arguments->smoothness, "L~, for the suggested R")->check(positive_number());
  command->add_option("--picture", arguments->picture, "Write a drawing, SVG");
  command->add_flag("--json", arguments->json, "JSON instead of words");
  command->footer(
      "Examples:\n  slidemesh graph path --nodes 100\n  slidemesh graph erdos-renyi -n 10 --p 0.4 --edges > "
      "graph.edges\n"
      "  slidemesh graph file --path graph.edges --picture graph.svg");
}

}  // namespace slidemesh::app

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/lines.h"
#include "slidemesh/base/text.h"
#include "slidemesh/graphs/generators.h"

namespace slidemesh {
namespace {

constexpr LineRules kRules{.between = " \t\r", .comment = '#', .comment_anywhere = true};

struct NumberedEdge {
  Edge edge;
  long line = 0;
};

bool is_node(std::string_view word, Index& node) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), node);
  return error == std::errc{} && end == word.data() + word.size() && node >= 0;
}

/// Two node numbers and nothing else.
Edge parse(const Line& line) {
  Edge edge;
  if (line.words.size() != 2 || !is_node(line.words[0], edge.first) || !is_node(line.words[1], edge.second)) {
    line.fail("two node numbers", text::quoted(text::joined(line.words, " ")));
  }
  return edge;
}

std::vector<NumberedEdge> parse_lines(const std::filesystem::path& path, Index nodes) {
  std::vector<NumberedEdge> edges;
  for_each_line(path, kRules, [&](const Line& line) {
    const Edge edge = parse(line);
    if (edge.first == edge.second) {
      line.fail("two different nodes", fmt::format("{} twice", edge.first));
    }
    if (nodes > 0 && std::max(edge.first, edge.second) >= nodes) {
      line.fail(fmt::format("node numbers below {}", nodes), std::to_string(std::max(edge.first, edge.second)));
    }
    edges.push_back({std::minmax(edge.first, edge.second), line.number});
  });
  return edges;
}

void check_repeats(std::vector<NumberedEdge> edges, const std::filesystem::path& path) {
  std::sort(edges.begin(), edges.end(), [](const NumberedEdge& a, const NumberedEdge& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.line < b.line;
  });
  const auto repeat = std::adjacent_find(edges.begin(), edges.end(),
                                         [](const NumberedEdge& a, const NumberedEdge& b) { return a.edge == b.edge; });
  if (repeat != edges.end()) {
    fail<DataError>(line_of(path, std::next(repeat)->line), "every edge once",
                    fmt::format("{} {} as on line {}", repeat->edge.first, repeat->edge.second, repeat->line));
  }
}

}  // namespace

Graph read_edge_list(const std::filesystem::path& path, Index nodes) {
  const std::vector<NumberedEdge> numbered = parse_lines(path, nodes);
  require<DataError>(!numbered.empty() || nodes == 1, path.string(), "at least one edge", "none");
  check_repeats(numbered, path);
  std::vector<Edge> edges;
  edges.reserve(numbered.size());
  Index largest = nodes - 1;
  for (const NumberedEdge& e : numbered) {
    largest = std::max(largest, e.edge.second);
    edges.push_back(e.edge);
  }
  // A number far beyond the count of edges would only make room for nodes that cannot be reached.
  require<DataError>(largest <= static_cast<Index>(edges.size()), path.string(), "a connected graph",
                     fmt::format("{} edges and a node numbered {}", edges.size(), largest));
  return {largest + 1, edges};
}

}  // namespace slidemesh

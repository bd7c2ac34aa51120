#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

#include "slidemesh/base/errors.h"
#include "slidemesh/graphs/generators.h"

namespace slidemesh {
namespace {

/// Two node numbers and nothing else.
class EdgeLine {
 public:
  explicit EdgeLine(std::string_view text) : rest_(text) {}

  bool parse(Edge& edge) { return number(edge.first) && number(edge.second) && (skip_blanks(), rest_.empty()); }

  void skip_blanks() {
    const auto first = rest_.find_first_not_of(" \t\r");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  bool number(Index& value) {
    skip_blanks();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < 0) {
      return false;
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return rest_.empty() || rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r';
  }

  std::string_view rest_;
};

/// What a line would be shown as in a message: its printable beginning.
std::string excerpt(std::string_view line) {
  constexpr std::size_t kShown = 40;
  std::string text(line.substr(0, kShown));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + text + (line.size() > kShown ? "...'" : "'");
}

struct NumberedEdge {
  Edge edge;
  Index line = 0;
};

std::vector<NumberedEdge> parse_lines(std::istream& in, const std::string& name, Index nodes) {
  std::vector<NumberedEdge> edges;
  std::string text;
  for (Index line = 1; std::getline(in, text); ++line) {
    const std::string place = name + ":" + std::to_string(line) + ": ";
    EdgeLine parser(text);
    parser.skip_blanks();
    if (parser.rest().empty() || parser.rest().front() == '#') {
      continue;
    }
    Edge edge;
    if (!parser.parse(edge)) {
      throw DataError(place + "expected two node numbers, got " + excerpt(text));
    }
    if (edge.first == edge.second) {
      throw DataError(place + "expected two different nodes, got " + std::to_string(edge.first) + " twice");
    }
    if (nodes > 0 && std::max(edge.first, edge.second) >= nodes) {
      throw DataError(place + "expected node numbers below " + std::to_string(nodes) + ", got " +
                      std::to_string(std::max(edge.first, edge.second)));
    }
    edges.push_back({std::minmax(edge.first, edge.second), line});
  }
  return edges;
}

void check_repeats(std::vector<NumberedEdge> edges, const std::string& name) {
  std::sort(edges.begin(), edges.end(), [](const NumberedEdge& a, const NumberedEdge& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.line < b.line;
  });
  const auto repeat = std::adjacent_find(edges.begin(), edges.end(),
                                         [](const NumberedEdge& a, const NumberedEdge& b) { return a.edge == b.edge; });
  if (repeat != edges.end()) {
    throw DataError(name + ":" + std::to_string(std::next(repeat)->line) + ": expected every edge once, got " +
                    std::to_string(repeat->edge.first) + " " + std::to_string(repeat->edge.second) + " as on line " +
                    std::to_string(repeat->line));
  }
}

}  // namespace

Graph read_edge_list(const std::filesystem::path& path, Index nodes) {
  const std::string name = path.string();
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path)) {
    throw DataError(name + ": expected a readable edge list, got no such file");
  }
  const std::vector<NumberedEdge> numbered = parse_lines(in, name, nodes);
  if (numbered.empty() && nodes != 1) {
    throw DataError(name + ": expected at least one edge, got none");
  }
  check_repeats(numbered, name);
  std::vector<Edge> edges;
  edges.reserve(numbered.size());
  Index largest = nodes - 1;
  for (const NumberedEdge& e : numbered) {
    largest = std::max(largest, e.edge.second);
    edges.push_back(e.edge);
  }
  // A number far beyond the count of edges would only make room for nodes that cannot be reached.
  if (largest > static_cast<Index>(edges.size())) {
    throw DataError(name + ": expected a connected graph, got " + std::to_string(edges.size()) +
                    " edges and a node numbered " + std::to_string(largest));
  }
  return {largest + 1, edges};
}

}  // namespace slidemesh

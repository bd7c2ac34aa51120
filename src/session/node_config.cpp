#include "config_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

constexpr const char* kExpectedNodes = "a node's number, a list of them, or a range such as \"0-4\"";

std::optional<Index> number_in(std::string_view text) {
  Index number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 ? std::optional(number) : std::nullopt;
}

/// "3" or "0-4", both ends included.
std::optional<std::vector<Index>> range_in(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = number_in(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_in(text.substr(dash + 1));
  if (!first || !last || *last < *first || *last >= kMostNodes) {
    return std::nullopt;
  }
  std::vector<Index> nodes;
  for (Index node = *first; node <= *last; ++node) {
    nodes.push_back(node);
  }
  return nodes;
}

std::optional<std::vector<Index>> nodes_in(const Value& value) {
  if (const auto* one = value.as<std::int64_t>(); one != nullptr && *one >= 0) {
    return std::vector<Index>{*one};
  }
  if (value.is<std::string>()) {
    return range_in(value.text());
  }
  const auto* list = value.as<Value::List>();
  if (list == nullptr || list->empty()) {
    return std::nullopt;
  }
  std::vector<Index> nodes;
  for (const Value& element : *list) {
    const auto some = element.is<Value::List>() ? std::nullopt : nodes_in(element);
    if (!some) {
      return std::nullopt;
    }
    nodes.insert(nodes.end(), some->begin(), some->end());
  }
  return nodes;
}

}  // namespace

Keys<NodeConfig> node_keys(const LossSpec& problem_loss) {
  return Keys<NodeConfig>()
      .other("nodes", kExpectedNodes, "", "the nodes that the table is about",
             [](ConfigTable& table, const Value& value, NodeConfig& config) {
               const auto nodes = nodes_in(value);
               table.require(nodes.has_value(), "nodes", kExpectedNodes);
               config.nodes = *nodes;
             })
      .other("set", kSetForm, "the problem's", "their own set: [sets.md](sets.md#sets-of-the-nodes-own)",
             [](ConfigTable& table, const Value& /*value*/, NodeConfig& config) { config.set = parse_set(table); })
      .other("loss", "a loss", "the problem's",
             "their own loss, for the same kind of labels; its parameters are those of `[problem]`",
             [problem_loss](ConfigTable& table, const Value& /*value*/, NodeConfig& config) {
               config.loss = problem_loss;
               config.loss->kind = *table.choice("loss", names_of(loss_kinds()));
             });
}

std::vector<NodeConfig> parse_nodes(ConfigTable& root, const LossSpec& problem_loss) {
  const Keys<NodeConfig> keys = node_keys(problem_loss);
  std::vector<NodeConfig> configs;
  std::set<Index> seen;
  for (ConfigTable& table : root.tables("node")) {
    NodeConfig config;
    config.place = table.place();
    keys.read(table, config);
    table.require(table.has("nodes"), "nodes", kExpectedNodes);
    for (const Index node : config.nodes) {
      if (!seen.insert(node).second) {
        table.fail("nodes", "every node once in all [[node]] tables", fmt::format("{} twice", node));
      }
    }
    table.require(config.set || config.loss, "set", "a set or a loss for these nodes", "neither");
    table.finish();
    configs.push_back(std::move(config));
  }
  return configs;
}

const NodeConfig* find_node(const std::vector<NodeConfig>& configs, Index node) {
  for (const NodeConfig& config : configs) {
    if (std::find(config.nodes.begin(), config.nodes.end(), node) != config.nodes.end()) {
      return &config;
    }
  }
  return nullptr;
}

void require_nodes(const std::vector<NodeConfig>& configs, Index nodes) {
  for (const NodeConfig& config : configs) {
    for (const Index node : config.nodes) {
      require<UsageError>(node < nodes, config.place + "node.nodes", fmt::format("numbers from 0 to {}", nodes - 1),
                          std::to_string(node));
    }
  }
}

}  // namespace slidemesh

#include "methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace slidemesh::app {

const std::vector<MethodKind>& method_kinds() {
  static const std::vector<MethodKind> kinds{
      {"ipds-vr", "variance-reduced sliding, the default: a few rows a step, all of them only now and then",
       parse_ipds_vr, 2'000, 100'000},
      {"ipds-restarted", "sliding with exact gradients and restarts; smoothness and R are found as it goes",
       parse_ipds_restarted, 400, 100'000},
      {"ipds", "inexact primal-dual sliding, the paper's Algorithm 1: one touch of the data an outer step", parse_ipds},
      {"defw", "decentralized Frank-Wolfe: a pass over the data and one linear-oracle call a node a step", parse_defw},
      {"dpg", "decentralized projected gradient, the step decaying or constant", parse_dpg},
      {"pg-extra", "PG-EXTRA: projected gradient, corrected so that a constant step reaches the optimum",
       parse_pg_extra},
      {"nids", "NIDS: as PG-EXTRA, with steps that need not know the network", parse_nids},
      {"centralized-fw", "Frank-Wolfe by a centre, for scale", parse_centralized_fw},
      {"centralized-cgs", "conditional gradient sliding by a centre, for scale", parse_centralized_cgs},
      {"centralized-fista", "FISTA with restarts by a centre, for scale", parse_centralized_fista},
  };
  return kinds;
}

std::optional<NumberOrWord> number_or_word(ConfigTable& table, const std::string& key,
                                           const std::vector<std::string>& words) {
  const toml::node* node = table.node(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  NumberOrWord out;
  if (const auto word = node->value<std::string>(); word && node->is_string()) {
    if (std::find(words.begin(), words.end(), *word) != words.end()) {
      out.word = *word;
      return out;
    }
  } else if (node->is_number()) {
    out.number = node->value<double>();
    if (*out.number > 0.0 && *out.number < std::numeric_limits<double>::infinity()) {
      return out;
    }
  }
  std::string expected = "a positive number";
  for (const std::string& word : words) {
    expected += fmt::format(" or \"{}\"", word);
  }
  table.fail(key, expected, describe(*node));
}

MethodConfig parse_method(ConfigTable& table, bool has_target) {
  constexpr Count kMostSteps = 100'000'000;
  std::vector<std::string> names;
  for (const MethodKind& kind : method_kinds()) {
    names.push_back(kind.name);
  }
  MethodConfig out;
  const auto name = table.choice("name", names);
  if (!name) {
    table.fail("name", alternatives(names), "no name");
  }
  out.name = *name;
  out.label = table.text("label").value_or(*name);
  if (out.label.empty()) {
    table.fail("label", "a name of at least one letter", "an empty string");
  }
  const auto kind = std::find_if(method_kinds().begin(), method_kinds().end(),
                                 [&](const MethodKind& candidate) { return candidate.name == out.name; });
  out.outer_steps = static_cast<int>(
      table.integer("outer_steps", 1, kMostSteps).value_or(has_target ? kind->outer_steps_to_stop : kind->outer_steps));
  out.make = kind->parse(table, out.outer_steps);
  table.finish();
  for (const std::string& key : table.keys()) {
    if (key != "name" && key != "label") {
      const toml::node& node = *table.raw().get(key);
      out.settings.emplace_back(key, node.is_string() ? *node.value<std::string>() : describe(node));
    }
  }
  return out;
}

}  // namespace slidemesh::app

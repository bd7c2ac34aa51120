#include "config.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "data_config.h"
#include "overrides.h"
#include "set_config.h"

namespace slidemesh::app {

namespace {

constexpr Count kMostNodes = 1'000'000;

void parse_problem(ConfigTable table, Config& config) {
  std::vector<std::string> losses;
  for (const LossKind& kind : loss_kinds()) {
    losses.push_back(kind.name);
  }
  config.loss.kind = table.choice("loss", losses).value_or(config.loss.kind);
  const auto kind = std::find_if(loss_kinds().begin(), loss_kinds().end(),
                                 [&](const LossKind& candidate) { return candidate.name == config.loss.kind; });
  const auto takes = [&](const char* key) {
    return std::find(kind->keys.begin(), kind->keys.end(), key) != kind->keys.end();
  };
  if (takes("delta")) {
    config.loss.delta = table.number("delta", "a positive number", is_positive).value_or(config.loss.delta);
  }
  if (takes("gamma")) {
    config.loss.gamma = table.number("gamma", "a positive number", is_positive).value_or(config.loss.gamma);
  }
  if (takes("classes")) {
    config.loss.classes = table.integer("classes", 2, 1'000'000).value_or(0);
  }
  config.mu = table.number("mu", "a number that is not negative", is_not_negative).value_or(0.0);
  config.set = parse_set(table, "set");
  if (const auto start = table.text("start")) {
    config.start = std::filesystem::path(config.file).parent_path() / *start;
  }
  config.start_label = table.text("start_label").value_or("");
  table.finish();
}

void parse_network(ConfigTable table, Config& config) {
  std::vector<std::string> kinds;
  for (const GraphKind& kind : graph_kinds()) {
    kinds.push_back(kind.name);
  }
  GraphSpec& graph = config.graph;
  graph.kind = table.choice("graph", kinds).value_or(graph.kind);
  const auto nodes = table.integer("nodes", 2, kMostNodes);
  if (graph.kind == "erdos-renyi") {
    graph.p = table.number("p", "a probability", is_probability).value_or(graph.p);
  } else if (graph.kind == "geometric") {
    graph.radius = table.number("radius", "a positive number", is_positive).value_or(graph.radius);
  } else if (graph.kind == "grid") {
    graph.rows = table.integer("rows", 1, kMostNodes).value_or(graph.rows);
  } else if (graph.kind == "file") {
    const auto path = table.text("path");
    if (!path) {
      table.fail("path", "the path of an edge list", "none");
    }
    graph.path = std::filesystem::path(config.file).parent_path() / *path;
  }
  config.timeout_seconds =
      table.number("timeout_seconds", "a positive number", is_positive).value_or(config.timeout_seconds);
  graph.nodes = nodes.value_or(graph.kind == "file" ? 0 : graph.nodes);
  graph.seed = static_cast<std::uint64_t>(
      table.integer("seed", 0, std::numeric_limits<Count>::max()).value_or(static_cast<Count>(config.seed)));
  table.finish();
}

void parse_stop(ConfigTable table, Config& config) {
  config.stop.target_gap = table.number("target_gap", "a positive number", is_positive);
  config.stop.target_disagreement = table.number("target_disagreement", "a positive number", is_positive);
  if (config.stop.target_disagreement && !config.stop.target_gap) {
    table.fail("target_disagreement", "a target_gap to go with it", "none");
  }
  config.stop.certified_gap = table.number("certified_gap", "a positive number", is_positive);
  config.stop.certified_gap_is_relative =
      table.choice("certified_gap_measure", {"relative", "absolute"}).value_or("relative") == "relative";
  config.stop.time_limit_seconds = table.number("time_limit_seconds", "a positive number", is_positive);
  table.finish();
}

void parse_output(ConfigTable table, Config& config) {
  config.output.every = static_cast<int>(table.integer("every", 1, 1'000'000'000).value_or(0));
  config.output.checkpoint_every = static_cast<int>(table.integer("checkpoint_every", 1, 1'000'000'000).value_or(0));
  config.output.checkpoint_seconds =
      table.number("checkpoint_seconds", "a number of seconds, or 0 for never", is_not_negative)
          .value_or(config.output.checkpoint_seconds);
  config.output.local_trace = table.choice("trace", {"global", "local"}).value_or("global") == "local";
  const auto reference = table.boolean("reference");
  config.output.reference = reference.value_or(!config.output.local_trace);
  if (config.output.local_trace && (config.output.reference || config.stop.target_gap)) {
    table.fail("trace", "\"global\", since a reference optimum and gaps to it need a centre", "\"local\"");
  }
  table.finish();
}

/// The config as run is written beside the results, where a password has no business.
void hide_credentials(toml::table& root) {
  toml::node* dsn = root["data"]["dsn"].node();
  if (dsn == nullptr) {
    return;
  }
  if (auto* one = dsn->as_string()) {
    *one = without_credentials(one->get());
  } else if (toml::array* several = dsn->as_array()) {
    for (toml::node& element : *several) {
      if (auto* text = element.as_string()) {
        *text = without_credentials(text->get());
      }
    }
  }
}

void require_distinct_labels(const Config& config) {
  std::set<std::string> seen;
  for (const MethodConfig& method : config.methods) {
    if (!seen.insert(method.label).second) {
      throw UsageError(fmt::format("{}: method.label: expected a different label for each method, got \"{}\" twice",
                                   config.file, method.label));
    }
  }
}

/// A config that names no method has the default one.
void parse_methods(ConfigTable& root, Config& config) {
  const bool has_target = config.stop.target_gap || config.stop.certified_gap;
  for (ConfigTable& method : root.tables("method")) {
    config.methods.push_back(parse_method(method, has_target));
  }
  if (config.methods.empty()) {
    const toml::table default_method{{"name", "ipds-vr"}};
    ConfigTable table(default_method, "method", config.file);
    config.methods.push_back(parse_method(table, has_target));
  }
}

Config parse_root(const toml::table& root, const std::string& file) {
  Config config;
  config.file = file;
  ConfigTable table(root, "", file);
  config.seed = static_cast<std::uint64_t>(table.integer("seed", 0, std::numeric_limits<Count>::max()).value_or(1));
  config.threads = static_cast<int>(table.integer("threads", 0, 1024).value_or(0));
  const toml::table empty;
  const auto section = [&](const char* name) {
    auto found = table.table(name);
    return found ? *found : ConfigTable(empty, name, file);
  };
  parse_problem(section("problem"), config);
  parse_data(section("data"), config);
  parse_network(section("network"), config);
  parse_stop(section("stop"), config);
  parse_methods(table, config);
  parse_output(section("output"), config);
  table.finish();
  require_distinct_labels(config);
  return config;
}

}  // namespace

Config parse_config(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  toml::table root;
  try {
    root = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw UsageError(fmt::format("{}:{}: expected TOML, got: {}", name, error.source().begin.line, what));
  }
  for (const std::string& assignment : overrides) {
    apply_override(root, assignment);
  }
  Config config = parse_root(root, name);
  hide_credentials(root);
  std::ostringstream as_run;
  as_run << root << '\n';
  config.text = as_run.str();
  return config;
}

Config read_config(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (std::filesystem::is_directory(path) || !file || !(text << file.rdbuf())) {
    throw UsageError(fmt::format("{}: expected a readable config file, got none", path.string()));
  }
  return parse_config(text.str(), path.string(), overrides);
}

}  // namespace slidemesh::app

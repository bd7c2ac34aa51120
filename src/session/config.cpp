#include "slidemesh/session/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "config_sections.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/store/postgres.h"

namespace slidemesh {

namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000;

Keys<Config> top_keys() {
  return Keys<Config>()
      .integer("seed", &Config::seed, 0, kAnySeed,
               "of everything that is drawn: rows, random graphs, splits, generated data")
      .integer("threads", &Config::threads, 0, 1024,
               "threads over nodes; 0 takes what the machine has. Never changes an answer");
}

auto loss_takes(const char* key) {
  return [key](const Config& config) {
    const auto kind = std::ranges::find(loss_kinds(), config.loss.kind, &LossKind::name);
    return kind != loss_kinds().end() && std::ranges::find(kind->keys, key) != kind->keys.end();
  };
}

Keys<Config> problem_keys() {
  return Keys<Config>()
      .word("loss", at(&Config::loss, &LossSpec::kind), names_of(loss_kinds()),
            "see `slidemesh list losses` and [losses.md](losses.md)")
      .number("delta", at(&Config::loss, &LossSpec::delta), kPositive, "where the square turns into a line")
      .only_for("huber", loss_takes("delta"))
      .number("gamma", at(&Config::loss, &LossSpec::gamma), kPositive, "how wide the corner is rounded")
      .only_for("smoothed-hinge", loss_takes("gamma"))
      .integer("classes", at(&Config::loss, &LossSpec::classes), 2, kMostClasses, "how many classes the data must have")
      .by_default("as found")
      .only_for("softmax", loss_takes("classes"))
      .number("mu", &Config::mu, kNotNegative, "strong convexity: each node's objective gets `mu |x|^2 / 2`")
      .choice("weights", &Config::weigh_rows, {{"rows", true}, {"nodes", false}},
              "\"rows\": every row of all nodes weighs the same; \"nodes\": every node does, however many rows it has")
      .path("start", &Config::start, "a `model.json` to start from, moved into the set where it lies outside")
      .by_default("the set's own point")
      .text("start_label", &Config::start_label, "which model of `start`, where it has several")
      .other("set", kSetForm, to_toml({default_set()}).c_str(), "see `slidemesh list sets` and [sets.md](sets.md)",
             [](ConfigTable& table, const Value& /*value*/, Config& config) { config.set = parse_set(table); });
}

auto graph_is(const char* kind) {
  return [kind](const Config& config) { return config.graph.kind == kind; };
}

Keys<Config> network_keys() {
  return Keys<Config>()
      .word("graph", at(&Config::graph, &GraphSpec::kind), names_of(graph_kinds()),
            "see `slidemesh list graphs` and [graphs.md](graphs.md)")
      .integer("nodes", at(&Config::graph, &GraphSpec::nodes), 2, kMostNodes, "how many")
      .by_default("10; as found in a file")
      .number("p", at(&Config::graph, &GraphSpec::p), kProbability, "the probability of an edge")
      .only_for("erdos-renyi", graph_is("erdos-renyi"))
      .number("radius", at(&Config::graph, &GraphSpec::radius), kPositive,
              "nodes nearer than this in the unit square are joined")
      .by_default("sqrt(2 log m / m)")
      .only_for("geometric", graph_is("geometric"))
      .integer("rows", at(&Config::graph, &GraphSpec::rows), 1, kMostNodes, "of the grid")
      .by_default("as square as may be")
      .only_for("grid", graph_is("grid"))
      .path("path", at(&Config::graph, &GraphSpec::path), "an edge list, two node numbers per line")
      .only_for("file", graph_is("file"))
      .number("timeout_seconds", &Config::timeout_seconds, kPositive,
              "over MPI: a rank that is silent for so long is taken for lost; see [mpi.md](mpi.md)")
      .choice("wire", &Config::wire,
              {{"float64", Wire::kFloat64}, {"float32", Wire::kFloat32}, {"sparse", Wire::kSparse}},
              "how the numbers of a round travel: as they are; rounded, in half the "
              "bytes; or without zeros where that is shorter, with the bits of float64; "
              "see [speed.md](speed.md#float32-on-the-wire)")
      .integer("seed", at(&Config::graph, &GraphSpec::seed), 0, kAnySeed, "of a random graph alone")
      .by_default("the top level's");
}

void parse_problem(ConfigTable table, Config& config) {
  config.set = make_set_spec(default_set(), "");
  problem_keys().read(table, config);
  table.finish();
}

void parse_network(ConfigTable table, Config& config) {
  config.graph.seed = config.seed;
  network_keys().read(table, config);
  if (config.graph.kind == "file") {
    table.require(!config.graph.path.empty(), "path", "the path of an edge list", "none");
    config.graph.nodes = table.has("nodes") ? config.graph.nodes : 0;
  }
  table.finish();
}

Keys<Config> stop_keys() {
  const auto rule = [](auto field) { return at(&Config::stop, field); };
  return Keys<Config>()
      .number(
          "target_gap", rule(&StopRule::target_gap), kPositive,
          "stop when `(F(x̄) - F*) / (F(x_0) - F*)` is at most this. For experiments: it needs the reference optimum "
          "`F*`, and measuring is not charged. Claimed only where `F*` is certified ten times as exactly")
      .number("target_disagreement", rule(&StopRule::target_disagreement), kPositive,
              "and, together with `target_gap`, when `|x - x̄| / |x̄|` is at most this: the nodes agree as well")
      .number("target_infeasibility", rule(&StopRule::target_infeasibility), kNotNegative,
              "and, where nodes have sets of their own, when `x̄` violates none of them by more than this: "
              "[certificate.md](certificate.md)")
      .number(
          "certified_gap", rule(&StopRule::certified_gap), kPositive,
          "stop when `F(x̄)` is certified to be within this of the optimum: [certificate.md](certificate.md). What that "
          "evaluates is charged")
      .choice("certified_gap_measure", rule(&StopRule::certified_gap_is_relative),
              {{"relative", true}, {"absolute", false}}, "relative to `F(x_0) - lower_bound`, or as it is")
      .integer("data_oracle_calls", rule(&StopRule::data_budget), 1, kAnySeed,
               "data-oracle calls that a method may make, over all nodes; `data.budget` bounds every read")
      .number("time_limit_seconds", rule(&StopRule::time_limit_seconds), kPositive,
              "of all that the program does: reading, `F*`, every method");
}

void parse_stop(ConfigTable table, Config& config) {
  stop_keys().read(table, config);
  config.data.prefetch = config.data.prefetch && !config.stop.data_budget;
  table.require(!config.stop.target_disagreement || config.stop.target_gap, "target_disagreement",
                "a target_gap to go with it", "none");
  table.finish();
}

Keys<Config> output_keys() {
  const auto output = [](auto field) { return at(&Config::output, field); };
  return Keys<Config>()
      .integer("every", output(&OutputConfig::every), 1, kMostSteps, "record each so many steps")
      .by_default("every step at first, then every 2nd, 4th, 8th ...")
      .integer("checkpoint_every", output(&OutputConfig::checkpoint_every), 1, kMostSteps,
               "steps from checkpoint to checkpoint: [robustness.md](robustness.md)")
      .by_default("by time alone")
      .path("checkpoint_key", output(&OutputConfig::checkpoint_key),
            "a file with a key that checkpoints are sealed with; `--resume` then takes no other: "
            "[robustness.md](robustness.md)")
      .boolean("shared", output(&OutputConfig::shared),
               "let others read results as the umask says; otherwise files are their owner's alone")
      .number("checkpoint_seconds", output(&OutputConfig::checkpoint_seconds),
              {kNotNegative.contains, "a number of seconds, or 0 for never"},
              "of a method's time, from checkpoint to checkpoint; 0: never by time")
      .choice(
          "trace", output(&OutputConfig::trace),
          {{"known", Trace::kKnown}, {"global", Trace::kGlobal}, {"local", Trace::kLocal}, {"off", Trace::kOff}},
          "\"known\": records have what the method knows anyway, and only the last one looks at the data; \"global\": "
          "every record evaluates the objective, by two more passes that are in the ledger and not charged; "
          "\"local\": each process measures its own nodes, and no rank talks to one that is no neighbour: "
          "[mpi.md](mpi.md); \"off\": no record but the last")
      .by_default("`\"known\"`; where F* is computed `\"global\"`")
      .boolean("reference", output(&OutputConfig::reference),
               "compute `F*` first (cached beside the output, keyed by the problem) so that gaps are known")
      .by_default("where there is a `target_gap`");
}

void parse_output(ConfigTable table, Config& config) {
  output_keys().read(table, config);
  OutputConfig& output = config.output;
  const bool sets_differ = std::any_of(config.nodes.begin(), config.nodes.end(),
                                       [](const NodeConfig& node) { return node.set.has_value(); });
  table.require(!sets_differ || (!output.reference.value_or(false) && !config.stop.target_gap), "reference",
                "false and a stop.certified_gap, since F* over an intersection of nodes' sets is not computed",
                config.stop.target_gap ? "a stop.target_gap" : "true");
  output.reference = output.reference.value_or(config.stop.target_gap.has_value());
  if (*output.reference && !table.has("trace")) {
    output.trace = Trace::kGlobal;
  }
  table.require(output.trace != Trace::kLocal || (!*output.reference && !config.stop.target_gap), "trace",
                "\"global\", since a reference optimum and gaps to it need a centre", "\"local\"");
  table.require(output.trace == Trace::kGlobal || !config.stop.target_gap, "trace",
                "\"global\", since target_gap is measured by it",
                output.trace == Trace::kOff ? "\"off\"" : "\"known\"");
  table.require(!config.stop.target_gap || *output.reference, "reference",
                "true, since target_gap needs the reference optimum", "false");
  table.finish();
}

/// The keys that every method has.
Keys<MethodConfig> method_keys() {
  constexpr std::int64_t kLongest = 100'000'000;
  return Keys<MethodConfig>()
      .word("name", &MethodConfig::name, names_of(method_kinds()), "see `slidemesh list methods`")
      .text("label", &MethodConfig::label, "its name in the results; must differ between methods")
      .by_default("the name")
      .integer("outer_steps", &MethodConfig::outer_steps, 1, kLongest, "its length; where there is a target, a limit")
      .by_default("the method's own; where there is a target, until that is reached");
}

MethodConfig parse_method(ConfigTable& table, const StopRule& stop) {
  MethodConfig out;
  method_keys().read(table, out);
  const MethodKind* kind = find_method(out.name);
  if (kind == nullptr) {
    table.fail("name", alternatives(names_of(method_kinds())), "no name");
  }
  // A terminal would obey what a table of results shows.
  table.require(std::ranges::none_of(out.label, [](unsigned char c) { return c < ' ' || c == 0x7F; }), "label",
                "a name without control characters", "one with some");
  table.require(!table.has("label") || !out.label.empty(), "label", "a name of at least one letter", "an empty string");
  out.label = out.label.empty() ? out.name : out.label;
  out.make = kind->parse(table, out.outer_steps == 0 ? std::nullopt : std::optional(out.outer_steps), stop);
  out.outer_steps = out.make.outer_steps;
  table.finish();
  for (const auto& [key, value] : table.raw()) {
    if (key != "name" && key != "label") {
      out.settings.emplace_back(key, value.is<std::string>() ? value.text() : describe(value));
    }
  }
  return out;
}

/// A config that names no method has the default one.
void parse_methods(ConfigTable& root, Config& config) {
  for (ConfigTable& method : root.tables("method")) {
    config.methods.push_back(parse_method(method, config.stop));
  }
  if (config.methods.empty()) {
    const Value::Table default_method{{"name", Value{method_kinds().front().name}}};
    ConfigTable table(default_method, 0, "method", config.file);
    config.methods.push_back(parse_method(table, config.stop));
  }
  std::set<std::string> seen;
  for (const MethodConfig& method : config.methods) {
    require<UsageError>(seen.insert(method.label).second, config.file + ": method.label",
                        "a different label for each method", fmt::format("\"{}\" twice", method.label));
  }
}

Keys<Config> peer_keys() {
  return Keys<Config>()
      .number("patience", at(&Config::peer, &PeerConfig::patience_seconds), kPositive,
              "seconds that a neighbour may be gone before this party gives the run up; each party has its own: "
              "[peers-admin.md](peers-admin.md)")
      .choice("bad_message", at(&Config::peer, &PeerConfig::ends_on_bad_message), {{"end", true}, {"wait", false}},
              "what follows a message that breaks the protocol: \"end\": this party's run ends; \"wait\": the "
              "connection is "
              "closed, and the run waits for a better one");
}

void parse_peer(ConfigTable table, Config& config) {
  peer_keys().read(table, config);
  table.finish();
}

/// The config as run is written beside the results, where a password has no business.
void hide_credentials(Value& dsn) {
  if (auto* text = dsn.as<std::string>()) {
    *text = without_credentials(*text);
  } else if (auto* several = dsn.as<Value::List>()) {
    std::for_each(several->begin(), several->end(), hide_credentials);
  }
}

Value* find(Value::Table& table, const char* section, const char* key) {
  const auto found = table.find(section);
  auto* inner = found == table.end() ? nullptr : found->second.as<Value::Table>();
  const auto value = inner == nullptr ? Value::Table::iterator() : inner->find(key);
  return inner == nullptr || value == inner->end() ? nullptr : &value->second;
}

}  // namespace

Config make_config(Value::Table tree, const std::string& file) {
  Config config;
  config.file = file;
  ConfigTable table(tree, 0, "", file);
  top_keys().read(table, config);
  const Value::Table empty;
  const auto section = [&](const char* name) {
    auto found = table.table(name);
    return found ? *found : ConfigTable(empty, 0, name, file);
  };
  parse_problem(section("problem"), config);
  parse_data(section("data"), config);
  parse_network(section("network"), config);
  config.nodes = parse_nodes(table, config.loss);
  parse_stop(section("stop"), config);
  parse_methods(table, config);
  parse_output(section("output"), config);
  parse_peer(section("peer"), config);
  table.finish();
  if (Value* dsn = find(tree, "data", "dsn")) {
    hide_credentials(*dsn);
  }
  config.tree = std::move(tree);
  return config;
}

std::vector<SectionDoc> config_sections() {
  return {
      {"", "", top_keys().docs()},
      {"problem", "", problem_keys().docs()},
      {"node", "What some nodes have instead of what `[problem]` says.", node_keys().docs()},
      {"data", "See [data.md](data.md) for every source.", data_keys_docs()},
      {"network", "", network_keys().docs()},
      {"stop", "", stop_keys().docs()},
      {"output", "", output_keys().docs()},
      {"peer", "Of `slidemesh peer run` alone: parties that share no cluster.", peer_keys().docs()},
      {"method", "Once for each method. Every method has these keys, and those of its own below.",
       method_keys().docs()},
  };
}

}  // namespace slidemesh

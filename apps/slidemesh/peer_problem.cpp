#include "peer_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "config_file.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/formats/csv.h"
#include "slidemesh/network/peers/invitation.h"
#include "slidemesh/network/peers/visit.h"

namespace slidemesh::app {

namespace {

/// What differs between parties without making a difference to the others. What decides when messages are sent (the
/// cadence of the trace and of checkpoints, limits of time) is not among it.
bool is_private(const std::string& key) {
  static constexpr std::array<std::string_view, 16> kKeys{
      "threads",
      "data.path",
      "data.dsn",
      "data.table",
      "data.query",
      "data.key",
      "data.delimiter",
      "data.header",
      "data.retry_seconds",
      "data.scratch",
      "data.ledger",
      "data.prefetch",
      "output.shared",
      "output.trace",
      "output.reference",
      "output.checkpoint_key",
  };
  return key == "node" || (key.starts_with("network.") && key != "network.wire") || key.starts_with("peer.") ||
         std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

Value& member(Value::Table& table, const std::string& section, const std::string& key) {
  Value& found = table[section];
  if (found.as<Value::Table>() == nullptr) {
    found.held = Value::Table{};
  }
  return (*found.as<Value::Table>())[key];
}

/// The value of a section's key, or null.
const Value* find(const Value::Table& tree, std::string_view section, std::string_view key) {
  const auto found = tree.find(section);
  return found == tree.end() ? nullptr : found->second.find(key);
}

std::string source_in(const Value::Table& tree) {
  const Value* source = find(tree, "data", "source");
  return source != nullptr && source->is<std::string>() ? source->text() : std::string();
}

void require_for_parties(const PartyInputs& inputs, const Value::Table& tree) {
  const auto where = [&](const char* key) { return fmt::format("{}: {}", inputs.problem, key); };
  require<UsageError>(!source_in(tree).empty(), where("data.source"),
                      "what every party's rows are (\"csv\", \"libsvm\", ...)", "none");
  require<UsageError>(source_in(tree) != "synthetic", where("data.source"), "rows that parties have", "\"synthetic\"");
  require<UsageError>(!tree.contains("node"), where("node"),
                      "none between parties (peer run --own-set gives a party its own set)", "some");
  require<UsageError>(
      find(tree, "stop", "target_gap") == nullptr && find(tree, "output", "reference") == nullptr,
      where("stop.target_gap, output.reference"),
      "neither between parties, since F* would need everyone's rows in one place (stop.certified_gap needs sums alone)",
      "one");
}

}  // namespace

Config read_problem(const PartyInputs& inputs) {
  Value::Table tree = read_tree(inputs.problem, inputs.overrides);
  require_for_parties(inputs, tree);
  const bool is_file = source_in(tree) != "postgres";
  if (!inputs.data.empty()) {
    require<UsageError>(is_file, inputs.problem + ": --data", "rows in a file",
                        "a PostgreSQL table (--set data.dsn=...)");
    member(tree, "data", "path").held = std::filesystem::absolute(inputs.data).string();
  } else if (is_file && find(tree, "data", "path") == nullptr) {
    member(tree, "data", "path").held = std::string("rows");  // asked for when they are read
  }
  if (!inputs.own_set.empty()) {
    Value::Table own = parse_tree("node = [{ nodes = 0, set = " + inputs.own_set + " }]", "--own-set", {});
    tree.insert(own.extract("node"));
  }
  member(tree, "output", "trace").held = std::string("local");  // a party's trace is what that party may know
  return make_config(std::move(tree), inputs.problem);
}

std::string shared_problem(const Config& config) {
  const auto files = named_files(config);
  const auto is_file = [&](const std::string& key) {
    return std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.first == key; });
  };
  std::string text;
  for (const auto& [key, value] : flattened(config.tree)) {
    if (!is_private(key) && !is_file(key)) {
      text += key + " = " + value + "\n";
    }
  }
  for (const auto& [key, path] : files) {
    if (!is_private(key) && !key.starts_with("node.")) {
      text += "content of " + key + " = " + peers::sha256(read_text(path)) + "\n";
    }
  }
  return text;
}

void tell_columns(const DataSpec& data, peers::Facts& facts) {
  if (data.source != DataSourceKind::kCsv || !std::filesystem::exists(data.path)) {
    return;
  }
  try {
    const CsvNames names = names_of_csv(data.path, data.csv);
    peers::set_columns(facts, names.from_header ? names.features : std::vector<std::string>(),
                       names.from_header ? names.label : "");
    facts.columns = static_cast<std::uint32_t>(names.features.size());
  } catch (const Error&) {  // a run says what is wrong with a file
  }
}

std::string what_is_agreed_to(const Config& config) {
  const Value* set = find(config.tree, "problem", "set");
  std::string text = fmt::format("problem      {} with mu {} over the set {}\n", config.loss.kind, config.mu,
                                 set == nullptr ? config.set.kind : to_toml(*set));
  for (const MethodConfig& method : config.methods) {
    text += fmt::format("method       {}, at most {} steps\n", method.label, method.outer_steps);
  }
  if (config.stop.data_budget) {
    text += fmt::format("budget       {} rows touched, over all parties\n", *config.stop.data_budget);
  }
  text +=
      "read         your own rows only, by this machine: as often as the method asks (a pass per step for methods "
      "with\n"
      "             exact gradients), twice more for each line of the trace, and once for the certificate of the "
      "answer;\n"
      "             every access is in the ledger where data.ledger names one, and peer run --budget N bounds how "
      "many\n"
      "             rows the method may touch here\n"
      "leaves       to each neighbour, every round: one vector of the model's size; over the tree: sums and largest "
      "values\n"
      "             of a few numbers (row counts, smoothness, stopping). No row. Names and edges of the mesh reach all "
      "parties.\n"
      "             docs/peers-data-owner.md says what can be learnt from that";
  return text;
}

}  // namespace slidemesh::app

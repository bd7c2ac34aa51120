#include "resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/base/text.h"
#include "slidemesh/core/state_checks.h"
#include "slidemesh/network/mpi_network.h"

namespace slidemesh {

namespace {

/// How much work may be lost when a run fails of itself: the state is kept in memory this often.
constexpr double kSnapshotSeconds = 1.0;
/// Of a run's time, for such copies.
constexpr double kSnapshotShare = 0.05;

constexpr const char* kGraph = "the graph";
constexpr const char* kParties = "the parties";

/// Paths may change: what was read from them is compared instead.
bool may_change(const std::string& key) {
  return key == "threads" || key == "data.budget" || key.starts_with("output.") || key == "network.timeout_seconds" ||
         key.starts_with("peer.") || key == "problem.start" || key == "data.labels" || key == "data.scratch" ||
         key.ends_with(".path") || key.ends_with(".file") || key.starts_with("stop.");
}

/// Sums of counts that a file may hold must fit a Count.
void require_sane(Count count) {
  constexpr double kMost = 9007199254740992.0;  // 2^53: no run comes near, and no sum over nodes overflows
  require_within(static_cast<double>(count), 0.0, kMost, "meters");
}

void visit_meters(StateVisitor& visitor, Meters& meters) {
  visitor.visit("meters.communication_rounds", meters.communication_rounds);
  visitor.visit("meters.hops", meters.hops);
  require_sane(meters.communication_rounds);
  require_sane(meters.hops);
  Count scalar_messages = 0;
  for (Index i = 0; i < static_cast<Index>(meters.node.size()); ++i) {
    NodeMeters& n = meters.at(i);
    visitor.node(i);
    // Sent by this process's nodes together: written down for the first of them.
    std::vector<Count> counts{n.data_oracle_calls, n.data_oracle_accesses, n.linear_oracle_calls,
                              n.messages,          n.bytes_sent,           i == 0 ? meters.scalar_messages : 0};
    const std::size_t size = counts.size();
    visitor.visit("meters", counts);
    if (counts.size() != size) {
      fail<DataError>("checkpoint", fmt::format("{} meters per node", size), std::to_string(counts.size()));
    }
    std::for_each(counts.begin(), counts.end(), require_sane);
    n = {counts[0], counts[1], counts[2], counts[3], counts[4]};
    scalar_messages += counts[5];
  }
  meters.scalar_messages = scalar_messages;
  visitor.all_nodes();
}

std::string graph_key(const Graph& graph) {
  std::string edges;
  for (Index i = 0; i < graph.nodes(); ++i) {
    for (const Index j : graph.neighbours(i)) {
      edges += fmt::format("{},{};", i, j);
    }
  }
  return fmt::format("{} nodes, {} edges, {:016x}", graph.nodes(), graph.edges(), hash_of(edges));
}

std::string value_of(const Settings& settings, std::string_view key) {
  const auto found = std::ranges::find(settings, key, &Settings::value_type::first);
  return found == settings.end() ? std::string() : found->second;
}

std::optional<CheckpointSeal> seal_of(const OutputConfig& output) {
  return output.checkpoint_key.empty() ? std::nullopt : std::optional<CheckpointSeal>(output.checkpoint_key);
}

}  // namespace

Settings settings_of(const Config& config, const std::string& label) {
  Settings all;
  bool needs_target = false;
  const auto text_at = [](const Value& table, const char* key) {
    const Value* found = table.find(key);
    return found != nullptr && found->is<std::string>() ? found->text() : std::string();
  };
  const auto add = [&](const Value::Table& table, const std::string& prefix) {
    for (auto& setting : flattened(table, prefix)) {
      all.push_back(std::move(setting));
    }
  };
  for (const auto& [name, value] : config.tree) {
    if (const auto* methods = name == "method" ? value.as<Value::List>() : nullptr) {
      for (const Value& method : *methods) {
        const std::string own = text_at(method, "label");
        if ((own.empty() ? text_at(method, "name") : own) == label) {
          add(*method.as<Value::Table>(), "method.");
          needs_target = text_at(method, "tolerance") == "target";
        }
      }
    } else if (const auto* section = value.as<Value::Table>()) {
      add(*section, name + ".");
    } else {
      all.emplace_back(name, to_toml(value));
    }
  }
  // Inner tolerances may follow the target, and then the target is no mere limit.
  const auto drop = [&](const auto& setting) {
    const bool target = setting.first == "stop.target_gap" || setting.first.starts_with("stop.certified_gap");
    return may_change(setting.first) && !(needs_target && target);
  };
  all.erase(std::remove_if(all.begin(), all.end(), drop), all.end());
  for (const auto& [key, path] : named_files(config)) {
    all.emplace_back("the content of " + key, fmt::format("{:016x}", hash_of(read_text(path))));
  }
  std::sort(all.begin(), all.end());
  return all;
}

void require_same_settings(const Settings& before, const Settings& now, const std::string& where) {
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [key, value] : before) {
    both[key].first = value;
  }
  for (const auto& [key, value] : now) {
    both[key].second = value;
  }
  for (const auto& [key, values] : both) {
    if (values.first != values.second) {
      const auto shown = [](const std::string& value) { return value.empty() ? std::string("none") : value; };
      fail<UsageError>(fmt::format("--resume: {}: {}", where, key),
                       shown(values.first) + " as in the run to go on with", shown(values.second));
    }
  }
}

Checkpoints::Checkpoints(const Context& context, const MethodConfig& method)
    : context_(context),
      method_(method),
      network_(*context.experiment.network),
      control_(*context.experiment.control),
      settings_(settings_of(context.config, method.label)),
      store_(context.directory, method.label, context.job.rank(), context.job.size(), seal_of(context.config.output)) {
  settings_.emplace_back(kGraph, graph_key(context.experiment.graph));
  if (context.job.party != nullptr) {
    settings_.emplace_back(kParties, text::joined(context.job.party->names));
  }
  if (!context.data_key.empty()) {
    settings_.emplace_back("the data", context.data_key);
  }
}

/// Those that hold this process's nodes; none if one is missing.
std::vector<std::shared_ptr<const CheckpointPart>> Checkpoints::parts_of(const CheckpointStore::Set& set) const {
  std::vector<std::shared_ptr<const CheckpointPart>> parts;
  const Index end = network_.first_node() + network_.local_nodes();
  for (int process = 0; process < set.processes; ++process) {
    const NodeRange range = nodes_of_rank(network_.nodes(), set.processes, process);
    if (range.first < end && network_.first_node() < range.first + range.count) {
      auto part = store_.read(set, process);
      const bool fits = part && part->identity().nodes == network_.nodes() &&
                        part->identity().first_node == range.first && part->identity().local_nodes == range.count;
      if (!fits) {
        return {};
      }
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

/// What this process may propose. Parties that were dropped or came since a checkpoint make it another mesh's.
std::vector<CheckpointStore::Set> Checkpoints::candidates() const {
  auto sets = control_.is_root() ? store_.sets() : std::vector<CheckpointStore::Set>{};
  if (context_.job.party != nullptr) {
    std::erase_if(sets, [&](const CheckpointStore::Set& set) {
      const auto part = set.processes == context_.job.size() ? store_.read(set, context_.job.rank()) : nullptr;
      const auto is_same = [&](const char* key) {
        return value_of(part->identity().settings, key) == value_of(settings_, key);
      };
      return part == nullptr || !is_same(kGraph) || !is_same(kParties);
    });
  }
  return sets;
}

std::optional<RunState> Checkpoints::find() {
  const std::vector<CheckpointStore::Set> mine = candidates();
  const auto count = static_cast<std::size_t>(control_.from_root(static_cast<double>(mine.size())));
  for (std::size_t i = 0; i < count; ++i) {
    CheckpointStore::Set set = i < mine.size() ? mine[i] : CheckpointStore::Set{};
    set.step = static_cast<int>(control_.from_root(set.step));
    set.processes = static_cast<int>(control_.from_root(set.processes));
    // The first process compares for all, but where each is a party with a config of its own.
    const bool compares = control_.is_root() || context_.job.party != nullptr;
    if (const auto part =
            compares ? store_.read(set, context_.job.party != nullptr ? context_.job.rank() : 0) : nullptr) {
      require_same_settings(part->identity().settings, settings_, part->name());
    }
    auto parts = parts_of(set);
    if (control_.any(parts.empty())) {
      continue;
    }
    RunState state;
    CheckpointReader reader(parts, network_.first_node(), network_.local_nodes());
    visit_state(reader, state);
    found_ = std::move(parts);
    store_.keep(set);
    last_step_ = state.step;
    last_seconds_ = snapshot_seconds_ = state.seconds;
    return state;
  }
  return std::nullopt;
}

void Checkpoints::restore(Method& method) {
  const std::string where = found_.front()->name();
  CheckpointReader reader(std::move(found_), network_.first_node(), network_.local_nodes());
  RunState state;
  visit_state(reader, state);
  visit_meters(reader, network_.meters());
  method.visit_state(reader);
  reader.finish();
  require<DataError>(method.steps_done() == state.step && state.step >= 1 && state.step <= method_.outer_steps, where,
                     fmt::format("the state after step {}", state.step),
                     fmt::format("that after step {}", method.steps_done()));
}

/// In the memory of the snapshot, which it replaces.
std::string Checkpoints::serialize(Method& method, const RunState& state) {
  const CheckpointIdentity identity{method_.label,         method_.name,           state.step, network_.nodes(),
                                    network_.first_node(), network_.local_nodes(), settings_};
  RunState copy = state;
  const auto visit = [&](CheckpointWriter& writer) {
    visit_state(writer, copy);
    visit_meters(writer, network_.meters());
    method.visit_state(writer);
  };
  CheckpointWriter measure(identity, CheckpointWriter::Measure{});
  visit(measure);
  CheckpointWriter writer(identity, std::move(snapshot_));
  writer.reserve(measure.size());
  visit(writer);
  return writer.finish();
}

/// A recent state in memory for when things go wrong, as often as a small share of the run's time allows. A disk that
/// is being written to has one anyway.
void Checkpoints::take_snapshot(Method& method, const RunState& state) {
  const double pause = std::max(kSnapshotSeconds, snapshot_cost_ / kSnapshotShare);
  if (state.seconds - snapshot_seconds_ < pause || (pending_ && store_.busy())) {
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  snapshot_ = serialize(method, state);
  snapshot_cost_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  snapshot_seconds_ = state.seconds;
}

bool Checkpoints::due(const RunState& state) const {
  const OutputConfig& output = context_.config.output;
  return overdue_ || (output.checkpoint_every > 0 && state.step % output.checkpoint_every == 0) ||
         (output.checkpoint_seconds > 0.0 && state.seconds - last_seconds_ >= output.checkpoint_seconds);
}

/// What was written last either is on every process's disk, and stays, or is not, and is written over.
void Checkpoints::settle() {
  if (pending_) {
    pending_ = false;
    const std::string failure = store_.wait();
    if (control_.any(!failure.empty())) {
      say_once(failure.empty() ? "another rank could not write its part" : failure);
    } else {
      store_.commit();
    }
  }
}

void Checkpoints::say_once(const std::string& reason) {
  if (!said_ && control_.is_root()) {
    context_.listener.warn(fmt::format(
        "{}; {} goes on, and a resume would begin at an older checkpoint or at the start", reason, method_.label));
  }
  said_ = true;
}

void Checkpoints::after_step(Method& method, const RunState& state, Status status,
                             const std::function<void()>& before_writing) {
  const bool stops = status != Status::kRunning;
  if (status == Status::kFinished || (!stops && !due(state))) {
    if (!stops) {
      take_snapshot(method, state);
    }
    return;
  }
  if (!stops && pending_ && control_.any(store_.busy())) {
    overdue_ = true;  // never wait for the disk while there are steps to take
    return;
  }
  settle();
  store_.start(serialize(method, state), before_writing);
  snapshot_.clear();
  pending_ = true;
  overdue_ = false;
  last_step_ = state.step;
  last_seconds_ = snapshot_seconds_ = state.seconds;
  if (stops) {
    settle();
  }
}

void Checkpoints::save_what_there_is() {
  const bool wrote = pending_ && store_.wait().empty();
  pending_ = false;
  if (wrote) {
    store_.commit();
  }
  if (!snapshot_.empty()) {
    store_.start(std::move(snapshot_), nullptr);
    if (const std::string failure = store_.wait(); !failure.empty()) {
      say_once(failure);
    }
  }
}

void Checkpoints::finish() {
  settle();
  static_cast<void>(control_.any(false));  // the root has written down what the run came to
  store_.remove_all();
}

}  // namespace slidemesh

#include "peer_status.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "peer_command.h"
#include "peer_problem.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/load/sources.h"
#include "slidemesh/network/peers/home.h"
#include "slidemesh/network/peers/reach.h"

namespace slidemesh::app {

namespace {

using Json = nlohmann::ordered_json;
using peers::Home;

/// What is waited for, in one line; empty if nothing.
std::string what_is_missing(const peers::Mesh& mesh) {
  std::vector<std::string> lines;
  std::vector<std::string> absent;
  for (const auto& neighbour : mesh.status()) {
    if (!neighbour.connected) {
      lines.push_back(neighbour.party + ": " + neighbour.trouble);
      absent.push_back(neighbour.party + " ");
    }
  }
  for (const auto& line : mesh.missing()) {  // of a neighbour the above says more
    if (std::none_of(absent.begin(), absent.end(), [&](const auto& name) { return line.starts_with(name); })) {
      lines.push_back(line);
    }
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace

std::string stamped(const std::string& line) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}Z {}", fmt::gmtime(std::time(nullptr)), line);
}

PeerStatus::PeerStatus(std::filesystem::path path, const peers::Mesh& mesh, bool quiet)
    : path_(std::move(path)), mesh_(mesh), quiet_(quiet), thread_([this] { keep(); }) {}

PeerStatus::~PeerStatus() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    phase_ = "ended";
  }
  stop_.notify_all();
  thread_.join();
  write();
}

void PeerStatus::set_phase(const std::string& phase) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
}

double PeerStatus::seconds_alone() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - company_.load()).count();
}

void PeerStatus::keep() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    write();
    lock.lock();
    stop_.wait_for(lock, std::chrono::seconds(1), [this] { return stopping_; });
  }
}

void PeerStatus::write() {
  std::string phase;
  {
    const std::lock_guard lock(mutex_);
    phase = phase_;
  }
  Json json{{"process", ::getpid()}, {"time", std::time(nullptr)}, {"phase", phase}, {"neighbours", Json::array()}};
  for (const auto& neighbour : mesh_.status()) {
    if (neighbour.connected) {
      company_ = std::chrono::steady_clock::now();
    }
    json["neighbours"].push_back(
        {{"party", neighbour.party}, {"connected", neighbour.connected}, {"trouble", neighbour.trouble}});
  }
  json["missing"] = mesh_.missing();
  try {
    atomic_write(path_, json.dump(2) + "\n");
  } catch (const Error&) {  // a status that cannot be written is no reason to end a run
  }
  const std::string missing = what_is_missing(mesh_);
  if (!quiet_ && missing != said_ && phase != "ended") {
    said_ = missing;
    fmt::print(stderr, "{}\n", stamped(missing.empty() ? "everyone is here" : "waiting: " + missing));
  }
}

namespace {

/// Whether a process of that number runs here.
bool is_alive(int process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

/// Whether a run of this party goes on now, which then has the port.
bool is_running(const Home& home) {
  const auto path = home.directory() / "status.json";
  const Json json = std::filesystem::exists(path) ? Json::parse(read_text(path), nullptr, false) : Json();
  return json.is_object() && json.value("phase", "") != "ended" && is_alive(json.value("process", 0));
}

ExitCode status(const std::string& directory) {
  const Home home(directory);
  const auto path = home.directory() / "status.json";
  if (!std::filesystem::exists(path)) {
    fmt::print("{}: no run has been started from {}\n", home.name(), directory);
    return ExitCode::kOk;
  }
  const Json json = Json::parse(read_text(path), nullptr, false);
  if (json.is_discarded()) {
    throw DataError(path.string() + ": expected what slidemesh peer run wrote, got something else");
  }
  const auto age = std::time(nullptr) - json.value("time", std::time_t{0});
  constexpr std::time_t kStale = 5;
  const std::string phase = json.value("phase", "");
  std::string doubt;
  if (phase != "ended" && !is_alive(json.value("process", 0))) {
    doubt =
        fmt::format(", but its process is gone since {:%Y-%m-%d %H:%M} UTC or so: start it again with the same command",
                    fmt::gmtime(json.value("time", std::time_t{0})));
  } else if (phase != "ended" && age > kStale) {
    doubt = fmt::format(", but its process has been silent for {} s", age);
  }
  fmt::print("{}: {}{}\n", home.name(), phase, doubt);
  for (const auto& neighbour : json["neighbours"]) {
    fmt::print("  {}: {}\n", neighbour.value("party", ""),
               neighbour.value("connected", false) ? "connected" : "not connected: " + neighbour.value("trouble", ""));
  }
  for (const auto& line : json["missing"]) {
    fmt::print("  {}\n", line.get<std::string>());
  }
  return ExitCode::kOk;
}

/// What a party's own files, clock and port tell, and whether its neighbours' ports answer.
class Doctor {
 public:
  Doctor(const std::string& directory, PartyInputs inputs) : home_(directory), inputs_(std::move(inputs)) {}

  ExitCode examine() {
    certificate();
    port();
    std::string digest;
    if (!inputs_.problem.empty()) {
      const Config config = read_problem(inputs_);
      digest = peers::sha256(shared_problem(config));
      fmt::print("ok    the digest of the shared part of {} is {}\n", inputs_.problem, digest);
      rows(config);
    }
    neighbours(digest);
    fmt::print("{}\n", troubles_ == 0 ? "nothing is wrong on this side" : fmt::format("{} to be put right", troubles_));
    return troubles_ == 0 ? ExitCode::kOk : ExitCode::kUsage;
  }

 private:
  void say(bool good, const std::string& what) {
    troubles_ += good ? 0 : 1;
    fmt::print("{} {}\n", good ? "ok   " : "WRONG", what);
  }

  void certificate() {
    const auto facts = home_.certificate();
    const std::time_t now = std::time(nullptr);
    say(facts.party == home_.name(), fmt::format("the certificate is for {}", facts.party));
    say(facts.fingerprint == home_.fingerprint(), "the certificate is for the key in this home");
    say(facts.validity.from <= now && now < facts.validity.until,
        fmt::format("the certificate is good from {:%Y-%m-%d} to {:%Y-%m-%d}, and this machine's clock says {:%Y-%m-%d "
                    "%H:%M} UTC",
                    fmt::gmtime(facts.validity.from), fmt::gmtime(facts.validity.until), fmt::gmtime(now)));
  }

  void port() {
    if (home_.listen().empty()) {
      fmt::print("ok    this party listens nowhere: it calls its neighbours\n");
    } else if (is_running(home_)) {
      fmt::print("ok    this party's run is under way and has {}\n", home_.listen());
    } else {
      const std::string reason = peers::why_not_listening(home_.listen());
      say(reason.empty(),
          fmt::format("this party can listen at {}{}", home_.listen(), reason.empty() ? "" : ": " + reason));
    }
  }

  /// Reads them, as a run would.
  void rows(const Config& config) {
    const DataSpec& spec = config.data.spec;
    if (inputs_.data.empty() || source_of(spec.source).is_database) {
      if (!inputs_.data.empty()) {
        say(std::filesystem::exists(spec.path), fmt::format("this party's rows are at {}", inputs_.data));
      }
      return;
    }
    try {
      const auto reader = open_reader(spec);
      const Rows table = read_all(*reader, spec.max_rows);
      const auto names = reader->feature_names();
      const std::string columns = names.empty() ? fmt::format("{} columns", table.features)
                                                : fmt::format("the columns {}", fmt::join(names, ", "));
      say(true, fmt::format("this party's rows are at {}: {} rows, {}; all parties must have the same columns",
                            inputs_.data, table.count(), columns));
    } catch (const Error& error) {
      say(false, fmt::format("this party's rows are at {}: {}", inputs_.data, error.what()));
    }
  }

  void neighbours(const std::string& digest) {
    const auto listed = home_.neighbours();
    say(!listed.empty(), fmt::format("{} listed as neighbour{}", listed.size(), listed.size() == 1 ? "" : "s"));
    for (const auto& neighbour : listed) {
      const std::string& name = neighbour.identity.party;
      if (!digest.empty()) {
        say(neighbour.problem == digest, fmt::format("{} was accepted for the problem of {}{}", name, inputs_.problem,
                                                     neighbour.problem == digest ? "" : ": no, for another"));
      }
      if (neighbour.address.empty()) {
        say(!home_.listen().empty(), fmt::format("{} calls, and this party listens {}", name,
                                                 home_.listen().empty() ? "nowhere" : "at " + home_.listen()));
      } else {
        answers(name, neighbour.address);
      }
    }
  }

  /// No fault of this side's where it does not.
  static void answers(const std::string& name, const std::string& address) {
    constexpr double kSeconds = 3.0;
    const std::string reason = peers::why_not_reached(address, kSeconds);
    fmt::print("{}\n", reason.empty()
                           ? fmt::format("ok    {} answers at {}", name, address)
                           : fmt::format("note  {} does not answer at {}: {} (is its run started? a firewall?)", name,
                                         address, reason));
  }

  Home home_;
  PartyInputs inputs_;
  int troubles_ = 0;
};

struct InspectionArguments {
  std::string home = ".slidemesh-party";
  PartyInputs inputs;
};

}  // namespace

void add_peer_inspection(CLI::App& peer, Action& action) {
  auto a = std::make_shared<InspectionArguments>();
  CLI::App* command = peer.add_subcommand("status", "Say how a run stands: who is connected, who is missing and why");
  command->add_option("--home", a->home, "The party's directory")->capture_default_str();
  command->callback([a, &action] { action = [a] { return status(a->home); }; });
  command = peer.add_subcommand(
      "doctor", "Look for what is wrong on this side: certificate, clock, port, problem, rows, neighbours");
  command->add_option("PROBLEM", a->inputs.problem, "The config that all parties share");
  command->add_option("--data", a->inputs.data, "This party's own rows: they are read, as a run would");
  command->add_option("--home", a->home, "The party's directory")->capture_default_str();
  command->add_option("--set", a->inputs.overrides, "Change a key of the config")->type_name("KEY=VALUE");
  command->callback([a, &action] { action = [a] { return Doctor(a->home, a->inputs).examine(); }; });
}

}  // namespace slidemesh::app

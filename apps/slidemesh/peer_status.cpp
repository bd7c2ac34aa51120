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
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/network/peers/home.h"
#include "text_table.h"

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
    write_to_log(stamped(missing.empty() ? "everyone is here" : "waiting: " + missing) + "\n");
  }
}

namespace {

/// Whether a process of that number runs here.
bool is_alive(int process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

ExitCode status(const std::string& directory) {
  const Home home(directory);
  const auto path = home.directory() / "status.json";
  if (!std::filesystem::exists(path)) {
    fmt::print("{}: no run has been started from {}\n", home.name(), directory);
    return ExitCode::kOk;
  }
  const Json json = Json::parse(read_text(path), nullptr, false);
  require<DataError>(!json.is_discarded(), path.string(), "what slidemesh peer run wrote", "something else");
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

}  // namespace

bool is_running(const peers::Home& home) {
  const auto path = home.directory() / "status.json";
  const Json json = std::filesystem::exists(path) ? Json::parse(read_text(path), nullptr, false) : Json();
  return json.is_object() && json.value("phase", "") != "ended" && is_alive(json.value("process", 0));
}

void add_peer_status(CLI::App& peer, Action& action) {
  const auto [command, home] =
      add_command(peer, "status", "Say how a run stands: who is connected, who is missing and why", action, status);
  *home = ".slidemesh-party";
  command->add_option("--home", *home, "The party's directory")->capture_default_str();
}

}  // namespace slidemesh::app

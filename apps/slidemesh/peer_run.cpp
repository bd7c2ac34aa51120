#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "commands.h"
#include "exit_code.h"
#include "interrupt.h"
#include "peer_problem.h"
#include "peer_status.h"
#include "progress.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/control/control.h"
#include "slidemesh/data/load/sources.h"
#include "slidemesh/network/peers/audit.h"
#include "slidemesh/network/peers/home.h"
#include "slidemesh/network/peers/peer_network.h"
#include "slidemesh/session/config.h"
#include "slidemesh/session/model.h"
#include "slidemesh/session/output_directory.h"
#include "slidemesh/session/session.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

using peers::Home;
using peers::Mesh;
using peers::MeshChanged;
using peers::MeshView;

struct PartyArguments {
  std::string home = ".slidemesh-party";
  PartyInputs inputs;
  std::string out;
  std::optional<double> patience_seconds;  ///< none: the config's
  Count budget = 0;
  bool quiet = false;
};

/// What a party says to those who call when its results and everyone else's are written.
constexpr const char* kAllFinished = "all parties have finished";
/// For how long it stays to say that, where someone has not heard it.
constexpr double kFarewellSeconds = 20.0;
/// A party whose results are complete, and that does not know whether the others' are, stays for this long with nobody
/// there: they may need it. With a neighbour there, it stays as long as that one.
constexpr double kLonelySeconds = 600.0;

/// A file beside the results that says that they are complete, and whether everyone's are.
class FinishedMark {
 public:
  FinishedMark(const std::filesystem::path& directory, std::string problem)
      : path_(directory / "finished"), problem_(std::move(problem)) {
    if (std::filesystem::exists(path_)) {
      const std::string text = read_text(path_);
      require<UsageError>(text.find(problem_) != std::string::npos, directory.string(),
                          "a directory without results, or those of this problem", "those of another (--out)");
      here_ = true;
      everywhere_ = text.find(kAllFinished) != std::string::npos;
      code_ = text.starts_with("0") ? ExitCode::kOk : ExitCode::kStopped;
    }
  }
  void set(ExitCode code, bool everywhere) {
    atomic_write(path_, fmt::format("{} {}\nproblem {}\n", static_cast<int>(code),
                                    everywhere ? kAllFinished : "results written", problem_));
    here_ = true;
    everywhere_ = everywhere;
    code_ = code;
  }
  [[nodiscard]] bool here() const { return here_; }
  [[nodiscard]] bool everywhere() const { return everywhere_; }
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  std::filesystem::path path_;
  std::string problem_;  ///< the digest
  std::atomic<bool> here_ = false;
  bool everywhere_ = false;
  ExitCode code_ = ExitCode::kOk;
};

/// What neighbours may hear of an error. Its own words may show rows, labels or paths, and stay here.
const char* in_general(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kUsage:
      return "its config or command line was refused";
    case ErrorKind::kData:
      return "its own rows were refused";
    case ErrorKind::kStopped:
      return "a limit of its own was reached";
    case ErrorKind::kPeerLost:
      return "it gave up waiting for a neighbour, or got a bad message";
    default:
      return "it failed";
  }
}

/// One party's part in a run, from its first connection to its last.
class PartyRun {
 public:
  PartyRun(const PartyArguments& arguments, Config config)
      : arguments_(arguments),
        config_(std::move(config)),
        problem_(peers::sha256(shared_problem(config_))),
        home_(arguments.home),
        lock_(home_.directory()),
        progress_(arguments.quiet) {
    if (arguments_.out.empty()) {
      arguments_.out = fmt::format("runs/{}-{}", home_.name(), problem_.substr(0, 8));
    }
    config_.graph.kind = "mesh";  // what [network] says is not looked at
    patience_seconds_ = arguments_.patience_seconds.value_or(config_.peer.patience_seconds);
    require_rows();
    make_directory(arguments_.out);
    mark_.emplace(arguments_.out, problem_);
    was_complete_ = mark_->here();
  }

  ExitCode run() {
    if (mark_->everywhere()) {
      note(fmt::format("{}, and the results of this one are in {} (another --out trains again)", kAllFinished,
                       arguments_.out));
      return mark_->code();
    }
    join();
    while (true) {
      try {
        return run_once();
      } catch (const MeshChanged& change) {
        audit_->flush();
        note(fmt::format("{}; going back to the newest step that all have saved", change.what()));
      } catch (const peers::WaitInterrupted& error) {
        if (interrupted() || !mark_->here()) {
          give_up(error);
          throw;
        }
        note("no other party is needed any more, and the results of this party are complete");
        say_that_all_have_finished(false);
        return mark_->code();
      } catch (const Error& error) {
        give_up(error);
        throw;
      }
    }
  }

 private:
  /// What can be known before anybody is called.
  void require_rows() const {
    const auto& path = config_.data.spec.path;
    require<DataError>(!source_of(config_.data.spec.source).is_file || std::filesystem::exists(path), path.string(),
                       "this party's rows (--data)", "no such file");
    require<UsageError>(!home_.neighbours().empty(), arguments_.home, "a neighbour (slidemesh peer accept)", "none");
    for (const auto& neighbour : home_.neighbours()) {
      require<UsageError>(neighbour.problem == problem_, config_.file,
                          fmt::format("the problem that {} was accepted for", neighbour.identity.party),
                          fmt::format("another (peer doctor {} says more)", config_.file));
    }
  }

  void join() {
    audit_.emplace(std::filesystem::path(arguments_.out) / "messages.jsonl", home_.name());
    mesh_ = std::make_unique<Mesh>(mesh_options());
    mesh_->set_witness([this](bool sent, const std::string& neighbour, const peers::FrameHeader& header,
                              std::string_view payload) { audit_->note(sent, neighbour, header, payload); });
    status_.emplace(home_.directory() / "status.json", *mesh_, arguments_.quiet);
  }

  ExitCode run_once() {
    const MeshView view = wait_for_mesh();
    const SessionResult result = run_session_over(view);
    mark_->set(exit_code(result), false);
    finish_together(view);
    tell(result);
    return exit_code(result);
  }

  [[nodiscard]] peers::MeshOptions mesh_options() {
    peers::MeshOptions options;
    options.party = home_.name();
    options.problem = problem_;
    options.listen = home_.listen();
    options.trust = [this] { return home_.trust(); };
    options.incarnation = home_.begin_life();
    options.patience_seconds = patience_seconds_;
    options.end_on_bad_message = config_.peer.ends_on_bad_message;
    options.facts = [shared = shared_problem(config_), data = config_.data.spec] {
      peers::Facts facts;
      facts.shared = shared;
      tell_columns(data, facts);
      return facts;
    };
    options.log = [this](const std::string& line) {
      others_have_finished_ = others_have_finished_ || line.find(kAllFinished) != std::string::npos;
      note(line);
    };
    options.interrupted = [this] { return interrupted() || (mark_->here() && is_not_needed()); };
    return options;
  }

  [[nodiscard]] bool is_not_needed() const {
    return others_have_finished_ ||
           (was_complete_ && status_->seconds_alone() > std::min(kLonelySeconds, patience_seconds_));
  }

  MeshView wait_for_mesh() {
    status_->set_phase("waiting for the mesh");
    MeshView view = mesh_->wait_for_view();
    require<PeerLostError>(view.parties.size() > 1, home_.name(), "a neighbour to go on with",
                           fmt::format("none: what was reached is in {}", arguments_.out));
    note(fmt::format("the mesh is complete: {} parties ({}), {} edges", view.parties.size(),
                     fmt::join(view.parties, ", "), view.graph.edges()));
    return view;
  }

  SessionResult run_session_over(const MeshView& view) {
    status_->set_phase("training");
    if (!config_.nodes.empty()) {
      config_.nodes.front().nodes = {view.self};
    }
    Party party;
    party.graph = view.graph;
    party.node = view.self;
    party.make_network = [this, &view] { return peers::make_peer_network(*mesh_, view); };
    party.names = view.parties;
    party.reached = reached_with_others(view);
    party.budget = arguments_.budget > 0 ? std::optional(arguments_.budget) : std::nullopt;
    SessionOptions options;
    options.out = arguments_.out;
    options.resume = true;
    options.job.party = &party;
    return run_session(config_, options, progress_);
  }

  /// Where this party was, if it was in a run with other parties than these: a party was dropped, or came.
  Vector reached_with_others(const MeshView& view) const {
    const std::filesystem::path out = arguments_.out;
    const auto known = out / "parties";
    const std::string text = parties_and_edges(view);
    const std::string before = std::filesystem::exists(known) ? read_text(known) : text;
    Vector reached;
    if (before != text) {
      require_whole(before, view);
    }
    if (before != text && std::filesystem::exists(out / "model.json")) {
      const auto models = read_models(out / "model.json");
      reached = models.empty() ? Vector() : models.back().parameters;
      note("the parties or their edges are others than before: going on from the mean of what was reached");
    }
    atomic_write(known, text);
    return reached;
  }

  /// A party and its neighbours a line.
  static std::string parties_and_edges(const MeshView& view) {
    std::string text;
    for (Index i = 0; i < view.graph.nodes(); ++i) {
      text += view.parties[static_cast<std::size_t>(i)];
      for (const Index j : view.graph.neighbours(i)) {
        text += " " + view.parties[static_cast<std::size_t>(j)];
      }
      text += "\n";
    }
    return text;
  }

  /// To drop a party is a decision of its neighbours; to lose another with it because the graph fell apart is nobody's.
  static void require_whole(const std::string& before, const MeshView& view) {
    std::istringstream lines(before);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string lost;
      words >> lost;
      bool was_dropped_here = view.index_of(lost) >= 0;
      for (std::string neighbour; words >> neighbour;) {
        was_dropped_here = was_dropped_here || view.index_of(neighbour) >= 0;
      }
      if (!was_dropped_here) {
        throw PeerLostError(fmt::format(
            "the mesh fell apart: no neighbour of {} is among the parties that are left ({}); connect it to "
            "one of them (peer invite, peer accept), or begin again without it in another --out",
            lost, fmt::join(view.parties, ", ")));
      }
    }
  }

  /// Nobody leaves before all have written their results: a party that is killed now comes back to a mesh that waits
  /// for it.
  void finish_together(const MeshView& view) {
    status_->set_phase("finished, waiting for the others to finish");
    const auto network = peers::make_peer_network(*mesh_, view);
    static_cast<void>(Control(*network, ControlScope::kThisProcess).any(false));
    mark_->set(mark_->code(), true);
    say_that_all_have_finished(mesh_->drain(kFarewellSeconds));
  }

  /// A neighbour that was killed before it heard that asks again.
  void say_that_all_have_finished(bool all_know) {
    mark_->set(mark_->code(), true);
    audit_->flush();
    mesh_->leave(kAllFinished);
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(all_know ? 0.0 : kFarewellSeconds);
    while (std::chrono::steady_clock::now() < until && !interrupted()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  void give_up(const Error& error) {
    audit_->flush();
    mesh_->leave(interrupted() ? "it was interrupted, and goes on with the same command" : in_general(error));
  }

  void note(const std::string& line) const {
    if (!arguments_.quiet) {
      write_to_log(stamped(home_.name() + ": " + line) + "\n");
    }
  }

  void tell(const SessionResult& result) const {
    if (!arguments_.quiet) {
      fmt::print("results {}\npicture {}\n", result.directory.string(), (result.directory / "report.html").string());
    }
  }

  PartyArguments arguments_;
  Config config_;
  std::string problem_;  ///< the digest of what all share
  Home home_;
  DirectoryLock lock_;  ///< two processes of one party would be each other's rival
  double patience_seconds_ = 0.0;
  Progress progress_;
  std::optional<FinishedMark> mark_;
  bool was_complete_ = false;  ///< before this process began
  std::atomic<bool> others_have_finished_ = false;
  std::optional<peers::AuditWriter> audit_;
  std::unique_ptr<Mesh> mesh_;
  std::optional<PeerStatus> status_;
};

ExitCode run_party(const PartyArguments& arguments) {
  catch_interrupts();
  return PartyRun(arguments, read_problem(arguments.inputs)).run();
}

}  // namespace

void add_peer_run(CLI::App& peer, Action& action) {
  const auto [command, a] = add_command(
      peer, "run", "Wait for the neighbours, train with them, write this party's results", action, run_party);
  command->add_option("PROBLEM", a->inputs.problem, "The config that all parties share")->required();
  command->add_option("--data", a->inputs.data, "This party's own rows (data.path)");
  command->add_option(
      "--out", a->out,
      "Where this party's results go, by default runs/NAME-DIGEST; the same command goes on where it was "
      "stopped or killed");
  command->add_option("--home", a->home, "The party's directory")->capture_default_str();
  command->add_option("--set", a->inputs.overrides, "Change a key of the config")->type_name("KEY=VALUE");
  command->add_option("--own-set", a->inputs.own_set, "A set of this party's own, which is shown to no other")
      ->type_name("TOML");
  command->add_option("--budget", a->budget, "Refuse the step that would touch more rows than this here")
      ->check(positive_number());
  command
      ->add_option("--patience", a->patience_seconds,
                   "Seconds that a neighbour may be gone before the run is given up (peer.patience; by default a day)")
      ->check(positive_number());
  command->add_flag("--quiet", a->quiet, "Print nothing but errors");
}

}  // namespace slidemesh::app

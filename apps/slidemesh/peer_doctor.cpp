#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <utility>

#include "commands.h"
#include "peer_problem.h"
#include "peer_status.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/load/sources.h"
#include "slidemesh/network/peers/home.h"
#include "slidemesh/network/peers/invitation.h"
#include "slidemesh/network/peers/visit.h"

namespace slidemesh::app {

namespace {

using peers::Finding;
using peers::Home;
using peers::Visit;

/// What a party's own files, clock and port tell, and what comes of comparing with its neighbours: with those whose run
/// or doctor answers, over connections that are admitted as a run's are.
class Doctor {
 public:
  Doctor(const std::string& directory, PartyInputs inputs, double wait_seconds)
      : home_(directory), inputs_(std::move(inputs)), wait_seconds_(wait_seconds) {
    own_.party = home_.name();
  }

  ExitCode examine() {
    certificate();
    port();
    if (!inputs_.problem.empty()) {
      const Config config = read_problem(inputs_);
      own_.shared = shared_problem(config);
      own_.problem = peers::sha256(own_.shared);
      fmt::print("ok    the digest of the shared part of {} is {}\n", inputs_.problem, own_.problem);
      rows(config);
    }
    neighbours();
    fmt::print("{}\n", troubles_ == 0 ? "nothing is wrong on this side" : fmt::format("{} to be put right", troubles_));
    return troubles_ == 0 ? ExitCode::kOk : ExitCode::kUsage;
  }

 private:
  void say(bool good, const std::string& what) {
    troubles_ += good ? 0 : 1;
    fmt::print("{} {}\n", good ? "ok   " : "WRONG", what);
  }
  /// What cannot be known, or is no fault.
  static void note(const std::string& what) { fmt::print("note  {}\n", what); }

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
      can_listen_ = reason.empty();
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
      tell_columns(spec, own_);
      if (!own_.knows_columns) {
        peers::set_columns(own_, {}, "");
        own_.columns = static_cast<std::uint32_t>(table.features);
      }
      const std::string columns = names.empty() ? fmt::format("{} columns", table.features)
                                                : fmt::format("the columns {}", fmt::join(names, ", "));
      say(true, fmt::format("this party's rows are at {}: {} rows, {}; all parties must have the same columns",
                            inputs_.data, table.count(), columns));
    } catch (const Error& error) {
      say(false, fmt::format("this party's rows are at {}: {}", inputs_.data, error.what()));
    }
  }

  void neighbours() {
    const auto listed = home_.neighbours();
    say(!listed.empty(), listed.empty()
                             ? "nobody is listed as a neighbour (slidemesh peer accept)"
                             : fmt::format("{} listed as neighbour{}", listed.size(), listed.size() == 1 ? "" : "s"));
    const auto visits = peers::visit_neighbours(home_.trust(), can_listen_ ? home_.listen() : "", own_, wait_seconds_);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      const std::string& name = listed[i].identity.party;
      if (!own_.problem.empty()) {
        const bool same = listed[i].problem == own_.problem;
        say(same, fmt::format("{} was accepted for the problem of {}{}", name, inputs_.problem,
                              same ? "" : ": no, for another"));
      }
      if (listed[i].address.empty()) {
        say(!home_.listen().empty(), fmt::format("{} calls, and this party listens {}", name,
                                                 home_.listen().empty() ? "nowhere" : "at " + home_.listen()));
      }
      report(visits[i], listed[i].address);
    }
  }

  /// No fault of this side's where nobody answers.
  void report(const Visit& visit, const std::string& address) {
    const std::string where = address.empty() ? "" : " at " + address;
    if (!visit.facts && visit.was_refused) {
      say(false, fmt::format("{} answers{} and no link comes about: {}", visit.party, where, visit.trouble));
    } else if (!visit.facts) {
      note(fmt::format("{} does not answer{}: {} (is its run or its doctor started? a firewall?)", visit.party, where,
                       visit.trouble));
    } else {
      say(true, fmt::format("{} answers{}, and both sides admit each other", visit.party, where));
      for (const Finding& finding : peers::compare_facts(own_, visit)) {
        if (finding.kind == Finding::Kind::kUnknown) {
          note(finding.words);
        } else {
          say(finding.kind == Finding::Kind::kGood, finding.words);
        }
      }
    }
  }

  Home home_;
  PartyInputs inputs_;
  double wait_seconds_;
  peers::Facts own_;
  bool can_listen_ = false;
  int troubles_ = 0;
};

struct DoctorArguments {
  std::string home = ".slidemesh-party";
  PartyInputs inputs;
  double wait_seconds = 2.0;
};

ExitCode examine(const DoctorArguments& a) { return Doctor(a.home, a.inputs, a.wait_seconds).examine(); }

}  // namespace

void add_peer_doctor(CLI::App& peer, Action& action) {
  const auto [command, a] = add_command(
      peer, "doctor",
      "Look for what is wrong on this side: certificate, port, rows; and compare clock, problem and columns with "
      "neighbours",
      action, examine);
  command->add_option("PROBLEM", a->inputs.problem, "The config that all parties share");
  command->add_option("--data", a->inputs.data, "This party's own rows: they are read, as a run would");
  command->add_option("--home", a->home, "The party's directory")->capture_default_str();
  command->add_option("--set", a->inputs.overrides, "Change a key of the config")->type_name("KEY=VALUE");
  command
      ->add_option("--wait", a->wait_seconds,
                   "Seconds to wait for neighbours: their run answers, or their doctor, if it waits at the same time")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
}

}  // namespace slidemesh::app

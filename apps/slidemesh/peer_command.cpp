#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "commands.h"
#include "peer_problem.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/network/peers/audit.h"
#include "slidemesh/network/peers/home.h"

namespace slidemesh::app {

namespace {

using peers::Home;

/// What every subcommand has.
struct Common {
  std::string home = ".slidemesh-party";
};

template <class Arguments>
std::pair<CLI::App*, Arguments*> add(CLI::App& peer, const char* name, const char* help, Action& action,
                                     ExitCode (*act)(const Arguments&)) {
  const auto [command, arguments] = add_command(peer, name, help, action, act);
  command->add_option("--home", arguments->home, "The party's directory: key, certificate, neighbours")
      ->capture_default_str();
  return {command, arguments};
}

std::string day(std::time_t time) { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(time)); }

struct InitArguments : Common {
  std::string name;
  std::string listen;
  std::string address;
  std::string certificate;
  int days = 365;
  bool renew = false;
  bool request = false;
};

void tell(const Home& home) {
  const auto facts = home.certificate();
  fmt::print(
      "party        {}\nfingerprint  {}\ncertificate  {}, good until {}\nlistens      {}\naddress      {}\nhome        "
      " {}\n",
      home.name(), home.fingerprint(), facts.self_signed ? "self-signed" : "issued by " + facts.issuer,
      day(facts.validity.until), home.listen().empty() ? "nowhere: it calls its neighbours" : home.listen(),
      home.address().empty() ? "none for neighbours" : home.address(), home.directory().string());
}

ExitCode init(const InitArguments& arguments) {
  const bool exists = std::filesystem::exists(std::filesystem::path(arguments.home) / "party.json");
  require<UsageError>(exists || !arguments.name.empty(), "peer init", "--name for a new party", "none");
  Home home = exists ? Home(arguments.home)
                     : Home::create(arguments.home, arguments.name, arguments.listen,
                                    arguments.address.empty() ? arguments.listen : arguments.address, arguments.days,
                                    std::time(nullptr));
  require<UsageError>(!exists || arguments.name.empty() || arguments.name == home.name(), arguments.home,
                      "the party " + home.name(), "--name " + arguments.name);
  if (exists && !(arguments.listen.empty() && arguments.address.empty())) {
    home.move_to(arguments.listen, arguments.address);
    fmt::print("moved        from the next run on; neighbours that call must be invited again (peer invite)\n");
  }
  if (arguments.renew) {
    home.renew(arguments.days, std::time(nullptr));
  }
  if (!arguments.certificate.empty()) {
    home.install(read_text(arguments.certificate));
  }
  if (arguments.request) {
    const auto path = home.directory() / "party.csr";
    atomic_write(path, home.request());
    fmt::print("request      {}: to be signed by your authority, then: peer init --certificate FILE\n", path.string());
  }
  tell(home);
  return ExitCode::kOk;
}

struct InviteArguments : Common {
  PartyInputs inputs;
  std::string out;
  std::string authority;
};

ExitCode invite(const InviteArguments& arguments) {
  const Home home(arguments.home);
  const Config config = read_problem(arguments.inputs);
  const std::string authority = arguments.authority.empty() ? "" : read_text(arguments.authority);
  const std::string text = to_json(home.invitation(peers::sha256(shared_problem(config)), authority));
  const std::string out = arguments.out.empty() ? home.name() + ".invitation" : arguments.out;
  atomic_write(out, text);
  fmt::print(
      "{}\ngive it to a neighbour together with {}, and tell them over another channel (a telephone) that your "
      "fingerprint is\n{}\n",
      out, arguments.inputs.problem, home.fingerprint());
  return ExitCode::kOk;
}

struct AcceptArguments : Common {
  std::string invitation;
  PartyInputs inputs;
  bool yes = false;
};

bool confirmed() {
  require<UsageError>(::isatty(STDIN_FILENO) != 0, "peer accept", "--yes where nobody can be asked", "none");
  fmt::print("accept? [y/N] ");
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

ExitCode accept(const AcceptArguments& arguments) {
  const Home home(arguments.home);
  const auto invitation = peers::parse_invitation(read_text(arguments.invitation, 1U << 20U), arguments.invitation);
  const Config config = read_problem(arguments.inputs);
  const std::string here = peers::sha256(shared_problem(config));
  require<UsageError>(
      invitation.problem == here, arguments.invitation,
      fmt::format("an invitation to the problem of {} (digest {}...)", arguments.inputs.problem, here.substr(0, 12)),
      fmt::format("one to another ({}...)", invitation.problem.substr(0, 12)));
  fmt::print("neighbour    {}\naddress      {}\nfingerprint  {}\n{}\n", invitation.party,
             invitation.address.empty() ? "none: it calls" : invitation.address,
             invitation.key.empty() ? "any that its authority vouches for" : invitation.key, what_is_agreed_to(config));
  if (!arguments.yes && !confirmed()) {
    throw StoppedError("peer accept: not accepted, nothing was changed");
  }
  home.accept(invitation);
  fmt::print("{} is a neighbour now\n", invitation.party);
  return ExitCode::kOk;
}

struct DropArguments : Common {
  std::string party;
};

ExitCode drop(const DropArguments& arguments) {
  const Home home(arguments.home);
  home.drop(arguments.party);
  fmt::print(
      "{} is no neighbour of {} any more; a run that goes on notices within a second. It goes on without {} once all "
      "of its neighbours have dropped it\n",
      arguments.party, home.name(), arguments.party);
  return ExitCode::kOk;
}

struct AuditArguments {
  std::string mine;
  std::string theirs;
};

ExitCode audit(const AuditArguments& arguments) {
  const auto read = [](const std::string& named) {
    std::error_code ignored;
    std::filesystem::path path = named;
    if (std::filesystem::is_directory(path, ignored)) {
      path /= "messages.jsonl";
    }
    return peers::read_audit(read_text(path), path.string());
  };
  const auto mine = read(arguments.mine);
  fmt::print("{}: {} entries, the chain holds\n", arguments.mine, mine.size());
  if (arguments.theirs.empty()) {
    return ExitCode::kOk;
  }
  const auto theirs = read(arguments.theirs);
  fmt::print("{}: {} entries, the chain holds\n", arguments.theirs, theirs.size());
  const auto result = peers::compare_audits(mine, theirs);
  fmt::print("{} messages agree, {} were under way when a party restarted or the run ended\n", result.agreed,
             result.under_way);
  for (const std::string& line : result.differences) {
    fmt::print("{}\n", line);
  }
  require<DataError>(result.differences.empty(), "peer audit", "the ledgers to agree",
                     fmt::format("{} differences", result.differences.size()));
  return ExitCode::kOk;
}

void add_init(CLI::App& peer, Action& action) {
  const auto [command, a] =
      add(peer, "init", "Make this party's key and certificate, or renew the certificate", action, init);
  command->add_option("--name", a->name, "The party's name: a-z, 0-9, '-' and '.'");
  command->add_option("--listen", a->listen, "HOST:PORT where neighbours may call, such as 0.0.0.0:7400");
  command->add_option("--address", a->address, "HOST:PORT for neighbours to call, where it differs");
  command->add_option("--days", a->days, "How long the certificate is good")
      ->capture_default_str()
      ->check(CLI::Range(1, 36500));
  command->add_flag("--renew", a->renew, "A new certificate for the same key: neighbours need do nothing");
  command->add_flag("--request", a->request, "Write a request for your organisation's authority to sign");
  command->add_option("--certificate", a->certificate,
                      "Install the certificate that the authority made, with its chain");
}

void add_invite(CLI::App& peer, Action& action) {
  const auto [command, a] = add(peer, "invite", "Write the file that makes another party a neighbour", action, invite);
  command->add_option("PROBLEM", a->inputs.problem, "The config that all parties share")->required();
  command->add_option("--set", a->inputs.overrides, "Change a key of the config")->type_name("KEY=VALUE");
  command->add_option("--out", a->out, "Where to write it; without it NAME.invitation");
  command->add_option("--authority", a->authority,
                      "Your authority's certificate, PEM: it must vouch for your key as well");
}

void add_accept(CLI::App& peer, Action& action) {
  const auto [command, a] =
      add(peer, "accept", "Show what an invitation asks for, and list the party as a neighbour", action, accept);
  command->add_option("INVITATION", a->invitation, "The file that slidemesh peer invite wrote")->required();
  command->add_option("PROBLEM", a->inputs.problem, "The config that all parties share")->required();
  command->add_option("--set", a->inputs.overrides, "Change a key of the config")->type_name("KEY=VALUE");
  command->add_flag("--yes", a->yes, "Accept without being asked");
}

}  // namespace

void add_peer_command(CLI::App& app, Action& action) {
  CLI::App* peer = app.add_subcommand("peer", "Train with parties that share no cluster, each on its own machine");
  peer->require_subcommand(1);
  peer->footer(
      "Three commands from invitation to first step:\n"
      "  slidemesh peer init --name clinic-a --listen 0.0.0.0:7400 --address a.example:7400\n"
      "  slidemesh peer invite problem.toml      # and the neighbour: slidemesh peer accept FILE problem.toml\n"
      "  slidemesh peer run problem.toml --data mine.csv --out results\n"
      "docs/peers-admin.md and docs/peers-data-owner.md tell more.");
  add_init(*peer, action);
  add_invite(*peer, action);
  add_accept(*peer, action);
  add_peer_run(*peer, action);
  add_peer_status(*peer, action);
  add_peer_doctor(*peer, action);
  const auto [dropping, whom] = add(*peer, "drop", "Go on without a neighbour that is gone for good", action, drop);
  dropping->add_option("PARTY", whom->party, "Its name")->required();
  const auto [auditing, ledgers] =
      add_command(*peer, "audit", "Check a ledger of messages, and two parties' against each other", action, audit);
  auditing->add_option("MINE", ledgers->mine, "messages.jsonl of one party, or the directory of its results")
      ->required();
  auditing->add_option("THEIRS", ledgers->theirs, "That of another");
}

}  // namespace slidemesh::app

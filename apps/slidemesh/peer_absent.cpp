#include "commands.h"
#include "slidemesh/base/fail.h"

namespace slidemesh::app {

void add_peer_command(CLI::App& app, Action& action) {
  CLI::App* peer = app.add_subcommand("peer", "Train with parties that share no cluster (not in this build)");
  peer->allow_extras();
  peer->callback([&action] {
    action = []() -> ExitCode {
      fail<UsageError>(
          "peer", "a slidemesh with Asio and OpenSSL",
          "one without (on Debian: apt-get install libasio-dev libssl-dev libxxhash-dev, then configure again)");
    };
  });
}

}  // namespace slidemesh::app

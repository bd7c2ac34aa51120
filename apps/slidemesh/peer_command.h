#pragma once

#include "commands.h"

namespace slidemesh::app {

/// `slidemesh peer`; where slidemesh was built without it, it says how to get it.
void add_peer_command(CLI::App& app, Action& action);

/// Its subcommands that have a file of their own.
void add_peer_run(CLI::App& peer, Action& action);
void add_peer_status(CLI::App& peer, Action& action);
void add_peer_doctor(CLI::App& peer, Action& action);

}  // namespace slidemesh::app

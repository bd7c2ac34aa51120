#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <utility>

#include "exit_code.h"

namespace slidemesh::app {

/// A subcommand adds itself to the command line and sets `action` when it is the one chosen.
using Action = std::function<ExitCode()>;

/// Adds the subcommand and its arguments, and sets `action` to `act` on them when it is the one chosen.
template <class Arguments>
std::pair<CLI::App*, Arguments*> add_command(CLI::App& app, const char* name, const char* help, Action& action,
                                             ExitCode (*act)(const Arguments&)) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(name, help);
  command->callback([arguments, act, &action] { action = [arguments, act] { return act(*arguments); }; });
  return {command, arguments.get()};
}

/// Of an option, as CLI::PositiveNumber, whose refusal names the largest double in 300 digits.
[[nodiscard]] CLI::Validator positive_number();

void add_run_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_data_command(CLI::App& app, Action& action);
void add_graph_command(CLI::App& app, Action& action);
void add_list_command(CLI::App& app, Action& action);
void add_predict_command(CLI::App& app, Action& action);
void add_path_command(CLI::App& app, Action& action);
void add_evaluate_command(CLI::App& app, Action& action);
void add_export_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_reproduce_command(CLI::App& app, Action& action);
void add_completion_command(CLI::App& app, Action& action);

/// `slidemesh peer`; where slidemesh was built without it, it says how to get it.
void add_peer_command(CLI::App& app, Action& action);

/// Its subcommands that have a file of their own.
void add_peer_run(CLI::App& peer, Action& action);
void add_peer_status(CLI::App& peer, Action& action);
void add_peer_doctor(CLI::App& peer, Action& action);

/// Parses, acts, maps errors to one line on stderr and to exit codes. `main` is this.
int run_command_line(int argc, char** argv);

}  // namespace slidemesh::app

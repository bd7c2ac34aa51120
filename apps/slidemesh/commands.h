#pragma once

#include <CLI/CLI.hpp>

#include <functional>

#include "exit_code.h"

namespace slidemesh::app {

/// A subcommand adds itself to the command line and sets `action` when it is the one chosen.
using Action = std::function<ExitCode()>;
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

/// Parses, acts, maps errors to one line on stderr and to exit codes. `main` is this.
int run_command_line(int argc, char** argv);

}  // namespace slidemesh::app

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "commands.h"

namespace slidemesh::app {

namespace {

constexpr const char* kFooter = R"(Examples:
  slidemesh run quickstart.toml                       train, and write runs/quickstart
  slidemesh run my.toml --set method.R=0.1 --out out  with a key changed
  slidemesh graph barbell --nodes 20                  what a graph's spectrum is like
  slidemesh list sets                                 what can be written in a config

Exit codes: 0 done; 2 bad command line or config; 3 bad data; 4 stopped before the target;
5 a peer was lost; 70 internal error. `slidemesh COMMAND --help` tells more.)";

int report(ExitCode code, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "slidemesh: error: {}\n", message);
  return static_cast<int>(code);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app{"Trains one constrained model over the private rows of many nodes, without a centre, with few touches "
               "of the data."};
  app.name("slidemesh");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("slidemesh ") + SLIDEMESH_VERSION);
  app.require_subcommand(1);
  Action action;
  add_run_command(app, action);
  add_graph_command(app, action);
  add_list_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(ExitCode::kUsage, fmt::format("command line: {} (see slidemesh --help)", error.what()));
  }
  try {
    return static_cast<int>(action());
  } catch (const Error& error) {
    return report(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::kInternal, "expected enough memory, got none");
  } catch (const std::exception& error) {
    return report(ExitCode::kInternal, fmt::format("expected no surprise, got: {}", error.what()));
  }
}

}  // namespace slidemesh::app

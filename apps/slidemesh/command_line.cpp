#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "command_tree.h"
#include "commands.h"
#include "mpi_job.h"
#include "slidemesh/base/text.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

constexpr std::size_t kHelpWidth = 92;
constexpr const char* kFooter = R"(Examples:
  slidemesh run quickstart.toml                       train, and write runs/quickstart
  slidemesh run my.toml --set method.R=0.1 --out out  with a key changed
  slidemesh predict runs/quickstart/model.json new.csv    what the model says of new rows
  slidemesh path my.toml                              which radius does best on held-out rows
  slidemesh reproduce all --data ijcnn1.xz            the paper's tables and figures, recomputed
  slidemesh compare my.toml --by hops                 every method that fits, to one target
  slidemesh graph barbell --nodes 20                  what a graph's spectrum is like
  slidemesh list sets                                 what can be written in a config

)";

std::string footer() {
  const auto code = [](const ExitCodeDoc& doc) {
    return fmt::format("{} {}", static_cast<int>(doc.code), doc.in_short);
  };
  const std::string codes = text::joined(exit_codes(), "; ", code);
  return kFooter + wrapped("Exit codes: " + codes + ". `slidemesh COMMAND --help` says more.", 0, kHelpWidth);
}

void print(const Error& error) {
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  const bool colour = wants_colour(STDERR_FILENO);
  write_to_log(fmt::format("slidemesh: {}error:{} {}\n", colour ? "\033[1;31m" : "", colour ? "\033[0m" : "", message));
}

/// One line, once however many ranks have the same to say, and the exit code.
int report(const Error& error) {
  if (mpi_job() == nullptr || mpi_job()->is_error_reporter(error)) {
    print(error);
  }
  const int code = static_cast<int>(exit_code(error.kind()));
  if (mpi_job() != nullptr) {
    mpi_job()->abandon(code);
  }
  return code;
}

int parse_and_act(int argc, char** argv) {
  CLI::App app{
      "Trains one constrained model over the private rows of many nodes, without a centre, with few touches "
      "of the data."};
  app.name("slidemesh");
  app.footer(footer());
  app.set_version_flag("--version", std::string("slidemesh ") + SLIDEMESH_VERSION);
  app.require_subcommand(1);
  Action action;
  add_run_command(app, action);
  add_predict_command(app, action);
  add_evaluate_command(app, action);
  add_export_command(app, action);
  add_compare_command(app, action);
  add_path_command(app, action);
  add_reproduce_command(app, action);
  add_data_command(app, action);
  add_graph_command(app, action);
  add_list_command(app, action);
  add_report_command(app, action);
  add_peer_command(app, action);
  add_completion_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return is_first_process() ? app.exit(success) : 0;
  } catch (const CLI::ParseError& error) {
    const bool names_the_word = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
    const std::string meant =
        meant_instead(command_tree(app), {argv + 1, argv + argc}, names_the_word ? error.what() : "");
    throw UsageError(fmt::format("command line: {} ({})", error.what(),
                                 meant.empty() ? "see slidemesh --help" : fmt::format("did you mean '{}'?", meant)));
  }
  // Of a job's ranks, all run, and one does anything else.
  return app.got_subcommand("run") || is_first_process() ? static_cast<int>(action()) : 0;
}

/// Whether something that was printed could not be written. (Who closed the standard output did not want to read it.)
bool has_unwritten_output() {
  errno = 0;
  const bool failed = std::fflush(stdout) != 0;
  return (failed || std::ferror(stdout) != 0) && errno != EBADF;
}

int report_unwritten_output(const std::error_code& why) {
  return report(UsageError(fmt::format("standard output: expected room for what is printed, got {}", why.message())));
}

InternalError unexpected(const std::exception& error) {
  return InternalError(fmt::format("unexpected: {}", error.what()));
}

}  // namespace

CLI::Validator positive_number() {
  const auto check = [](const std::string& given) {
    double value = 0.0;
    const bool fine = CLI::detail::lexical_cast(given, value) && value > 0.0 && std::isfinite(value);
    return fine ? std::string() : fmt::format("expected a positive number, got {}", given);
  };
  return {check, "POSITIVE"};
}

int run_command_line(int argc, char** argv) {
  std::optional<MpiSession> job;
  try {
    if (MpiSession::launched()) {
      const std::vector<std::string> arguments(argv + 1, argv + argc);
      set_mpi_job(&job.emplace(start_seconds(arguments)));
      job->set_reporter(print);
      require_same_start(arguments);
    }
    const int code = parse_and_act(argc, argv);
    if (job) {
      job->finish();
    }
    return has_unwritten_output() ? report_unwritten_output({errno != 0 ? errno : EIO, std::generic_category()}) : code;
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(InternalError("out of memory"));
  } catch (const std::filesystem::filesystem_error& error) {  // a path that this user may not look at
    return report(UsageError(
        fmt::format("{}: expected a path that can be used, got {}", error.path1().string(), error.code().message())));
  } catch (const std::system_error& error) {
    return has_unwritten_output() ? report_unwritten_output(error.code()) : report(unexpected(error));
  } catch (const std::exception& error) {
    return report(unexpected(error));
  }
}

}  // namespace slidemesh::app

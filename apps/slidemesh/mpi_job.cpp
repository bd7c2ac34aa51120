#include "mpi_job.h"

#include <algorithm>
#include <exception>

#include "config_file.h"
#include "slidemesh/base/text.h"

namespace slidemesh::app {

namespace {
MpiSession* the_job = nullptr;
}

MpiSession* mpi_job() { return the_job; }

void set_mpi_job(MpiSession* session) { the_job = session; }

bool is_first_process() { return the_job == nullptr || the_job->is_root(); }

double start_seconds(const std::vector<std::string>& arguments) {
  const auto run = std::find(arguments.begin(), arguments.end(), "run");
  if (run == arguments.end()) {
    return MpiSession::kDefaultTimeout;
  }
  std::string config;
  std::vector<std::string> overrides;
  bool is_override = false;
  for (auto argument = run + 1; argument != arguments.end(); ++argument) {
    if (argument->starts_with("-")) {
      is_override = *argument == "--set";
    } else if (is_override) {
      overrides.push_back(*argument);
    } else if (config.empty()) {
      config = *argument;
    }
  }
  try {
    return read_config(config, overrides).timeout_seconds;
  } catch (const std::exception&) {
    return MpiSession::kDefaultTimeout;  // what is wrong with it is said once the ranks can agree on who says it
  }
}

void require_same_start(const std::vector<std::string>& arguments) {
  the_job->require_same("version", std::string("slidemesh ") + SLIDEMESH_VERSION);
  the_job->require_same("command line", "slidemesh " + text::joined(arguments, " "));
}

}  // namespace slidemesh::app

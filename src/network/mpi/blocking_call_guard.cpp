#include "blocking_call_guard.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slidemesh::mpi {

namespace {

/// One process of the job on this machine.
struct Process {
  int id = 0;
  std::string program;
  bool is_stopped = false;
};

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The value of `name` among variables that end in a zero byte each.
std::optional<std::string> variable(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
    environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
  }
  return std::nullopt;
}

std::optional<int> rank_in(std::string_view environment) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const auto value = variable(environment, name)) {
      return std::atoi(value->c_str());
    }
  }
  return std::nullopt;
}

int number_from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::atoi(value);
}

std::string program_of(const std::filesystem::path& process) {
  std::error_code error;
  return std::filesystem::read_symlink(process / "exe", error).string();
}

/// State T: stopped by a signal. It follows the name, which is in brackets and may hold anything.
bool is_stopped(const std::filesystem::path& process) {
  const std::string line = read_all(process / "stat");
  const auto bracket = line.rfind(')');
  return bracket != std::string::npos && bracket + 2 < line.size() && line[bracket + 2] == 'T';
}

/// The processes of each rank of the job `job` that this machine has.
std::map<int, std::vector<Process>> processes_of(const std::string& job) {
  std::map<int, std::vector<Process>> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    const std::string environment = read_all(entry->path() / "environ");
    const auto rank = rank_in(environment);
    if (rank && variable(environment, "PMIX_NAMESPACE") == job) {
      found[*rank].push_back({std::atoi(name.c_str()), program_of(entry->path()), is_stopped(entry->path())});
    }
  }
  return found;
}

/// Why a rank with these processes is not in order; empty if it is. A rank may be started by a script that waits for
/// it.
std::string problem_of(const std::vector<Process>& processes, const std::string& program) {
  for (const Process& process : processes) {
    if (process.is_stopped) {
      return "expected its process to answer, it is stopped (process " + std::to_string(process.id) + ")";
    }
  }
  const bool runs = std::any_of(processes.begin(), processes.end(),
                                [&](const Process& process) { return process.program == program; });
  if (runs) {
    return "";
  }
  return processes.empty() ? "expected its process to run, it is gone"
                           : "expected the program " + program + ", got " + processes.front().program;
}

/// What the ranks of this job are found to be doing on this machine.
struct JobView {
  bool is_reporter = true;  ///< whether this rank is the lowest that is in order
  std::string problem;      ///< which rank is not and why; empty where none is seen
};

JobView look_at_job() {
  const char* job = std::getenv("PMIX_NAMESPACE");
  const int size = number_from_environment("OMPI_COMM_WORLD_SIZE");
  if (job == nullptr || size == 0) {
    return {};
  }
  const bool all_here = number_from_environment("OMPI_COMM_WORLD_LOCAL_SIZE") == size;
  const int own_rank = number_from_environment("OMPI_COMM_WORLD_RANK");
  const std::string program = program_of("/proc/self");
  const auto processes = processes_of(job);
  JobView view;
  for (int rank = 0; rank < size; ++rank) {
    const auto here = processes.find(rank);
    if (rank == own_rank || (here == processes.end() && !all_here)) {
      continue;
    }
    const std::string problem = problem_of(here == processes.end() ? std::vector<Process>{} : here->second, program);
    if (problem.empty()) {
      view.is_reporter = view.is_reporter && own_rank < rank;
    } else if (view.problem.empty()) {
      view.problem = "lost rank " + std::to_string(rank) + ": " + problem;
    }
  }
  return view;
}

void end_process(double seconds) {
  const JobView job = look_at_job();
  if (job.is_reporter) {
    const std::string line = "slidemesh: error: " +
                             (job.problem.empty() ? "expected every rank to answer MPI within " +
                                                        std::to_string(static_cast<int>(seconds)) + " s, got no answer"
                                                  : job.problem) +
                             "\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  }
  // All look before any goes: who reports is found by who is there. Once one has gone, mpirun soon ends the others.
  constexpr std::chrono::milliseconds kLookAround{1000};
  std::this_thread::sleep_for(kLookAround);
  _exit(kExitCodeOfSilence);
}

}  // namespace

BlockingCallGuard::BlockingCallGuard(double seconds) {
  watch_ = std::thread([this, seconds] {
    if (!done_within(std::chrono::duration<double>(seconds))) {
      end_process(seconds);
    }
  });
}

bool BlockingCallGuard::done_within(std::chrono::duration<double> limit) {
  // A process that was itself stopped has not waited for the others while it was: it counts a slice, not the stop, and
  // so does not blame those who have given it up and gone.
  constexpr std::chrono::duration<double> kSlice{0.1};
  std::unique_lock lock(mutex_);
  for (auto waited = limit.zero(); waited < limit && !done_; waited += kSlice) {
    changed_.wait_for(lock, kSlice, [this] { return done_; });
  }
  return done_;
}

BlockingCallGuard::~BlockingCallGuard() {
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  watch_.join();
}

}  // namespace slidemesh::mpi

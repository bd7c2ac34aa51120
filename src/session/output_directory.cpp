#include "slidemesh/session/output_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

constexpr const char* kFiles[] = {"summary.json", "trace.jsonl", "model.json",      "config.toml",
                                  "context.json", "report.html", "coefficients.csv"};

bool holds_a_run(const std::filesystem::path& directory) {
  std::error_code ignored;
  return std::ranges::any_of(kFiles,
                             [&](const char* file) { return std::filesystem::exists(directory / file, ignored); });
}

void remove_checkpoints(const std::filesystem::path& directory) {
  for (const auto& path : entries_of(directory)) {
    if (path.extension() == ".checkpoint" || path.extension() == ".tmp") {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  }
}

std::filesystem::path default_name(const std::string& config, bool overwrite) {
  const std::filesystem::path base = std::filesystem::path("runs") / std::filesystem::path(config).stem();
  std::filesystem::path name = base;
  for (int number = 2; !overwrite && holds_a_run(name); ++number) {
    name = base.string() + fmt::format("-{}", number);
  }
  return name;
}

}  // namespace

std::filesystem::path prepare_output_directory(const std::string& wanted, const std::string& config, bool overwrite,
                                               bool resume) {
  const std::filesystem::path out = wanted.empty() ? default_name(config, overwrite) : std::filesystem::path(wanted);
  require<UsageError>(!std::filesystem::exists(out) || std::filesystem::is_directory(out), out.string(),
                      "a directory for the results", "a file");
  if (holds_a_run(out) && !resume) {
    require<UsageError>(overwrite, out.string(), "a directory without results",
                        "one that holds another run (--resume goes on with it, --overwrite replaces it)");
    for (const char* file : kFiles) {
      std::error_code ignored;
      std::filesystem::remove(out / file, ignored);
    }
    remove_checkpoints(checkpoint_directory(out));
  }
  make_directory(out);
  require<UsageError>(access(out.c_str(), W_OK | X_OK) == 0, out.string(), "a directory that can be written to",
                      "one that cannot");
  return out;
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

DirectoryLock::DirectoryLock(const std::filesystem::path& directory)
    : descriptor_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  // Where a file system knows no locks, there is none to be had.
  if (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    fail<UsageError>(directory.string(), "a directory that no other run writes to", "one that is in use");
  }
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

std::filesystem::path checkpoint_directory(const std::filesystem::path& out) { return out / "checkpoints"; }

std::filesystem::path reference_cache_path(const std::filesystem::path& out) {
  if (out.empty()) {
    return {};
  }
  const auto parent = std::filesystem::absolute(out).lexically_normal().parent_path();
  const bool trailing_slash = !out.has_filename();
  return (trailing_slash ? parent.parent_path() : parent) / "reference-optima.json";
}

}  // namespace slidemesh

#include "output_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "slidemesh/core/errors.h"
#include "slidemesh/report/atomic_file.h"

namespace slidemesh::app {

namespace {

constexpr const char* kFiles[] = {"summary.json", "trace.jsonl", "model.json", "config.toml", "context.json", "report.html"};

bool holds_a_run(const std::filesystem::path& directory) {
  std::error_code ignored;
  for (const char* file : kFiles) {
    if (std::filesystem::exists(directory / file, ignored)) {
      return true;
    }
  }
  return false;
}

std::filesystem::path free_name(const std::string& config) {
  const std::filesystem::path base = std::filesystem::path("runs") / std::filesystem::path(config).stem();
  std::filesystem::path name = base;
  for (int number = 2; holds_a_run(name); ++number) {
    name = base.string() + fmt::format("-{}", number);
  }
  return name;
}

}  // namespace

std::filesystem::path prepare_output_directory(const std::string& wanted, const std::string& config, bool overwrite) {
  const std::filesystem::path out = wanted.empty() ? free_name(config) : std::filesystem::path(wanted);
  if (std::filesystem::exists(out) && !std::filesystem::is_directory(out)) {
    throw UsageError(fmt::format("{}: expected a directory for the results, got a file", out.string()));
  }
  if (holds_a_run(out)) {
    if (!overwrite) {
      throw UsageError(fmt::format("{}: expected a directory without results, got one that holds another run (--overwrite replaces it)",
                                   out.string()));
    }
    for (const char* file : kFiles) {
      std::error_code ignored;
      std::filesystem::remove(out / file, ignored);
    }
  }
  make_directory(out);
  if (access(out.c_str(), W_OK | X_OK) != 0) {
    throw UsageError(fmt::format("{}: expected a directory that can be written to, got one that cannot", out.string()));
  }
  return out;
}

std::filesystem::path reference_cache_path(const std::filesystem::path& out) {
  if (out.empty()) {
    return {};
  }
  const auto parent = std::filesystem::absolute(out).lexically_normal().parent_path();
  const bool trailing_slash = !out.has_filename();
  return (trailing_slash ? parent.parent_path() : parent) / "reference-optima.json";
}

}  // namespace slidemesh::app

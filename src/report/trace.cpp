#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <system_error>
#include <utility>

#include "json_fields.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/base/file_access.h"
#include "slidemesh/report/writers.h"

namespace slidemesh {

using report_json::Field;
using report_json::Json;

namespace {

/// Calls `visit(line, parsed)` for each whole line. What a killed writer left of its last line is
/// passed over: it has no end of line and is no JSON object.
void for_each_line(const std::filesystem::path& path, std::string_view text,
                   const std::function<void(std::string_view, const TraceLine&)>& visit) {
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line = text.substr(begin, end == std::string_view::npos ? end : end - begin);
    if (end == std::string_view::npos && !Json::accept(line)) {
      return;
    }
    if (!line.empty()) {
      const Json parsed = report_json::parse(path, line, number);
      visit(line, report_json::read_trace_line(Field(parsed, path.string() + ":" + std::to_string(number) + ":")));
    }
    begin = end == std::string_view::npos ? text.size() : end + 1;
  }
}

}  // namespace

TraceWriter::TraceWriter(std::filesystem::path path) : path_(std::move(path)) { open(O_TRUNC); }

TraceWriter::TraceWriter(const std::filesystem::path& path, std::span<const TracePosition> keep) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    const std::string text = read_text(path);
    std::string kept;
    kept.reserve(text.size() + 1);
    for_each_line(path, text, [&](std::string_view line, const TraceLine& parsed) {
      const auto position =
          std::find_if(keep.begin(), keep.end(), [&](const TracePosition& p) { return p.label == parsed.label; });
      if (position != keep.end() && parsed.record.step <= position->step) {
        kept.append(line).push_back('\n');
      }
    });
    if (kept != text) {
      atomic_write(path, kept);
    }
  }
  open(0);
}

TraceWriter::~TraceWriter() {
  if (file_ >= 0) {
    ::close(file_);
  }
}

void TraceWriter::open(int flags) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, new_file_mode());
  if (file_ < 0) {
    throw UsageError(path_.string() + ": cannot write: " + std::system_category().message(errno));
  }
  restrict_access(file_);
}

void TraceWriter::append(std::string_view method, std::string_view label, const Record& record) {
  pending_ += report_json::dump(report_json::trace_line(method, label, record)) + "\n";
  write_pending();
}

void TraceWriter::write_pending() {
  const off_t end = ::lseek(file_, 0, SEEK_END);
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) {
      const int error = errno;
      // A full disk takes a part of a line before it refuses the rest. What cannot be cut off again is left for a
      // resume to repair.
      if (end >= 0 && ::ftruncate(file_, end) != 0) {
        pending_.erase(0, pending_.size() - rest.size());
      }
      throw UsageError(path_.string() + ": cannot write: " + std::system_category().message(error));
    }
    rest.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  pending_.clear();
}

void TraceWriter::sync() {
  if (::fdatasync(file_) != 0 && errno != EINVAL) {  // EINVAL: a pipe or a terminal, which has no disk
    throw UsageError(path_.string() + ": cannot write: " + std::system_category().message(errno));
  }
}

std::vector<TraceLine> read_trace(const std::filesystem::path& path) {
  std::vector<TraceLine> lines;
  for_each_line(path, read_text(path), [&](std::string_view, const TraceLine& line) { lines.push_back(line); });
  return lines;
}

}  // namespace slidemesh

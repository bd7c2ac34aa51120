#include "slidemesh/report/writers.h"

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

namespace slidemesh {

using report_json::Field;

namespace {

// ---- summary.json

using Pairs = std::vector<std::pair<std::string, std::string>>;

Json as_object(const Pairs& pairs) {
  Json object = Json::object();
  for (const auto& [key, value] : pairs) {
    object[key] = value;
  }
  return object;
}

/// Nothing where there is no such field.
Pairs read_pairs(const Field& object, const char* key) {
  Pairs pairs;
  if (object.has(key)) {
    const Field members = object.at(key);
    members.expect_object();
    for (const auto& [name, value] : members.json().items()) {
      pairs.emplace_back(name, members.at(name.c_str()).text());
    }
  }
  return pairs;
}

}  // namespace

static void to_json(Json& object, const RunSummary& run) {
  object = {
      {"method", run.method}, {"label", run.label}, {"status", to_string(run.status)}, {"outer_steps", run.last.step}};
  report_json::append_record(object, run.last);
  object["objective_at_start"] = run.objective_at_start;
  object["relative_gap"] = relative_gap(run, run.last);
  object["rows"] = run.rows;
  object["control_messages"] = run.control_messages;
  object["control_bytes"] = run.control_bytes;
  object["rows_read"] = run.rows_read;
  object["rows_read_in_opening"] = run.rows_read_in_opening;
  if (!run.asked.empty()) {
    object["asked"] = run.asked;
    object["got"] = run.got;
  }
  if (!run.scores.empty()) {
    object["scores"] = run.scores;
  }
  if (run.coefficients) {
    object["coefficients"] = *run.coefficients;
  }
  object["settings"] = as_object(run.settings);
  object["depends_on"] = as_object(run.depends_on);
  object["nodes"] = run.nodes;
}

namespace {

RunSummary read_run(const Field& object) {
  RunSummary run;
  run.method = object.at("method").text();
  run.label = object.at("label").text();
  run.status = report_json::status_named(object.at("status"));
  run.last = report_json::read_record(object, "outer_steps");
  object.read_if_there("rows", &Field::count, run.rows);
  object.read_if_there("objective_at_start", &Field::optional_number, run.objective_at_start);
  object.read_if_there("control_messages", &Field::optional_count, run.control_messages);
  object.read_if_there("control_bytes", &Field::optional_count, run.control_bytes);
  object.read_if_there("rows_read", &Field::optional_count, run.rows_read);
  object.read_if_there("rows_read_in_opening", &Field::optional_count, run.rows_read_in_opening);
  if (object.has("asked")) {
    run.asked = object.at("asked").text();
    run.got = object.at("got").text();
  }
  if (object.has("scores")) {
    run.scores = object.at("scores").each(report_json::read_scores);
  }
  object.read_if_there("coefficients", report_json::read_coefficients, run.coefficients);
  run.settings = read_pairs(object, "settings");
  run.depends_on = read_pairs(object, "depends_on");
  if (object.has("nodes")) {
    run.nodes = object.at("nodes").each(report_json::read_node_meters);
  }
  return run;
}

// ---- trace.jsonl

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

std::optional<double> relative_gap(const RunSummary& run, const Record& record) {
  if (!record.gap_at_average || !record.reference_optimum || !run.objective_at_start) {
    return std::nullopt;
  }
  return relative_gap(*record.reference_optimum + *record.gap_at_average, *record.reference_optimum,
                      *run.objective_at_start);
}

std::optional<double> certified_relative_gap(const RunSummary& run) {
  if (!run.last.certified_gap || !run.last.lower_bound || !run.objective_at_start) {
    return std::nullopt;
  }
  const double scale = certified_gap_scale(*run.objective_at_start, *run.last.lower_bound);
  return scale > 0.0 ? std::optional(*run.last.certified_gap / scale) : std::nullopt;
}

void write_summary(const std::filesystem::path& path, std::span<const RunSummary> runs) {
  const Json document = {{"schema", kSchema}, {"runs", runs}};
  atomic_write(path, report_json::dump(document, 2) + "\n");
}

std::vector<RunSummary> read_summary(const std::filesystem::path& path) {
  const Json document = report_json::read_document(path);
  return Field(document, path.string() + ":").at("runs").each(read_run);
}

TraceWriter::TraceWriter(std::filesystem::path path) : path_(std::move(path)) { open(O_TRUNC); }

TraceWriter::TraceWriter(const std::filesystem::path& path, std::span<const TracePosition> keep) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    const std::string text = read_text(path);
    std::string kept;
    kept.reserve(text.size() + 1);
    for_each_line(path, text, [&](std::string_view line, const TraceLine& parsed) {
      const auto position = std::ranges::find(keep, parsed.label, &TracePosition::label);
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

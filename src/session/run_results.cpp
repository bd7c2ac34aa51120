#include "run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "answer.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"

namespace slidemesh {

namespace {

template <class T>
auto with_label(const std::vector<T>& list, const std::string& label) {
  return std::ranges::find(list, label, &T::label);
}

template <class T>
bool has_label(const std::vector<T>& list, const std::string& label) {
  return with_label(list, label) != list.end();
}

/// A summary has what the whole session had read by then; a trace, what each method was charged for.
Count rows_read_by(const std::vector<RunSummary>& summaries, const std::vector<TraceLine>& trace) {
  Count read = 0;
  for (const RunSummary& run : summaries) {
    read = std::max(read, run.rows_read.value_or(0));
  }
  std::map<std::string, Count> charged;
  for (const TraceLine& line : trace) {
    Count& most = charged[line.label];
    most = std::max(most, line.record.meters.data_oracle_calls);
  }
  return std::max(read, std::accumulate(charged.begin(), charged.end(), Count{0},
                                        [](Count sum, const auto& method) { return sum + method.second; }));
}

void remove_half_written(const std::filesystem::path& out) {
  for (const auto& path : entries_of(out)) {
    const std::string name = path.filename().string();
    if (name.starts_with(".") && name.ends_with(".tmp")) {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  }
}

}  // namespace

void RunResults::open(const std::string& wanted, bool overwrite, bool resume) {
  out_ = prepare_output_directory(wanted, config_.file, overwrite, resume);
  lock_.emplace(out_);
  if (resume) {
    remove_half_written(out_);
    earlier_ = read_earlier();
  }
}

/// Reads what a killed or stopped run left; nothing where there is nothing.
RunResults::Earlier RunResults::read_earlier() const {
  Earlier earlier;
  std::error_code ignored;
  const auto has = [&](const char* file) { return std::filesystem::exists(out_ / file, ignored); };
  if (has("summary.json") && has("model.json")) {
    earlier.summaries = read_summary(out_ / "summary.json");
    earlier.models = read_models(out_ / "model.json");
  }
  if (has("trace.jsonl")) {
    earlier.trace = read_trace(out_ / "trace.jsonl");
  }
  earlier.rows_read = rows_read_by(earlier.summaries, earlier.trace);
  // Only what ran its length is done; the rest goes on from its checkpoint, if only to find that it need not.
  std::erase_if(earlier.summaries, [&](const RunSummary& run) {
    return run.status != Status::kFinished || !has_label(earlier.models, run.label) ||
           !has_label(config_.methods, run.label);
  });
  std::erase_if(earlier.models, [&](const Model& model) { return !has_label(earlier.summaries, model.label); });
  return earlier;
}

void RunResults::forget(const std::string& label) {
  std::erase_if(earlier_.summaries, [&](const RunSummary& run) { return run.label == label; });
  std::erase_if(earlier_.models, [&](const Model& model) { return model.label == label; });
}

bool RunResults::has_from_before(const std::string& label) const { return has_label(earlier_.summaries, label); }

void RunResults::require_same(const std::string& label, const Settings& now) const {
  if (const auto run = with_label(earlier_.summaries, label); run != earlier_.summaries.end()) {
    require_same_settings(run->depends_on, now, (out_ / "summary.json").string());
  }
}

void RunResults::take_from_before(const std::string& label) {
  const RunSummary& summary = *with_label(earlier_.summaries, label);
  add(summary, *with_label(earlier_.models, label), records_before(label));
}

std::vector<Record> RunResults::records_before(const std::string& label) const {
  std::vector<Record> records;
  for (const TraceLine& line : earlier_.trace) {
    if (line.label == label) {
      records.push_back(line.record);
    }
  }
  return records;
}

void RunResults::begin_files(const std::vector<TracePosition>& keep) {
  atomic_write(out_ / "config.toml", as_run(config_));
  trace_.emplace(out_ / "trace.jsonl", keep);
  std::erase_if(earlier_.trace, [&](const TraceLine& line) {
    return std::ranges::none_of(
        keep, [&](const TracePosition& kept) { return kept.label == line.label && line.record.step <= kept.step; });
  });
}

void RunResults::append(const MethodConfig& method, const Record& record) {
  if (trace_) {
    try_to([&] { trace_->append(method.name, method.label, record); });
  }
}

void RunResults::sync_trace() {
  if (trace_) {
    trace_->sync();
  }
}

void RunResults::add_failed(RunSummary summary) { summaries_.push_back(std::move(summary)); }

void RunResults::add(RunSummary summary, Model model, std::vector<Record> records) {
  summaries_.push_back(summary);
  models_.push_back(std::move(model));
  report_runs_.push_back({std::move(summary), std::move(records)});
}

bool RunResults::try_to(const std::function<void()>& write) {
  try {
    write();
    return true;
  } catch (const Error& error) {
    if (!std::exchange(said_, true)) {
      listener_.warn(fmt::format("{}; the run goes on", error.what()));
    }
    return false;
  }
}

bool RunResults::write() {
  return try_to([this] { write_files(); });
}

void RunResults::write_files() const {
  if (!out_.empty()) {
    // In this order: whoever finds a run in the summary finds its model too.
    write_models(out_ / "model.json", with_earlier(models_, earlier_.models));
    write_summary(out_ / "summary.json", with_earlier(summaries_, earlier_.summaries));
    if (const std::string csv = coefficients_csv(with_earlier(models_, earlier_.models)); !csv.empty()) {
      atomic_write(out_ / "coefficients.csv", csv);
    }
  }
}

/// In the order of the config: what this run has come to so far, and what an earlier one had where this one has not
/// yet.
template <class T>
std::vector<T> RunResults::with_earlier(const std::vector<T>& now, const std::vector<T>& before) const {
  std::vector<T> all;
  for (const MethodConfig& method : config_.methods) {
    const auto& list = has_label(now, method.label) ? now : before;
    if (const auto found = with_label(list, method.label); found != list.end()) {
      all.push_back(*found);
    }
  }
  return all;
}

void RunResults::finish(std::vector<std::string> problem, ReportNetwork network) {
  if (out_.empty()) {
    return;
  }
  mend_directory();
  write_files();
  ReportInput input;
  input.name = out_.filename().string();
  input.title = input.name;
  input.problem = std::move(problem);
  input.runs = report_runs_;
  input.networks.push_back(std::move(network));
  input.configs.emplace_back("config.toml", as_run(config_));
  write_context(out_ / "context.json", input);
  write_report(out_ / "report.html", input);
}

/// Whoever removed the directory of a long run would still have its results.
void RunResults::mend_directory() {
  make_directory(out_);
  std::error_code ignored;
  if (!std::filesystem::exists(out_ / "trace.jsonl", ignored)) {
    atomic_write(out_ / "config.toml", as_run(config_));
    trace_.emplace(out_ / "trace.jsonl");
    for (const ReportRun& run : report_runs_) {
      for (const Record& record : run.trace) {
        trace_->append(run.summary.method, run.summary.label, record);
      }
    }
  }
}

}  // namespace slidemesh

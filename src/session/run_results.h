#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "resume.h"
#include "slidemesh/report/report.h"
#include "slidemesh/report/writers.h"
#include "slidemesh/session/config.h"
#include "slidemesh/session/listener.h"
#include "slidemesh/session/model.h"
#include "slidemesh/session/output_directory.h"

namespace slidemesh {

/// What the methods of a run have come to, and the directory that it is written to as they go. A process that writes
/// nothing never opens it; all else works there too.
class RunResults {
 public:
  RunResults(const Config& config, Listener& listener) : config_(config), listener_(listener) {}

  /// Makes or finds the directory (see prepare_output_directory) and locks it. A run that goes on finds there what it
  /// had.
  void open(const std::string& wanted, bool overwrite, bool resume);
  /// Empty where this process does not write.
  [[nodiscard]] const std::filesystem::path& directory() const { return out_; }

  /// Whether a method ran its length before a resume.
  [[nodiscard]] bool has_from_before(const std::string& label) const;
  /// As if that had not been there.
  void forget(const std::string& label);
  /// UsageError if what such a method depended on is not what it depends on now.
  void require_same(const std::string& label, const Settings& now) const;
  /// Takes what such a method came to as it is.
  void take_from_before(const std::string& label);
  [[nodiscard]] std::vector<Record> records_before(const std::string& label) const;
  /// How many rows all that went before a resume had read, or of a run that was killed what its trace has charged.
  [[nodiscard]] Count rows_read_before() const { return earlier_.rows_read; }

  /// Begins the trace, of which `keep` stays.
  void begin_files(const std::vector<TracePosition>& keep);
  void append(const MethodConfig& method, const Record& record);
  /// Brings the trace to the disk. From any thread.
  void sync_trace();

  /// A method that failed has no model and no page.
  void add_failed(RunSummary summary);
  void add(RunSummary summary, Model model, std::vector<Record> records);
  [[nodiscard]] const std::vector<RunSummary>& summaries() const { return summaries_; }

  /// Writes all there is. The run goes on without a file that cannot be written, says so once, and tries again with
  /// what comes next: false.
  bool write();
  /// The same at the end of a run, where what cannot be written is an error, and the page.
  void finish(std::vector<std::string> problem, ReportNetwork network);

 private:
  bool try_to(const std::function<void()>& write);
  void write_files() const;
  void mend_directory();
  template <class T>
  [[nodiscard]] std::vector<T> with_earlier(const std::vector<T>& now, const std::vector<T>& before) const;

  /// What an earlier run left in the directory, for those of its methods that are done.
  struct Earlier {
    std::vector<RunSummary> summaries;
    std::vector<Model> models;
    std::vector<TraceLine> trace;
    Count rows_read = 0;  ///< by methods that are not done, too
  };
  [[nodiscard]] Earlier read_earlier() const;

  const Config& config_;
  Listener& listener_;
  std::filesystem::path out_;
  std::optional<DirectoryLock> lock_;
  std::optional<TraceWriter> trace_;
  Earlier earlier_;
  std::vector<RunSummary> summaries_;
  std::vector<Model> models_;
  std::vector<ReportRun> report_runs_;
  bool said_ = false;  ///< that a file could not be written
};

}  // namespace slidemesh

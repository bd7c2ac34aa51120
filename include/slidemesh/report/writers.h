#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "slidemesh/core/meters.h"
#include "slidemesh/core/metrics.h"
#include "slidemesh/core/record.h"
#include "slidemesh/core/termination.h"

/// The text files of a run's directory: summary.json, trace.jsonl (model.json: session/model.h). Whole files are
/// written with atomic_write (atomic_file.h); numbers survive a round trip bit for bit; a number that is absent,
/// infinite or NaN is null. In a run of several processes only the first writes.

namespace slidemesh {

/// The files' common version. A reader refuses any other.
inline constexpr int kSchema = 1;

/// What a model looks like.
struct CoefficientSummary {
  struct One {
    std::string name;
    std::string output;  ///< of a model with several: the class
    double value = 0.0;  ///< as trained, where all features have one scale if they were scaled
  };
  Index rows = 0;  ///< as a matrix
  Index columns = 0;
  Count nonzeros = 0;
  std::optional<Index> rank;  ///< of a matrix, where it was computed
  std::vector<One> largest;   ///< by magnitude, the intercept aside
};

/// One method's run, as summary.json has it.
struct RunSummary {
  std::string method;  ///< "ipds"
  std::string label;   ///< the user's name for it, unique within a directory
  Status status = Status::kFinished;
  Record last;  ///< its step is the summary's outer_steps

  Count rows = 0;                            ///< sum n_i: data-oracle calls / rows = passes; 0 if unknown
  std::optional<double> objective_at_start;  ///< F(x_0), what relative gaps are relative to
  std::vector<NodeMeters> nodes;             ///< of all nodes in order; empty if they were not gathered
  /// What processes sent one another to measure and to stop, apart from the method's own messages: nothing in one
  /// process. Of this process's part of the run, where that was resumed; absent where a run ended in an error.
  std::optional<Count> control_messages;
  std::optional<Count> control_bytes;
  /// Rows that left their store for any purpose since the program began, and what opening the data read before; over
  /// all nodes. Charged calls are a part of them.
  std::optional<Count> rows_read = {};
  std::optional<Count> rows_read_in_opening = {};
  /// What was asked for and what there is, in the unit that was asked for; empty where nothing was.
  std::string asked = {};
  std::string got = {};
  std::vector<Scores> scores = {};                      ///< on rows that were not trained on
  std::optional<CoefficientSummary> coefficients = {};  ///< of the model
  /// The settings as run, ("inner", "bpcg"), ("R", "0.02"), ...: shown and kept, never interpreted.
  std::vector<std::pair<std::string, std::string>> settings;
  /// Everything that the run depends on, ("problem.mu", "0.5"), ("the graph", ...): what a resume compares.
  std::vector<std::pair<std::string, std::string>> depends_on;
};

/// (F(x̄) - F*) / (F(x_0) - F*), where all three are known.
[[nodiscard]] std::optional<double> relative_gap(const RunSummary& run, const Record& record);

/// The certified gap of its end relative to F(x_0) - lower bound, where all three are known.
[[nodiscard]] std::optional<double> certified_relative_gap(const RunSummary& run);

void write_summary(const std::filesystem::path& path, std::span<const RunSummary> runs);
[[nodiscard]] std::vector<RunSummary> read_summary(const std::filesystem::path& path);

/// One line of trace.jsonl.
struct TraceLine {
  std::string method;
  std::string label;
  Record record;
};

/// How far the trace of one label is still good: lines of later steps are to be written again.
struct TracePosition {
  std::string label;
  int step = 0;
};

/// Appends to trace.jsonl, a line at a time; a line is handed to the system before `append` returns,
/// so a killed process leaves whole lines and at most one torn one. A line that cannot be written leaves
/// no part of itself in the file, is a UsageError, and is written before the next one if that can be.
class TraceWriter {
 public:
  /// Begins a new trace; an old file at `path` is emptied.
  explicit TraceWriter(std::filesystem::path path);
  /// Goes on with an old trace: a torn last line is cut off; of each label in `keep` the lines up to
  /// its step stay, later ones go; all lines of other labels go. Without a file, a new trace.
  TraceWriter(const std::filesystem::path& path, std::span<const TracePosition> keep);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void append(std::string_view method, std::string_view label, const Record& record);
  /// Waits until what was appended is on the disk; for use before a checkpoint that relies on it.
  void sync();

 private:
  void open(int flags);
  void write_pending();

  std::filesystem::path path_;
  int file_ = -1;
  std::string pending_;  ///< lines that are not in the file yet
};

/// All lines, in the file's order; a torn last line is passed over. DataError for any other bad line.
[[nodiscard]] std::vector<TraceLine> read_trace(const std::filesystem::path& path);

}  // namespace slidemesh

#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/algorithms/registry.h"
#include "slidemesh/report/writers.h"
#include "slidemesh/session/listener.h"

namespace slidemesh::app {

/// Tells on stderr how things go: on a terminal one line that is drawn over and over, elsewhere a plain
/// line now and then, and nothing at all where asked to be quiet.
class Progress final : public Listener {
 public:
  explicit Progress(bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() override;

  /// A line that stays.
  void say(const std::string& line) override;
  /// Something that went wrong and that the run survives: said even where asked to be quiet.
  void warn(const std::string& line) override;
  /// Something slow that has no steps to count: drawn over on a terminal, unsaid elsewhere.
  void passing(const std::string& line) override;

  /// A method begins: `from` is the step that it resumes at.
  void begin(const Start& start) override;
  void record(const Record& record) override;
  void step(int step) override;
  void end() override;
  /// The table of costs, on stdout: also where the files cannot be written afterwards.
  void costs(const std::vector<RunSummary>& runs) override;

 private:
  using Clock = std::chrono::steady_clock;
  void draw(const std::string& line);
  void clear();
  [[nodiscard]] std::string status(int step) const;

  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  [[nodiscard]] std::string time_left(int step, double seconds) const;
  /// The gap in the unit that was asked for, and its name; nothing where none is known.
  [[nodiscard]] std::optional<std::pair<std::string, double>> gap_of(const Record& record) const;

  Start start_;
  std::string gap_;
  std::optional<double> first_gap_;  ///< and when it was seen, in seconds: what time to the target is estimated from
  double first_seconds_ = 0.0;
  double last_gap_ = 0.0;
  double last_seconds_ = 0.0;
  Clock::time_point began_;
  Clock::time_point last_;
};

/// What the methods cost and reached, as a table for people; stacked where a line has not room for it.
[[nodiscard]] std::string cost_table(const std::vector<RunSummary>& runs,
                                     std::size_t width = std::numeric_limits<std::size_t>::max());

}  // namespace slidemesh::app

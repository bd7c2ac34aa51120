#pragma once

#include <string>
#include <vector>

#include "slidemesh/core/record.h"
#include "slidemesh/report/writers.h"

namespace slidemesh {

/// Who hears how a session goes. Nothing that it does may end a run but `ends_at`: what cannot be reported is left
/// unsaid. This one says nothing.
class Listener {
 public:
  virtual ~Listener() = default;

  /// A line that stays.
  virtual void say(const std::string& /*line*/) {}
  /// Something that went wrong and that the run survives.
  virtual void warn(const std::string& /*line*/) {}
  /// Something slow that has no steps to count: the newest line is the one to be seen.
  virtual void passing(const std::string& /*line*/) {}

  /// A method begins.
  struct Start {
    std::string label;
    int outer_steps = 0;
    int from = 0;  ///< the step that it resumes at
    StopRule stop;
    double start_value = 0.0;  ///< F(x_0), which relative gaps are relative to
  };
  virtual void begin(const Start& /*start*/) {}
  /// Before `record` has it, where the run would go on: whether to end it here. For sessions in one process.
  [[nodiscard]] virtual bool ends_at(const Record& /*record*/) { return false; }
  virtual void record(const Record& /*record*/) {}
  virtual void step(int /*step*/) {}
  virtual void end() {}
  /// All methods have ended; their files are written next.
  virtual void costs(const std::vector<RunSummary>& /*runs*/) {}
};

}  // namespace slidemesh

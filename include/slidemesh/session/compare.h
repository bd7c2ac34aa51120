#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/report/report.h"
#include "slidemesh/session/config.h"
#include "slidemesh/session/listener.h"

namespace slidemesh {

struct CompareOptions {
  std::vector<std::string> methods;   ///< names; empty: all that there are
  double seconds_per_method = 5.0;    ///< inside the method
  std::function<bool()> interrupted;  ///< whether a stop was asked for; may be empty
};

/// One method's run to the target, or why there is none.
struct Compared {
  ReportRun run;
  bool reached = false;
};

struct Comparison {
  double target = 0.0;   ///< relative to F(x_0) - F*
  double optimum = 0.0;  ///< F*
  Count rows = 0;        ///< data-oracle calls / rows = passes
  std::vector<Compared> runs;
  std::vector<std::pair<std::string, std::string>> refused;  ///< a method that does not fit the problem, and why
  std::vector<std::string> problem;                          ///< what was solved, a line each
  ReportNetwork network;

  [[nodiscard]] double passes(const Record& record) const {
    return static_cast<double>(record.meters.data_oracle_calls) / static_cast<double>(rows);
  }
};

/// What methods may be ranked by, and how much of it a run took.
struct Cost {
  const char* name;
  bool is_count;
  double (*of)(const Comparison& comparison, const Record& last);
};
inline constexpr std::array<Cost, 5> kCosts{
    {{"passes", false, [](const Comparison& comparison, const Record& last) { return comparison.passes(last); }},
     {"rounds", true,
      [](const Comparison&, const Record& last) { return static_cast<double>(last.meters.communication_rounds); }},
     {"hops", true, [](const Comparison&, const Record& last) { return static_cast<double>(last.meters.hops); }},
     {"bytes", true, [](const Comparison&, const Record& last) { return static_cast<double>(last.meters.bytes_sent); }},
     {"seconds", false, [](const Comparison&, const Record& last) { return last.seconds; }}}};

/// Runs every method that fits the problem, in this process, until the config's target_gap is reached or the budget is
/// used up. Where the config has [[method]] tables of a name, they are run in place of the method without keys.
[[nodiscard]] Comparison compare_methods(const Config& config, const CompareOptions& options, Listener& listener);

/// Those that reached the target first, by what they took; the others by how close they came.
void rank(Comparison& comparison, const Cost& cost);

}  // namespace slidemesh

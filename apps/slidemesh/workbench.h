#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "progress.h"
#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/report/report.h"
#include "slidemesh/session/measures.h"

namespace slidemesh::app {

/// Which of the paper's problems: logistic regression in an l1 ball of radius 10, over a graph.
struct Setting {
  std::string graph = "erdos-renyi";
  Index nodes = 10;
  double p = 0.4;
  SplitRule split = SplitRule::kContiguous;
  double mu = 0.0;
};

/// A setting, ready to be solved.
struct Case {
  Spectrum spectrum;
  std::unique_ptr<InProcessNetwork> network;
  Problem problem;
  double optimum = 0.0;      ///< F*
  double start_value = 0.0;  ///< F(x_0)

  /// (F(x̄) - F*) / (F(x_0) - F*).
  [[nodiscard]] double relative_gap(double objective) const {
    return slidemesh::relative_gap(objective, optimum, start_value).value();
  }
};

constexpr Index kRows = 20000;  ///< of all experiments

/// What a method had reached, and spent, after a step.
struct Point {
  int step = 0;
  double relative_gap = 0.0;
  double gap = 0.0;           ///< F(x̄) - F*
  double disagreement = 0.0;  ///< |x - x̄| / |x̄|
  MeterTotals meters;

  [[nodiscard]] double passes() const { return static_cast<double>(meters.data_oracle_calls) / kRows; }
};

/// The rows that all experiments share, and what is known about them.
class Workbench {
 public:
  static constexpr double kRadius = 10.0;

  /// `data` names a LIBSVM file with at least kRows rows; empty: the generated stand-in.
  Workbench(const std::string& data, Progress& progress);

  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] bool generated() const { return generated_; }
  [[nodiscard]] Progress& progress() { return progress_; }

  [[nodiscard]] Case make_case(const Setting& setting);

 private:
  /// min over X of F/m. Parts are of equal size, so that it does not depend on who holds what.
  double mean_optimum(double mu);
  [[nodiscard]] Problem make_problem(Index nodes, SplitRule split, double mu) const;

  Progress& progress_;
  std::shared_ptr<const Rows> rows_;
  std::string description_;
  bool generated_ = false;
  std::map<double, double> mean_optimum_;
};

/// Steps a new method, looking every `every` steps, until `enough` or its end; a Point for each look.
/// `label` is shown meanwhile. An interrupt is an Error with kind kStopped.
[[nodiscard]] std::vector<Point> follow(Workbench& bench, const std::string& label, Case& c, Method& method,
                                        int every = 1, const std::function<bool(const Point&)>& enough = {});

/// I-PDS with CGS inside to a tolerance. Its step sizes ask for inner steps that grow without bound where mu > 0, far
/// beyond the point where doubles have no digits left to gain: the largest number of outer steps, up to `most_steps`,
/// whose last has at most `most_inner_steps` inner steps.
[[nodiscard]] IpdsOptions affordable_cgs(const Case& c, int most_steps, double tolerance, Count most_inner_steps);

/// The slope of log y over log x by least squares.
[[nodiscard]] double log_log_slope(const std::vector<double>& x, const std::vector<double>& y);

/// One of the paper's tables or figures, recomputed beside the paper's own numbers.
struct Part {
  ReportSection section;
  std::vector<std::string> findings;  ///< for the first screen of the page, and the end of the printout
};

constexpr int kPaperSteps = 100;                  ///< outer steps of table 2 and the figures
constexpr double kPaperBatchScale = 1.0 / 400.0;  ///< their c / L~^2

/// Table 1: how the costs grow with the accuracy.
[[nodiscard]] Part reproduce_table1(Workbench& bench);
/// Table 2: rows evaluated in 100 outer steps.
[[nodiscard]] Part reproduce_table2(Workbench& bench);
/// Table 3: data-oracle calls to one target over four graphs.
[[nodiscard]] Part reproduce_table3(Workbench& bench);
/// The figures: primal gap and linear-oracle calls, mu = 0 and mu = 0.5.
[[nodiscard]] Part reproduce_figures(Workbench& bench);
/// The appendix's table of spectral gaps. Needs no data.
[[nodiscard]] Part reproduce_spectral_gaps(Progress& progress);

}  // namespace slidemesh::app

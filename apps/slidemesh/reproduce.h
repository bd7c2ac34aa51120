#pragma once

#include <string>
#include <vector>

#include "slidemesh/report/report.h"
#include "workbench.h"

namespace slidemesh::app {

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

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "slidemesh/control/control.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/data/feature_map.h"
#include "slidemesh/data/ledger.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/network/network.h"
#include "slidemesh/report/writers.h"
#include "slidemesh/session/config.h"
#include "slidemesh/session/job.h"

namespace slidemesh {

/// Everything that the methods of one config share.
struct Experiment {
  Graph graph;
  Spectrum spectrum;
  std::unique_ptr<Network> network;
  std::optional<Control> control;  ///< of that network, as the config's trace looks at it
  std::unique_ptr<Ledger> ledger;  ///< of every row that the sources of `problem` read
  Problem problem;
  Vector origin;  ///< the set's own point: relative gaps are relative to F there, wherever a run starts
  std::vector<std::shared_ptr<RowSource>> held_out;  ///< of this process's nodes; in no objective
  FeatureMap map;                                    ///< from fields of a row to what the parameters multiply
  Index model_rows = 0;  ///< of the parameters as a matrix: features x outputs, or the matrix that is completed
  Index model_columns = 1;
  double intercept_bound = 0.0;  ///< of a free intercept
  Count rows = 0;                ///< over all nodes
  Index features = 0;
  std::vector<std::string> data_notes;  ///< what was guessed of the data, and what is odd about it
  std::string data_description;         ///< one line for people
  std::string set_description;
  Stacked start_dual;  ///< this process's columns of the multipliers that come with the start; empty: none
};

/// How many rows of a budget over all nodes this process may read.
[[nodiscard]] Count share_of_budget(Count budget, const Network& network);

/// The largest smoothness constant of any node into the problem: a look at every row.
void agree_on_smoothness(const Config& config, Experiment& experiment);

/// Reads the data, deals it to the nodes, builds graph, network and problem. A ledger goes into `out`. `on_rows` is
/// called with how many rows of a file have been read.
[[nodiscard]] Experiment build_experiment(const Config& config, const Job& job, const std::filesystem::path& out = {},
                                          bool resume = false, std::function<void(Count rows)> on_rows = {});

/// Every row that is read, for whatever purpose, against `data.budget` where there is one.
class RowBudget {
 public:
  /// `before`: rows that all processes had read before a resume, as the root knows; where each process has a trace of
  /// its own, that this one had. A resumed run goes on with the budget that it had, not with a new one.
  RowBudget(const Config& config, const Experiment& experiment, Count before);

  /// Of this process's share of the budget, less what judging the model will read.
  [[nodiscard]] Count rows_left() const;
  /// What was read by now, by all that the program does, over the nodes that are measured.
  void count(RunSummary& summary) const;

 private:
  const Experiment& experiment_;
  Count earlier_;    ///< read before a resume, of this process's share
  Count share_ = 0;  ///< of the budget
};

}  // namespace slidemesh

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/report/writers.h"

/// Made-up runs that look like real ones, for tests of what is written about runs.
namespace slidemesh::testing {

struct SampleRun {
  RunSummary summary;
  std::vector<Record> trace;
};

struct SampleShape {
  std::string method = "ipds";
  std::string label = "ipds";
  int steps = 100;
  double rate = 2.0;  ///< the gap falls as step^-rate
  Count rows_each_step = 20000;
  Count rounds_each_step = 20;  ///< times the step, for methods whose inner loops grow
  bool growing_rounds = true;
  Count linear_each_step = 500;
  bool certified = true;
  Index nodes = 10;
  double optimum = 3.365398;
};

inline SampleRun sample_run(const SampleShape& shape) {
  RandomStream random(7, Purpose::kTest, static_cast<std::uint32_t>(shape.label.size()), 0);
  SampleRun run;
  run.summary = {.method = shape.method,
                 .label = shape.label,
                 .status = Status::kFinished,
                 .last = {},
                 .rows = 20000,
                 .objective_at_start = 6.931471805599453,
                 .nodes = {},
                 .control_messages = 12,
                 .control_bytes = 960,
                 .settings = {{"outer_steps", std::to_string(shape.steps)}, {"inner", "bpcg"}},
                 .depends_on = {}};
  const double scale = *run.summary.objective_at_start - shape.optimum;
  MeterTotals meters;
  double bound = -1e300;
  for (int k = 1; k <= shape.steps; ++k) {
    meters.data_oracle_calls += shape.rows_each_step;
    meters.data_oracle_accesses += shape.nodes;
    const Count rounds = shape.rounds_each_step * (shape.growing_rounds ? k : 1);
    meters.communication_rounds += rounds;
    meters.messages += rounds * 2 * 18;
    meters.bytes_sent += rounds * 2 * 18 * 22 * 8;
    meters.linear_oracle_calls += shape.linear_each_step * (shape.growing_rounds ? 1 + k / 10 : 1);
    meters.largest_node_linear_oracle_calls = meters.linear_oracle_calls / shape.nodes + k;
    const double gap = scale * std::pow(k, -shape.rate) * (1.0 + 0.15 * (random.unit() - 0.5));
    bound = std::max(bound, shape.optimum - 2.5 * gap);
    Record record;
    record.step = k;
    record.measures = {.objective_at_average = shape.optimum + gap,
                       .objective_stacked = shape.optimum + 0.9 * gap,
                       .consensus_error = 2.0 * std::pow(k, -1.3) * (1.0 + 0.2 * random.unit()),
                       .relative_disagreement = 0.5 * std::pow(k, -1.3)};
    record.reference_optimum = shape.optimum;
    record.gap_at_average = gap;
    if (shape.certified) {
      record.lower_bound = bound;
      record.certified_gap = shape.optimum + gap - bound;
    }
    if (shape.linear_each_step > 0) {
      record.inner_wolfe_gap = 1e-3 / k;
      record.active_set_size = 3 + k % 5;
    }
    record.meters = meters;
    record.seconds = 1e-9 * static_cast<double>(meters.data_oracle_calls) * 40 +
                     2e-6 * static_cast<double>(meters.communication_rounds);
    run.trace.push_back(record);
  }
  run.summary.last = run.trace.back();
  for (Index i = 0; i < shape.nodes; ++i) {
    const double share = (1.0 + 0.3 * random.unit()) / static_cast<double>(shape.nodes);
    run.summary.nodes.push_back(
        {.data_oracle_calls = meters.data_oracle_calls / shape.nodes,
         .data_oracle_accesses = meters.data_oracle_accesses / shape.nodes,
         .linear_oracle_calls = static_cast<Count>(share * static_cast<double>(meters.linear_oracle_calls)),
         .messages = static_cast<Count>(share * static_cast<double>(meters.messages)),
         .bytes_sent = static_cast<Count>(share * static_cast<double>(meters.bytes_sent))});
  }
  return run;
}

}  // namespace slidemesh::testing

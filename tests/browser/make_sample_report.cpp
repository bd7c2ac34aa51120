// Writes a run directory of made-up runs and its report.html, for the browser tests:
//   make_sample_report DIRECTORY
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/random.h"
#include "slidemesh/report/report.h"
#include "support/sample_runs.h"

namespace slidemesh::testing {
namespace {

constexpr const char* kHostile =
    "</script><script>window.injected = true</script><img src=x onerror=\"window.injected = 1\">";

ReportNetwork sample_network() {
  RandomStream random(3, Purpose::kTest);
  std::vector<Edge> edges;
  constexpr Index kNodes = 10;
  for (Index i = 0; i < kNodes; ++i) {
    for (Index j = i + 1; j < kNodes; ++j) {
      if (j == i + 1 || random.unit() < 0.25) {
        edges.emplace_back(i, j);
      }
    }
  }
  return {.name = "erdos-renyi, p = 0.4",
          .graph = Graph(kNodes, edges),
          .eigenvalues = {0.0, 0.66, 1.3, 2.1, 2.9, 3.4, 4.2, 4.9, 5.8, 7.4}};
}

/// A classifier that was judged: names as long and as hostile as users make them.
void add_classifier(RunSummary& run) {
  run.asked = "certified_gap = 0.001 (relative)";
  run.got = "a certified gap of 9.3e-04 (relative)";
  run.status = Status::kTargetReached;
  run.rows_read = 3'000'000;
  run.rows_read_in_opening = 20'000;
  run.coefficients = CoefficientSummary{22, 1, 7, {}, {}};
  run.coefficients->largest = {{"age", "", 2.0},
                               {"a column whose name goes on and on as those of spreadsheets do", "", -1.0},
                               {kHostile, "", 0.5}};
  ClassificationScores classes;
  classes.rows = 100;
  classes.accuracy = 0.9;
  classes.balanced_accuracy = 0.875;
  classes.auc = 0.96;
  classes.confusion = {{60, 5}, {5, 30}};
  run.scores = {{"held out", {"no", kHostile}, classes, {}}};
}

void add_regression(RunSummary& run) {
  run.asked = "certified_gap = 0.001 (relative)";
  run.got = "a certified gap of 4.2e-02 (relative)";
  run.coefficients = CoefficientSummary{40, 30, 1200, 5, {}};
  run.scores = {{"test.csv", {}, {}, RegressionScores{50, 0.8, 2.5, 2.0, {-6.0, 6.0, {5, 10, 20, 10, 5}}}}};
}

ReportInput sample_input() {
  ReportInput input;
  input.title = "Logistic regression on ijcnn1";
  input.problem = {"20,000 rows of ijcnn1 over 10 nodes, l1 ball of radius 10, no regularization",
                   "loss: logistic, mean over each node's rows", "set: l1-ball, radius 10",
                   "data: libsvm, split contiguous", std::string("note: ") + kHostile};
  const auto add = [&](const SampleShape& shape) {
    SampleRun run = sample_run(shape);
    input.runs.push_back({.summary = std::move(run.summary), .trace = std::move(run.trace)});
  };
  add({});
  add({.method = "ipds-vr", .label = "ipds-vr", .steps = 150, .rate = 2.6, .rows_each_step = 700});
  add({.method = "defw",
       .label = "defw",
       .steps = 1000,
       .rate = 1.02,
       .rounds_each_step = 2,
       .growing_rounds = false,
       .linear_each_step = 10,
       .certified = false});
  add({.method = "dpg",
       .label = "dpg <b>&\"bold\"</b>",
       .steps = 300,
       .rate = 0.6,
       .rounds_each_step = 1,
       .growing_rounds = false,
       .linear_each_step = 0,
       .certified = false});
  add_classifier(input.runs[0].summary);
  add_regression(input.runs[1].summary);
  input.networks = {sample_network()};
  input.configs = {{"config.toml", std::string("seed = 1\n[problem]\nloss = \"logistic\"  # ") + kHostile + "\n"}};
  return input;
}

/// Names that begin with the same words, numbers beside words, and a reason that takes a sentence.
ReportTable wide_table() {
  const std::string why = "the paper counts rows that were evaluated once for two methods, and adds the two counts";
  return {.title = "Rows evaluated in one hundred steps",
          .caption = "",
          .columns = {"Method", "evaluated in 100 steps", "the paper's", "counted as", "ratio", "why it differs"},
          .rows = {{std::string("I-PDS with sampled gradients, convex"), Count{21200}, Count{21200},
                    std::string("rows of one node"), 1.0, std::string("")},
                   {std::string("I-PDS with sampled gradients, strongly convex"), Count{78740}, Count{78740},
                    std::string("rows of one node"), 1.0, why}}};
}

ReportInput sample_tables() {
  ReportInput input;
  input.title = "The paper's tables and figures";
  input.findings = {"I-PDS needs the same 92 passes on all four graphs; DeFW's counts spread by a factor of nine."};
  input.sections = {
      {.title = "Table 3",
       .paragraphs = {"Data-oracle calls to 1 % of F(0) - F* on 100 nodes."},
       .tables = {{.title = "Passes over the data",
                   .caption = "Contiguous split.",
                   .columns = {"Graph", "I-PDS", "paper", "DeFW"},
                   .rows = {{std::string("path"), Count{92}, Count{866}, 3120.5},
                            {std::string("=cmd()"), Count{92}, Count{865}, 341.25}}},
                  wide_table()},
       .charts = {{.title = "Spectral gap",
                   .caption = "Slopes are fitted.",
                   .x_label = "nodes",
                   .y_label = "spectral gap",
                   .log_x = true,
                   .log_y = true,
                   .series = {{.label = "path", .x = {10, 20, 40, 80}, .y = {0.1, 0.024, 0.006, 0.0015}},
                              {.label = "slope -2", .x = {10, 80}, .y = {0.1, 0.0015625}, .dashed = true}}},
                  {.title = "Oracle calls",
                   .caption = "",
                   .x_label = "steps",
                   .y_label = "calls",
                   .log_x = false,
                   .log_y = false,
                   .series = {{.label = "ipds", .x = {1, 2, 3}, .y = {10, 30, 70}, .line = false}}}}}};
  return input;
}

void write_directory(const std::filesystem::path& directory, const ReportInput& input) {
  make_directory(directory);
  std::vector<RunSummary> summaries;
  TraceWriter trace(directory / "trace.jsonl");
  for (const ReportRun& run : input.runs) {
    summaries.push_back(run.summary);
    for (const Record& record : run.trace) {
      trace.append(run.summary.method, run.summary.label, record);
    }
  }
  write_summary(directory / "summary.json", summaries);
  write_context(directory / "context.json", input);
  for (const auto& [name, text] : input.configs) {
    atomic_write(directory / name, text);
  }
}

void write_all(const std::filesystem::path& directory) {
  write_directory(directory, sample_input());
  // Through the files, as `slidemesh report` does.
  write_report(directory / "report.html", load_run_directory(directory));
  write_report(directory / "tables.html", sample_tables());
}

}  // namespace
}  // namespace slidemesh::testing

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: make_sample_report DIRECTORY\n", stderr);
    return 2;
  }
  try {
    slidemesh::testing::write_all(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_sample_report: %s\n", error.what());
    return 1;
  }
  return 0;
}

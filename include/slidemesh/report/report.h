#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "slidemesh/core/graph.h"
#include "slidemesh/core/record.h"
#include "slidemesh/report/writers.h"

/// report.html: one page that needs no network, from one or more runs or from tables and charts.

namespace slidemesh {

/// One method's run: how it ended and, step by step, how it got there.
struct ReportRun {
  RunSummary summary;
  std::vector<Record> trace;
};

/// A graph to draw. The eigenvalues of its Laplacian ascend; empty if they were not computed.
struct ReportNetwork {
  std::string name;  ///< "erdos-renyi, p = 0.4"
  Graph graph;
  std::vector<double> eigenvalues;
};

/// What stands in a table: a number is formatted by the page and kept exact in its CSV.
using Cell = std::variant<std::string, double, Count>;

struct ReportTable {
  std::string title = {};
  std::string caption = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<Cell>> rows = {};  ///< each as long as `columns`
};

struct ReportSeries {
  std::string label = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  bool line = true;     ///< joined points, or points alone
  bool dashed = false;  ///< a reference: a fitted slope, the paper's figure
};

struct ReportChart {
  std::string title = {};
  std::string caption = {};
  std::string x_label = {};
  std::string y_label = {};
  bool log_x = false;
  bool log_y = true;
  std::vector<ReportSeries> series = {};
};

/// A part of the page with a story of its own, such as one of the paper's tables beside ours.
struct ReportSection {
  std::string title = {};
  std::vector<std::string> paragraphs = {};
  std::vector<ReportTable> tables = {};
  std::vector<ReportChart> charts = {};
};

struct ReportInput {
  std::string title;
  std::string name;                   ///< short, to tell the parts of a merged page apart; a directory's name
  std::vector<std::string> findings;  ///< sentences for the first screen, before those made from the runs
  std::vector<std::string> problem;   ///< what was solved, a line each; the first is the page's subtitle
  std::vector<ReportRun> runs;
  std::vector<ReportNetwork> networks;
  std::vector<ReportSection> sections;
  std::vector<std::pair<std::string, std::string>> configs;  ///< (name, text) as run
};

/// What the first screen says of a run: `label` + " " + `text`.
struct Headline {
  std::string label;
  std::string text;
};

/// One sentence per run: how far it got, for how many data-oracle calls, and where it is the cheaper of two,
/// how much cheaper at an accuracy that both reached.
[[nodiscard]] std::vector<Headline> headlines(std::span<const ReportRun> runs);

/// What was asked and whether it was reached, and what models do on rows that they were not trained on: the first
/// sentences of the page.
[[nodiscard]] std::vector<std::string> answers(std::span<const ReportRun> runs);

/// The whole page. All text in `input` is shown as text, whatever is in it.
[[nodiscard]] std::string report_page(const ReportInput& input);
/// Puts report_page(input) at `out`, atomically.
void write_report(const std::filesystem::path& out, const ReportInput& input);

/// context.json: what the other files of a directory do not have, the title, the problem's description
/// and the networks, so that `load_run_directory` can make the same page again.
void write_context(const std::filesystem::path& path, const ReportInput& input);

/// Reads summary.json, and trace.jsonl, context.json and config.toml where they exist.
[[nodiscard]] ReportInput load_run_directory(const std::filesystem::path& directory);

/// One page of many runs. Labels that clash get their input's name in front, and a number if need be.
[[nodiscard]] ReportInput merge_reports(std::span<const ReportInput> inputs);

}  // namespace slidemesh

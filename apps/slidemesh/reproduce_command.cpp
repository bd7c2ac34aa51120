#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "commands.h"
#include "interrupt.h"
#include "mpi_job.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/session/output_directory.h"
#include "text_table.h"
#include "workbench.h"

namespace slidemesh::app {

namespace {

struct ReproduceArguments {
  std::string what = "all";
  std::string data;
  std::string out;
  bool overwrite = false;
  bool quiet = false;
  bool json = false;

  [[nodiscard]] bool is_silent() const { return quiet || json; }
};

struct NamedPart {
  const char* name;
  Part (*make)(Workbench& bench);
};

constexpr std::array<NamedPart, 5> kParts{
    {{"table1", reproduce_table1},
     {"table2", reproduce_table2},
     {"table3", reproduce_table3},
     {"figures", reproduce_figures},
     {"spectral-gaps", [](Workbench& bench) { return reproduce_spectral_gaps(bench.progress()); }}}};

std::string cell_text(const Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr ? fmt::format("{:.4g}", *number)
                           : std::visit([](const auto& value) { return fmt::format("{}", value); }, cell);
}

void print_table(const ReportTable& table) {
  TextTable text(table.columns, table.columns.size());
  for (const auto& row : table.rows) {
    std::vector<std::string> line;
    std::transform(row.begin(), row.end(), std::back_inserter(line), cell_text);
    text.add(std::move(line));
  }
  fmt::print("{}\n{}", table.title, text.text(terminal_width(STDOUT_FILENO)));
}

nlohmann::json to_json(const ReportTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& row : table.rows) {
    nlohmann::json cells = nlohmann::json::array();
    for (const Cell& cell : row) {
      std::visit([&](const auto& value) { cells.push_back(value); }, cell);
    }
    rows.push_back(std::move(cells));
  }
  return {{"title", table.title}, {"columns", table.columns}, {"rows", std::move(rows)}};
}

/// Recomputes the parts that were asked for, prints them and writes report.html and tables.json.
class Reproduction {
 public:
  explicit Reproduction(const ReproduceArguments& arguments)
      : arguments_(arguments), progress_(arguments.is_silent()) {}

  ExitCode run() {
    require<UsageError>(mpi_job() == nullptr, "reproduce", "to run in one process", "an MPI job");
    const auto began = std::chrono::steady_clock::now();
    const auto out = prepare_output_directory(arguments_.out, "reproduce", arguments_.overwrite);
    catch_interrupts();
    Workbench bench(arguments_.data, progress_);
    progress_.say(fmt::format("data: {}", bench.description()));
    if (bench.generated()) {
      progress_.say("give --data ijcnn1.xz for the paper's own data");
    }
    page_.problem = {fmt::format("logistic regression in an l1 ball of radius {:g}, on {}", Workbench::kRadius,
                                 bench.description())};
    for (const NamedPart& part : kParts) {
      if (arguments_.what == "all" || arguments_.what == part.name) {
        take(part.name, part.make(bench));
      }
    }
    progress_.end();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    write(out, bench);
    if (arguments_.json) {
      fmt::print("{}", read_text(out / "tables.json"));
      return ExitCode::kOk;
    }
    fmt::print("{}\nin {:.0f} seconds; page {}\n", fmt::join(page_.findings, "\n"), taken.count(),
               (out / "report.html").string());
    return ExitCode::kOk;
  }

 private:
  void take(const std::string& name, Part part) {
    progress_.end();
    for (const ReportTable& table : part.section.tables) {
      nlohmann::json json = to_json(table);
      json["part"] = name;
      tables_.push_back(std::move(json));
      if (!arguments_.is_silent()) {
        print_table(table);
        fmt::print("\n");
      }
    }
    page_.findings.insert(page_.findings.end(), part.findings.begin(), part.findings.end());
    page_.sections.push_back(std::move(part.section));
  }

  void write(const std::filesystem::path& out, const Workbench& bench) {
    page_.name = "reproduce";
    page_.title = "The paper's experiments, recomputed";
    const nlohmann::json all = {{"schema", 1},
                                {"data", bench.description()},
                                {"generated", bench.generated()},
                                {"findings", page_.findings},
                                {"tables", tables_}};
    atomic_write(out / "tables.json", all.dump(1) + "\n");
    write_report(out / "report.html", page_);
  }

  const ReproduceArguments& arguments_;
  Progress progress_;
  ReportInput page_;
  nlohmann::json tables_ = nlohmann::json::array();
};

ExitCode reproduce(const ReproduceArguments& arguments) { return Reproduction(arguments).run(); }

}  // namespace

void add_reproduce_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command(
      app, "reproduce", "The paper's tables and figures, recomputed beside the paper's own numbers", action, reproduce);
  std::vector<std::string> choices = names_of(kParts);
  choices.emplace_back("all");
  command->add_option("WHAT", arguments->what, "table1, table2, table3, figures, spectral-gaps or all")
      ->check(CLI::IsMember(choices));
  command->add_option("--data", arguments->data,
                      "ijcnn1 as a LIBSVM file, plain or packed; without it, generated data");
  command->add_option("--out", arguments->out, "Where the page goes; without it a new directory under runs/");
  command->add_flag("--overwrite", arguments->overwrite, "Replace the results of an earlier run in --out");
  command->add_flag("--quiet", arguments->quiet, "Print nothing but what was found");
  command->add_flag("--json", arguments->json, "Print tables.json instead, and nothing else");
  command->footer(
      "Examples:\n  slidemesh reproduce spectral-gaps\n  slidemesh reproduce all --data ijcnn1.xz --out runs/paper");
}

}  // namespace slidemesh::app

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "slidemesh/report/report.h"

namespace slidemesh::app {

namespace {

struct ReportArguments {
  std::vector<std::string> directories;
  std::string out = "report.html";
  std::string title;
  bool json = false;
};

ExitCode make_report(const ReportArguments& arguments) {
  std::vector<ReportInput> inputs;
  for (const std::string& directory : arguments.directories) {
    inputs.push_back(load_run_directory(directory));
  }
  ReportInput page = inputs.size() == 1 ? inputs.front() : merge_reports(inputs);
  if (!arguments.title.empty()) {
    page.title = arguments.title;
  }
  write_report(arguments.out, page);
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"runs", page.runs.size()}, {"page", arguments.out}}).dump());
  } else {
    fmt::print("{} runs in {}\n", page.runs.size(), arguments.out);
  }
  return ExitCode::kOk;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command(
      app, "report", "One self-contained HTML page from the results of one or more runs", action, make_report);
  command->add_option("DIR", arguments->directories, "Directories that slidemesh run wrote")->required();
  command->add_option("--out", arguments->out, "The page")->capture_default_str();
  command->add_option("--title", arguments->title, "Its title");
  command->add_flag("--json", arguments->json, "JSON instead of words");
  command->footer("Example:\n  slidemesh report runs/path runs/ring --out compare.html");
}

}  // namespace slidemesh::app

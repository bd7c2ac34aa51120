#include <algorithm>
#include <map>
#include <set>

#include "json_fields.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/report/report.h"

namespace slidemesh {

using report_json::Field;

namespace {

constexpr Count kLargestGraph = 10'000'000;

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

ReportNetwork read_network(const Field& object) {
  ReportNetwork network;
  network.name = object.at("name").text();
  const Count nodes = object.at("nodes").count();
  object.at("nodes").require(nodes <= kLargestGraph, "at most " + std::to_string(kLargestGraph) + " nodes");
  const Field list = object.at("edges");
  const auto edges = list.each([](const Field& edge) {
    edge.require(edge.size() == 2, "two nodes");
    return Edge(edge.at(std::size_t{0}).count(), edge.at(std::size_t{1}).count());
  });
  try {
    network.graph = Graph(nodes, edges);
  } catch (const UsageError& error) {
    list.fail(std::string("the edges of a graph (") + error.what() + ")");
  }
  network.eigenvalues = object.at("eigenvalues").each(&Field::finite_number);
  return network;
}

void read_context(const std::filesystem::path& path, ReportInput& input) {
  const Json document = report_json::read_document(path);
  const Field root(document, path.string() + ":");
  input.title = root.at("title").text();
  input.problem = root.at("problem").each(&Field::text);
  input.networks = root.at("networks").each(read_network);
}

void attach_trace(const std::filesystem::path& path, ReportInput& input) {
  std::map<std::string, ReportRun*> run_of;
  for (ReportRun& run : input.runs) {
    run_of.emplace(run.summary.label, &run);
  }
  for (const TraceLine& line : read_trace(path)) {
    const auto found = run_of.find(line.label);
    if (found != run_of.end()) {
      found->second->trace.push_back(line.record);
    }
  }
}

std::string directory_name(const std::filesystem::path& directory) {
  std::error_code ignored;
  const auto whole = std::filesystem::absolute(directory, ignored).lexically_normal();
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

bool same_network(const ReportNetwork& a, const ReportNetwork& b) {
  return a.graph.nodes() == b.graph.nodes() && a.graph.edge_list() == b.graph.edge_list();
}

}  // namespace

void to_json(Json& object, const ReportNetwork& network) {
  object = {{"name", network.name},
            {"nodes", network.graph.nodes()},
            {"edges", network.graph.edge_list()},
            {"eigenvalues", network.eigenvalues}};
}

void write_context(const std::filesystem::path& path, const ReportInput& input) {
  const Json document = {
      {"schema", kSchema}, {"title", input.title}, {"problem", input.problem}, {"networks", input.networks}};
  atomic_write(path, report_json::dump(document) + "\n");
}

ReportInput load_run_directory(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::exists(directory / "summary.json", error)) {
    fail<UsageError>(directory.string(), "a run's directory with a summary.json", error ? error.message() : "none");
  }
  ReportInput input;
  for (RunSummary& summary : read_summary(directory / "summary.json")) {
    input.runs.push_back({.summary = std::move(summary), .trace = {}});
  }
  if (is_there(directory / "trace.jsonl")) {
    attach_trace(directory / "trace.jsonl", input);
  }
  if (is_there(directory / "context.json")) {
    read_context(directory / "context.json", input);
  }
  if (is_there(directory / "config.toml")) {
    input.configs.emplace_back("config.toml", read_text(directory / "config.toml"));
  }
  input.name = directory_name(directory);
  if (input.title.empty()) {
    input.title = input.name;
  }
  return input;
}

ReportInput merge_reports(std::span<const ReportInput> inputs) {
  if (inputs.size() == 1) {
    return inputs.front();
  }
  std::map<std::string, int> uses;
  for (const ReportInput& input : inputs) {
    for (const ReportRun& run : input.runs) {
      ++uses[run.summary.label];
    }
  }
  ReportInput merged;
  std::set<std::string> taken;
  for (const ReportInput& input : inputs) {
    const std::string& name = input.name.empty() ? input.title : input.name;
    merged.title += (merged.title.empty() ? "" : ", ") + name;
    merged.findings.insert(merged.findings.end(), input.findings.begin(), input.findings.end());
    for (const std::string& line : input.problem) {
      if (std::find(merged.problem.begin(), merged.problem.end(), line) == merged.problem.end()) {
        merged.problem.push_back(line);
      }
    }
    for (ReportRun run : input.runs) {
      std::string& label = run.summary.label;
      if (uses[label] > 1) {
        label.insert(0, name + "/");
      }
      const std::string base = label;
      for (int number = 2; !taken.insert(label).second; ++number) {
        label = base + " (" + std::to_string(number) + ")";
      }
      merged.runs.push_back(std::move(run));
    }
    for (const ReportNetwork& network : input.networks) {
      if (std::none_of(merged.networks.begin(), merged.networks.end(),
                       [&](const ReportNetwork& other) { return same_network(network, other); })) {
        merged.networks.push_back(network);
      }
    }
    merged.sections.insert(merged.sections.end(), input.sections.begin(), input.sections.end());
    for (const auto& [file, text] : input.configs) {
      merged.configs.emplace_back(name + "/" + file, text);
    }
  }
  return merged;
}

}  // namespace slidemesh

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "commands.h"
#include "data_config.h"
#include "methods.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/sets/registry.h"

namespace slidemesh::app {

namespace {

struct Line {
  std::string name;
  std::string description;
};

template <class Kinds>
std::vector<Line> lines(const Kinds& kinds) {
  std::vector<Line> out;
  out.reserve(kinds.size());
  for (const auto& kind : kinds) {
    out.push_back({kind.name, kind.description});
  }
  return out;
}

std::vector<Line> listing(const std::string& what) {
  if (what == "methods") {
    return lines(method_kinds());
  }
  if (what == "losses") {
    return lines(loss_kinds());
  }
  if (what == "graphs") {
    return lines(graph_kinds());
  }
  if (what == "sources") {
    return lines(source_kinds());
  }
  std::vector<Line> out;
  for (const SetKind& kind : set_kinds()) {
    out.push_back({kind.name, kind.description});
    for (const SetKey& key : kind.keys) {
      const std::string fallback = key.default_text.empty() ? "needed" : "default " + key.default_text;
      out.push_back({"  " + key.name, fmt::format("  {}; {} ({})", to_string(key.type), key.meaning, fallback)});
    }
  }
  return out;
}

}  // namespace

void add_list_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("list", "What can be named in a config");
  auto what = std::make_shared<std::string>();
  command->add_option("WHAT", *what, "methods, sets, losses, graphs or sources")
      ->required()
      ->check(CLI::IsMember({"methods", "sets", "losses", "graphs", "sources"}));
  command->callback([what, &action] {
    action = [what] {
      const auto out = listing(*what);
      std::size_t width = 0;
      for (const Line& line : out) {
        width = std::max(width, line.name.size());
      }
      for (const Line& line : out) {
        fmt::print("{:<{}}  {}\n", line.name, width, line.description);
      }
      return ExitCode::kOk;
    };
  });
}

}  // namespace slidemesh::app

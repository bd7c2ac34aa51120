#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/data/load/sources.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/session/config.h"
#include "slidemesh/sets/registry.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

constexpr const char* kIntro = R"(# The config file

<!-- Written by `slidemesh list keys --markdown`; a test compares. Change the tables of keys in the sources instead. -->

A run is one TOML file. Everything has a default: an empty file trains a sparse classifier on generated data
over ten nodes with `{}`.

Unknown keys are errors, and the nearest known key is suggested. `--set key=value` changes a key from the command line:
`--set problem.mu=0.5`, `--set method.inner=cgs` (every method), `--set method.0.R=0.1` (the first). Relative paths start where the
config file is. The config as run is written beside the results as `config.toml`, with absolute paths, so that it runs again
from where it lies.
)";

constexpr const char* kOutput = R"(
## What a run writes

`--out DIR` (by default a new directory under `runs/`) receives

- `summary.json`: one object per method with its status, objective values, gaps and meters, and all that the run depends on;
- `trace.jsonl`: the same, one line for each recorded step;
- `model.json`: the parameters `x̄` and all that new rows need in order to be predicted: [models.md](models.md); with them the multipliers of consensus (`dual`)
  where the method has them and they are no more than a million numbers, so that a run that starts from it on the same problem is done at once;
- `coefficients.csv`: every coefficient by name, as trained and in the units of the data;
- `config.toml`: the config as run; `context.json`: what `slidemesh report` needs to draw the page again;
- `report.html`: one page with everything, that works offline.

Status is one of `target_reached`, `finished` (ran its length), `time_limit`, `interrupted`, `budget_reached`, `reference_uncertain`
(a `target_gap` seems reached, but `F*` is not known well enough to claim it), `empty_intersection` (the nodes' sets have no
common point, by a proof), `peer_lost`, `failed`.
)";

/// `|` would end a cell.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  }
  return out;
}

std::string key_table(const std::vector<KeyDoc>& keys) {
  std::string out = "\n| key | takes | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const KeyDoc& key : keys) {
    const std::string whom = key.only_for.empty() ? "" : fmt::format("{}: ", key.only_for);
    out += fmt::format("| `{}` | {} | {} | {}{} |\n", key.name, cell(key.values), cell(key.default_text), cell(whom),
                       cell(key.meaning));
  }
  return out;
}

std::string section(const SectionDoc& doc) {
  std::string title = "Top level";
  if (doc.name == "method") {
    title = "`[[method]]`, one or more";
  } else if (doc.name == "node") {
    title = "`[[node]]`, any number";
  } else if (!doc.name.empty()) {
    title = fmt::format("`[{}]`", doc.name);
  }
  return fmt::format("\n## {}\n{}{}", title, doc.intro.empty() ? "" : "\n" + doc.intro + "\n", key_table(doc.keys));
}

std::string method_section(const MethodKind& kind) {
  return fmt::format("\n### `{}`\n\n{}.\n{}", kind.name, kind.description,
                     kind.keys.empty() ? "\nNo keys of its own.\n" : key_table(kind.keys));
}

std::string exit_code_table() {
  const auto row = [](const ExitCodeDoc& doc) {
    return fmt::format("| {} | {} | {} |\n", static_cast<int>(doc.code), cell(doc.meaning), cell(doc.what_to_do));
  };
  return "\n## Exit codes\n\nScripts may rely on them. An error is one line on stderr that says where, what was "
         "expected and what was found.\n\n| code | meaning | what to do |\n| --- | --- | --- |\n" +
         text::joined(exit_codes(), "", row);
}

/// docs/config.md, made from the tables of keys that configs are read with. A test compares it with the file.
std::string config_page() {
  return fmt::format(fmt::runtime(kIntro), method_kinds().front().name) + text::joined(config_sections(), "", section) +
         text::joined(method_kinds(), "", method_section) + kOutput + exit_code_table();
}

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

std::vector<Line> set_lines() {
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

void add_keys(const std::string& title, const std::string& about, const std::vector<KeyDoc>& keys,
              std::vector<Line>& out) {
  out.push_back({title, about});
  for (const KeyDoc& key : keys) {
    out.push_back({"  " + key.name,
                   fmt::format("  {}{}; {}{}", key.only_for.empty() ? "" : key.only_for + ": ", key.values, key.meaning,
                               key.default_text.empty() ? "" : " (default " + key.default_text + ")")});
  }
}

/// Every key of every section and of every method.
std::vector<Line> key_lines() {
  std::vector<Line> out;
  for (const SectionDoc& section : config_sections()) {
    add_keys(section.name.empty() ? "top level" : "[" + section.name + "]", "", section.keys, out);
  }
  for (const MethodKind& kind : method_kinds()) {
    add_keys(kind.name, kind.description, kind.keys, out);
  }
  return out;
}

struct Listing {
  const char* name;
  std::vector<Line> (*lines)();
};
constexpr std::array<Listing, 6> kListings{{{"methods", [] { return lines(method_kinds()); }},
                                            {"sets", set_lines},
                                            {"losses", [] { return lines(loss_kinds()); }},
                                            {"graphs", [] { return lines(graph_kinds()); }},
                                            {"sources", [] { return lines(data_sources()); }},
                                            {"keys", key_lines}}};

void print(const std::vector<Line>& lines) {
  std::size_t width = 0;
  for (const Line& line : lines) {
    width = std::max(width, line.name.size());
  }
  for (const Line& line : lines) {
    const std::size_t indent = width + 2;
    // Where names leave no room beside them, descriptions are below.
    const std::size_t least = 24;
    const bool below = terminal_width(STDOUT_FILENO) < indent + least;
    const std::string text = wrapped(line.description, below ? 4 : indent, terminal_width(STDOUT_FILENO));
    fmt::print("{:<{}}{}{}\n", line.name, below ? 0 : width, below ? "\n    " : "  ", text);
  }
}

void print_json(const std::vector<Line>& lines) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    const auto trimmed = [](const std::string& text) {
      return text.substr(std::min(text.find_first_not_of(' '), text.size()));
    };
    nlohmann::ordered_json entry = {{"name", trimmed(line.name)}, {"description", trimmed(line.description)}};
    if (line.name.starts_with(' ') && !all.empty()) {
      all.back()["keys"].push_back(entry);
    } else {
      all.push_back(entry);
    }
  }
  fmt::print("{}\n", all.dump());
}

struct ListArguments {
  std::string what;
  bool markdown = false;
  bool json = false;
};

ExitCode list(const ListArguments& arguments) {
  require<UsageError>(!arguments.markdown || arguments.what == "keys", "--markdown", "to be asked for keys",
                      arguments.what);
  const auto listing = std::ranges::find(kListings, arguments.what, &Listing::name)->lines;
  if (arguments.markdown) {
    fmt::print("{}", config_page());
  } else if (arguments.json) {
    print_json(listing());
  } else {
    print(listing());
  }
  return ExitCode::kOk;
}

}  // namespace

void add_list_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command(app, "list", "What can be named in a config", action, list);
  command->add_option("WHAT", arguments->what, "methods, sets, losses, graphs, sources or keys")
      ->required()
      ->check(CLI::IsMember(names_of(kListings)));
  command->add_flag("--markdown", arguments->markdown, "Of keys: the page docs/config.md");
  command->add_flag("--json", arguments->json, "JSON instead of words");
}

}  // namespace slidemesh::app

#include "config_page.h"

#include <fmt/format.h>

#include "slidemesh/session/config.h"

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

}  // namespace

std::string config_page() {
  std::string page = fmt::format(fmt::runtime(kIntro), method_kinds().front().name);
  for (const SectionDoc& doc : config_sections()) {
    page += section(doc);
  }
  for (const MethodKind& kind : method_kinds()) {
    page += method_section(kind);
  }
  return page + kOutput;
}

}  // namespace slidemesh::app

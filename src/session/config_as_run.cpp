// A config as text again: with the paths that it names, and as the problem that it states.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "slidemesh/data/load/sources.h"
#include "slidemesh/session/config.h"

namespace slidemesh {
namespace {

bool is_path(const std::string& key) {
  constexpr std::array<std::string_view, 6> kPaths{"data.path", "data.labels",  "data.scratch",
                                                   "data.test", "network.path", "problem.start"};
  return std::find(kPaths.begin(), kPaths.end(), key) != kPaths.end() || key.ends_with(".file");  // of a set
}

/// data.test of a database is no file.
bool names_a_table(const Config& config, const std::string& key) {
  return key == "data.test" && source_of(config.data.spec.source).is_database;
}

/// Calls visit(dotted key, text) for every path below `value`; a list's elements have numbers for keys.
template <class V, class Visit>
void for_each_path(V& value, const std::string& key, Visit&& visit) {
  if (auto* table = value.template as<Value::Table>()) {
    for (auto& [name, member] : *table) {
      for_each_path(member, key.empty() ? name : key + "." + name, visit);
    }
  } else if (auto* list = value.template as<Value::List>()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      for_each_path((*list)[i], fmt::format("{}.{}", key, i), visit);
    }
  } else if (auto* text = value.template as<std::string>(); text != nullptr && is_path(key)) {
    visit(key, *text);
  }
}

}  // namespace

std::string as_run(const Config& config) {
  Value root{config.tree};
  const auto base = std::filesystem::path(config.file).parent_path();
  for_each_path(root, "", [&](const std::string& key, std::string& text) {
    if (names_a_table(config, key)) {
      return;
    }
    text = std::filesystem::absolute(base / text).lexically_normal().string();
  });
  return to_toml_document(*root.as<Value::Table>());
}

std::vector<std::pair<std::string, std::filesystem::path>> named_files(const Config& config) {
  std::vector<std::pair<std::string, std::filesystem::path>> files;
  const Value root{config.tree};
  const auto base = std::filesystem::path(config.file).parent_path();
  for_each_path(root, "", [&](const std::string& key, const std::string& text) {
    if (key != "data.path" && key != "data.scratch" && !names_a_table(config, key)) {
      files.emplace_back(key, base / text);
    }
  });
  return files;
}

std::string problem_text(const Config& config) {
  Value::Table about;
  for (const char* section : {"problem", "node"}) {
    if (const auto found = config.tree.find(std::string_view(section)); found != config.tree.end()) {
      about.insert(*found);
    }
  }
  if (auto* problem = about["problem"].as<Value::Table>()) {
    problem->erase("start");
    problem->erase("start_label");
  }
  Value root{std::move(about)};
  for_each_path(root, "", [](const std::string&, std::string& text) { text.clear(); });
  return to_toml(root);
}

}  // namespace slidemesh

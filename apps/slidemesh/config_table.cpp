#include "config_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "slidemesh/base/nearest_word.h"

namespace slidemesh::app {

std::string alternatives(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return words.empty() ? "nothing" : words.front();
  }
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::string describe(const toml::node& node) {
  if (const auto* s = node.as_string()) {
    return fmt::format("the string \"{}\"", s->get());
  }
  if (const auto* i = node.as_integer()) {
    return fmt::format("{}", i->get());
  }
  if (const auto* f = node.as_floating_point()) {
    return fmt::format("{}", f->get());
  }
  if (const auto* b = node.as_boolean()) {
    return b->get() ? "true" : "false";
  }
  if (node.is_table()) {
    return "a table";
  }
  if (node.is_array()) {
    return "an array";
  }
  return "a date or time";
}

ConfigTable::ConfigTable(const toml::table& table, std::string section, std::string file)
    : table_(table), section_(std::move(section)), file_(std::move(file)) {}

std::string ConfigTable::path(const std::string& key) const { return section_.empty() ? key : section_ + "." + key; }

std::string ConfigTable::place(const toml::source_region& source) const {
  const auto line = source.begin.line;
  return line > 0 ? fmt::format("{}:{}: ", file_, line) : fmt::format("{}: ", file_);
}

void ConfigTable::fail_at(const toml::node* node, const std::string& key, const std::string& expected,
                          const std::string& got) const {
  throw UsageError(fmt::format("{}{}: expected {}, got {}", place((node != nullptr ? *node : table_).source()),
                               path(key), expected, got));
}

void ConfigTable::fail(const std::string& key, const std::string& expected, const std::string& got) const {
  fail_at(table_.get(key), key, expected, got);
}

const toml::node* ConfigTable::node(const std::string& key) {
  known_.push_back(key);
  return table_.get(key);
}

std::optional<double> ConfigTable::number(const std::string& key, const char* expected, NumberCheck valid) {
  const toml::node* n = node(key);
  if (n == nullptr) {
    return std::nullopt;
  }
  const std::optional<double> value = n->is_number() ? n->value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || !valid(*value)) {
    fail_at(n, key, expected, describe(*n));
  }
  return value;
}

std::optional<Count> ConfigTable::integer(const std::string& key, Count least, Count most) {
  const toml::node* n = node(key);
  if (n == nullptr) {
    return std::nullopt;
  }
  const auto* value = n->as_integer();
  if (value == nullptr || value->get() < least || value->get() > most) {
    fail_at(n, key, fmt::format("a whole number from {} to {}", least, most), describe(*n));
  }
  return value->get();
}

std::optional<bool> ConfigTable::boolean(const std::string& key) {
  const toml::node* n = node(key);
  if (n == nullptr) {
    return std::nullopt;
  }
  if (!n->is_boolean()) {
    fail_at(n, key, "true or false", describe(*n));
  }
  return n->value<bool>();
}

std::optional<std::string> ConfigTable::text(const std::string& key) {
  const toml::node* n = node(key);
  if (n == nullptr) {
    return std::nullopt;
  }
  if (!n->is_string()) {
    fail_at(n, key, "a string", describe(*n));
  }
  return n->value<std::string>();
}

std::optional<std::string> ConfigTable::choice(const std::string& key, const std::vector<std::string>& choices) {
  auto value = text(key);
  if (value && std::find(choices.begin(), choices.end(), *value) == choices.end()) {
    const std::string near = nearest_word(*value, choices);
    fail(key, near.empty() ? alternatives(choices) : fmt::format("{} (did you mean {}?)", alternatives(choices), near),
         fmt::format("\"{}\"", *value));
  }
  return value;
}

std::optional<ConfigTable> ConfigTable::table(const std::string& key) {
  const toml::node* n = node(key);
  if (n == nullptr) {
    return std::nullopt;
  }
  if (!n->is_table()) {
    fail_at(n, key, "a table", describe(*n));
  }
  return ConfigTable(*n->as_table(), path(key), file_);
}

std::vector<ConfigTable> ConfigTable::tables(const std::string& key) {
  const toml::node* n = node(key);
  std::vector<ConfigTable> out;
  if (n == nullptr) {
    return out;
  }
  if (const toml::table* one = n->as_table()) {  // [method] for a single one is just as clear
    out.emplace_back(*one, path(key), file_);
    return out;
  }
  const toml::array* array = n->as_array();
  if (array == nullptr || !array->is_homogeneous<toml::table>()) {
    fail_at(n, key, fmt::format("tables, as [[{}]]", path(key)), describe(*n));
  }
  for (const toml::node& element : *array) {
    out.emplace_back(*element.as_table(), path(key), file_);
  }
  return out;
}

std::vector<std::string> ConfigTable::keys() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : table_) {
    out.emplace_back(key.str());
  }
  return out;
}

void ConfigTable::finish() const {
  for (const auto& [key, value] : table_) {
    const std::string name(key.str());
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) {
      continue;
    }
    const std::string near = nearest_word(name, known_);
    throw UsageError(fmt::format("{}expected a known key{}{}, got \"{}\"", place(key.source()),
                                 section_.empty() ? "" : " of [" + section_ + "]",
                                 near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near), path(name)));
  }
}

}  // namespace slidemesh::app

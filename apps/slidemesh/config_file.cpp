#include "config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "overrides.h"
#include "slidemesh/base/errors.h"

namespace slidemesh::app {

namespace {

Value to_value(const toml::node& node) {
  Value out;
  out.line = static_cast<int>(node.source().begin.line);
  if (const toml::table* table = node.as_table()) {
    Value::Table members;
    for (const auto& [key, member] : *table) {
      members.emplace(std::string(key.str()), to_value(member));
    }
    out.held = std::move(members);
  } else if (const toml::array* array = node.as_array()) {
    Value::List elements;
    for (const toml::node& element : *array) {
      elements.push_back(to_value(element));
    }
    out.held = std::move(elements);
  } else if (const auto* text = node.as_string()) {
    out.held = text->get();
  } else if (const auto* whole = node.as_integer()) {
    out.held = whole->get();
  } else if (const auto* number = node.as_floating_point()) {
    out.held = number->get();
  } else if (const auto* yes = node.as_boolean()) {
    out.held = yes->get();
  } else {
    out.held = Value::Other{"a date or time"};
  }
  return out;
}

}  // namespace

Config parse_config(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  toml::table root;
  try {
    root = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw UsageError(fmt::format("{}:{}: expected TOML, got: {}", name, error.source().begin.line, what));
  }
  for (const std::string& assignment : overrides) {
    apply_override(root, assignment);
  }
  return make_config(*to_value(root).as<Value::Table>(), name);
}

Config read_config(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (std::filesystem::is_directory(path) || !file || !(text << file.rdbuf())) {
    throw UsageError(fmt::format("{}: expected a readable config file, got none", path.string()));
  }
  return parse_config(text.str(), path.string(), overrides);
}

}  // namespace slidemesh::app

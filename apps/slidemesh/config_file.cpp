#include "config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "overrides.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/load/sources.h"

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

toml::table parse_toml(const std::string& text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw UsageError(fmt::format("{}:{}: expected TOML, got: {}", name, error.source().begin.line, what));
  }
}

std::string read_whole(const std::filesystem::path& path) {
  constexpr std::size_t kLargestConfig = std::size_t{1} << 26U;
  std::error_code ignored;
  const bool is_directory = std::filesystem::is_directory(path, ignored);
  if (is_directory || ::access(path.c_str(), R_OK) != 0) {
    fail<UsageError>(path.string(), "a config file that can be read",
                     is_directory ? "a directory" : std::generic_category().message(errno));
  }
  return read_text(path, kLargestConfig);
}

}  // namespace

Value::Table parse_tree(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  toml::table root = parse_toml(text, name);
  for (const std::string& assignment : overrides) {
    apply_override(root, assignment);
  }
  return *to_value(root).as<Value::Table>();
}

Config parse_config(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  return make_config(parse_tree(text, name, overrides), name);
}

Value::Table read_tree(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  return parse_tree(read_whole(path), path.string(), overrides);
}

Config read_config(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  return make_config(read_tree(path, overrides), path.string());
}

DataSpec read_new_data(const std::string& data, const std::vector<std::string>& overrides, const Model& model) {
  const bool is_config = data.ends_with(".toml");
  toml::table root = is_config ? parse_toml(read_whole(data), data) : toml::table{};
  if (!root.contains("data")) {
    root.insert("data", toml::table{});
  }
  toml::table* keys = root.get("data")->as_table();
  if (keys == nullptr) {
    throw UsageError(fmt::format("{}: data: expected a table, got something else", data));
  }
  const auto& sources = data_sources();
  const bool is_source = std::any_of(sources.begin(), sources.end(), [&](const auto& s) { return s.name == data; });
  if (!is_config) {
    keys->insert(is_source ? "source" : "path", data);
  }
  for (const std::string& assignment : overrides) {
    apply_override(root, assignment.starts_with("data.") ? assignment : "data." + assignment);
  }
  return make_new_data(*to_value(*keys).as<Value::Table>(), model.loss, *model.map, is_config ? data : "command line");
}

}  // namespace slidemesh::app

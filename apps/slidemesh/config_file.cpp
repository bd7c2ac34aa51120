#include "config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <vector>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/load/sources.h"

namespace slidemesh::app {

namespace {

[[noreturn]] void reject(const std::string& assignment, const std::string& expected) {
  fail<UsageError>("--set", expected, fmt::format("\"{}\"", assignment));
}

std::vector<std::string> split_key(const std::string& key, const std::string& assignment) {
  std::vector<std::string> parts{""};
  for (const char c : key) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); })) {
    reject(assignment, "a dotted key, as in problem.mu=0.5");
  }
  return parts;
}

toml::table parse_value(const std::string& value, const std::string& assignment) {
  try {
    return toml::parse("value = " + value);
  } catch (const toml::parse_error&) {
    // Not TOML: a word without quotes, such as method.inner=cgs or data.path=part-{node}.csv.
    const bool is_word =
        !value.empty() && value.find_first_of("\"'\n") == std::string::npos && value.find_first_of("[{") != 0;
    if (!is_word) {
      reject(assignment, "key=value with a TOML value or a bare word");
    }
    toml::table out;
    out.insert("value", value);
    return out;
  }
}

void set_in(toml::node& node, const std::vector<std::string>& key, std::size_t depth, const toml::node& value,
            const std::string& assignment) {
  const std::string& part = key[depth];
  const bool is_last = depth + 1 == key.size();
  if (toml::array* array = node.as_array()) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (error == std::errc{} && end == part.data() + part.size()) {
      if (index >= array->size() || is_last) {
        reject(assignment, fmt::format("an element from 0 to {} and a key in it", array->size() - 1));
      }
      set_in(*array->get(index), key, depth + 1, value, assignment);
      return;
    }
    for (toml::node& element : *array) {  // no number: every element
      set_in(element, key, depth, value, assignment);
    }
    return;
  }
  toml::table* table = node.as_table();
  if (table == nullptr) {
    reject(assignment, fmt::format("\"{}\" to be a table",
                                   fmt::join(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(depth), ".")));
  }
  if (is_last) {
    table->insert_or_assign(part, value);
    return;
  }
  if (!table->contains(part)) {
    table->insert(part, toml::table{});
  }
  set_in(*table->get(part), key, depth + 1, value, assignment);
}

/// Puts `key=value` into the table. The key is dotted, the value is TOML (a bare word is a string).
void apply_override(toml::table& root, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) {
    reject(assignment, "key=value");
  }
  const auto key = split_key(assignment.substr(0, equals), assignment);
  const toml::table value = parse_value(assignment.substr(equals + 1), assignment);
  set_in(root, key, 0, *value.get("value"), assignment);
}

/// What an override put there has no line of the file.
Value to_value(const toml::node& node) {
  Value out;
  const auto line = static_cast<int>(node.source().begin.line);
  out.line = line > 0 ? line : Value::kSetLine;
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
    const bool is_bare_word = what.find("could not determine value type") != std::string::npos;
    throw UsageError(fmt::format("{}:{}: expected TOML, got: {}{}", name, error.source().begin.line, what,
                                 is_bare_word ? " (words are in quotes, as in loss = \"logistic\")" : ""));
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
    fail<UsageError>(data + ": data", "a table", "something else");
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

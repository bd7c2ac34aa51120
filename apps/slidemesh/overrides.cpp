#include "overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "slidemesh/base/errors.h"

namespace slidemesh::app {

namespace {

[[noreturn]] void reject(const std::string& assignment, const std::string& expected) {
  throw UsageError(fmt::format("--set: expected {}, got \"{}\"", expected, assignment));
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

}  // namespace

void apply_override(toml::table& root, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) {
    reject(assignment, "key=value");
  }
  const auto key = split_key(assignment.substr(0, equals), assignment);
  const toml::table value = parse_value(assignment.substr(equals + 1), assignment);
  set_in(root, key, 0, *value.get("value"), assignment);
}

}  // namespace slidemesh::app

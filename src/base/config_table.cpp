#include "slidemesh/base/config_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/keys.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

std::string alternatives(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return words.empty() ? "nothing" : words.front();
  }
  return text::joined(std::span(words).first(words.size() - 1)) + " or " + words.back();
}

std::string keys_detail::quoted_alternatives(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) {
    quoted.push_back(fmt::format("\"{}\"", word));
  }
  return alternatives(quoted);
}

ConfigTable::ConfigTable(const Value::Table& table, int line, std::string section, std::string file)
    : table_(table), line_(line), section_(std::move(section)), file_(std::move(file)) {}

std::string ConfigTable::path(const std::string& key) const { return section_.empty() ? key : section_ + "." + key; }

std::string ConfigTable::place(int line) const {
  return line == Value::kSetLine ? "--set: " : line > 0 ? fmt::format("{}:{}: ", file_, line) : file_ + ": ";
}

void ConfigTable::fail(const std::string& key, const std::string& expected, const std::string& got) const {
  const auto found = table_.find(key);
  const int line = found != table_.end() ? found->second.line : line_;
  slidemesh::fail<UsageError>(place(line) + path(key), expected, got);
}

void ConfigTable::fail(const std::string& key, const std::string& expected) const {
  const auto found = table_.find(key);
  fail(key, expected, found == table_.end() ? "none" : describe(found->second));
}

void ConfigTable::fail_choice(const std::string& key, const std::vector<std::string>& choices) const {
  const auto found = table_.find(key);
  const std::string* word = found == table_.end() ? nullptr : found->second.as<std::string>();
  if (word == nullptr) {
    fail(key, found == table_.end() ? alternatives(choices) : "a string");
  }
  const std::string near = nearest_word(*word, choices);
  constexpr std::size_t kMostToRead = 12;
  const std::string all = !near.empty() && choices.size() > kMostToRead ? fmt::format("one of {} words", choices.size())
                                                                        : alternatives(choices);
  fail(key, near.empty() ? all : fmt::format("{} (did you mean {}?)", all, near), fmt::format("\"{}\"", *word));
}

const Value* ConfigTable::node(const std::string& key) {
  known_.push_back(key);
  const auto found = table_.find(key);
  return found == table_.end() ? nullptr : &found->second;
}

std::optional<std::string> ConfigTable::choice(const std::string& key, const std::vector<std::string>& choices) {
  const Value* value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is<std::string>() || std::find(choices.begin(), choices.end(), value->text()) == choices.end()) {
    fail_choice(key, choices);
  }
  return value->text();
}

std::optional<ConfigTable> ConfigTable::table(const std::string& key) {
  const Value* value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const auto* table = value->as<Value::Table>();
  if (table == nullptr) {
    fail(key, "a table");
  }
  return ConfigTable(*table, value->line, path(key), file_);
}

std::vector<ConfigTable> ConfigTable::tables(const std::string& key) {
  const Value* value = node(key);
  std::vector<ConfigTable> out;
  if (value == nullptr) {
    return out;
  }
  if (const auto* one = value->as<Value::Table>()) {  // [method] for a single one is just as clear
    out.emplace_back(*one, value->line, path(key), file_);
    return out;
  }
  if (!value->is_list_of_tables()) {
    fail(key, fmt::format("tables, as [[{}]]", path(key)));
  }
  for (const Value& element : *value->as<Value::List>()) {
    out.emplace_back(*element.as<Value::Table>(), element.line, path(key), file_);
  }
  return out;
}

std::string ConfigTable::known_keys() const {
  constexpr std::size_t kMostToRead = 12;
  std::vector<std::string> keys = known_;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys.size() > kMostToRead ? "" : fmt::format(" ({})", alternatives(keys));
}

void ConfigTable::finish() const {
  for (const auto& [key, value] : table_) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) {
      continue;
    }
    std::string whom;
    for (const auto& [name, others] : elsewhere_) {
      whom += name == key ? (whom.empty() ? "" : ", ") + others : "";
    }
    const std::string near = whom.empty() ? nearest_word(key, known_) : "";
    throw UsageError(fmt::format(
        "{}expected a known key{}{}, got \"{}\"{}", place(value.line), section_.empty() ? "" : " of [" + section_ + "]",
        !near.empty()  ? fmt::format(" (did you mean \"{}\"?)", near)
        : whom.empty() ? known_keys()
                       : "",
        path(key), whom.empty() ? "" : fmt::format(", a key for: {}{}", whom, why_elsewhere_)));
  }
}

}  // namespace slidemesh

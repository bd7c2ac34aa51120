#include "set_config.h"

#include <fmt/format.h>

#include <algorithm>

namespace slidemesh::app {

namespace {

constexpr double kDefaultRadius = 10.0;

SetSpec parse_set_table(ConfigTable table);

std::optional<std::vector<double>> numbers(const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    return std::nullopt;
  }
  std::vector<double> out;
  for (const toml::node& element : *array) {
    const auto value = element.is_number() ? element.value<double>() : std::nullopt;
    if (!value) {
      return std::nullopt;
    }
    out.push_back(*value);
  }
  return out;
}

std::optional<std::vector<std::vector<double>>> lists(const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    return std::nullopt;
  }
  std::vector<std::vector<double>> out;
  for (const toml::node& element : *array) {
    auto list = numbers(element);
    if (!list) {
      return std::nullopt;
    }
    out.push_back(std::move(*list));
  }
  return out;
}

template <class T>
std::optional<SetValue> as_value(std::optional<T> value) {
  return value ? std::optional<SetValue>(std::move(*value)) : std::nullopt;
}

std::optional<SetValue> convert(ConfigTable& table, const SetKey& key, const toml::node& node) {
  switch (key.type) {
    case SetKeyType::kNumber:
      return node.is_number() ? std::optional<SetValue>(*node.value<double>()) : std::nullopt;
    case SetKeyType::kInteger:
      return node.is_integer() ? std::optional<SetValue>(*node.value<double>()) : std::nullopt;
    case SetKeyType::kText:
      return node.is_string() ? std::optional<SetValue>(*node.value<std::string>()) : std::nullopt;
    case SetKeyType::kNumbers:
      return as_value(numbers(node));
    case SetKeyType::kNumberOrNumbers:
      return node.is_number() ? std::optional<SetValue>(*node.value<double>()) : as_value(numbers(node));
    case SetKeyType::kLists:
      return as_value(lists(node));
    case SetKeyType::kSets: {
      std::vector<SetSpec> parts;
      for (const ConfigTable& part : table.tables(key.name)) {
        parts.push_back(parse_set_table(part));
      }
      return parts;
    }
  }
  return std::nullopt;
}

SetSpec parse_set_table(ConfigTable table) {
  std::vector<std::string> kinds;
  for (const SetKind& kind : set_kinds()) {
    kinds.push_back(kind.name);
  }
  SetSpec spec;
  spec.where = table.place(table.raw().source()) + table.section();
  spec.base_directory = std::filesystem::path(table.file()).parent_path();
  const auto name = table.choice("kind", kinds);
  if (!name) {
    table.fail("kind", alternatives(kinds), "none");
  }
  spec.kind = *name;
  const auto kind =
      std::find_if(set_kinds().begin(), set_kinds().end(), [&](const SetKind& k) { return k.name == *name; });
  for (const SetKey& key : kind->keys) {
    const toml::node* node = table.node(key.name);
    if (node == nullptr) {
      if (key.default_text.empty()) {
        table.fail(key.name, fmt::format("{} ({})", to_string(key.type), key.meaning), "none");
      }
      continue;
    }
    auto value = convert(table, key, *node);
    if (!value) {
      table.fail(key.name, fmt::format("{} ({})", to_string(key.type), key.meaning), describe(*node));
    }
    spec.parameters.emplace(key.name, std::move(*value));
  }
  table.finish();
  return spec;
}

}  // namespace

SetSpec parse_set(ConfigTable& parent, const std::string& key) {
  auto table = parent.table(key);
  if (!table) {
    SetSpec spec;
    spec.kind = "l1-ball";
    spec.parameters.emplace("radius", kDefaultRadius);
    return spec;
  }
  return parse_set_table(*table);
}

}  // namespace slidemesh::app

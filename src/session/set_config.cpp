#include "config_sections.h"

#include <fmt/format.h>

#include <algorithm>

namespace slidemesh {

namespace {

SetSpec parse_set_table(ConfigTable table);

std::optional<double> number(const Value& value) {
  return value.is_number() ? std::optional<double>(value.number()) : std::nullopt;
}

/// Each element of a list by `convert`; nothing if it is no list or one of them cannot be converted.
template <class Convert>
auto each(const Value& value, Convert convert) {
  std::vector<typename decltype(convert(value))::value_type> out;
  const auto* list = value.as<Value::List>();
  bool good = list != nullptr;
  for (std::size_t i = 0; good && i < list->size(); ++i) {
    if (auto converted = convert((*list)[i])) {
      out.push_back(std::move(*converted));
    } else {
      good = false;
    }
  }
  return good ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::vector<double>> numbers(const Value& value) { return each(value, number); }

std::optional<SetValue> convert(ConfigTable& table, const SetKey& key, const Value& value) {
  switch (key.type) {
    case SetKeyType::kNumber:
      return number(value);
    case SetKeyType::kInteger:
      return value.is<std::int64_t>() ? number(value) : std::nullopt;
    case SetKeyType::kText:
      return value.is<std::string>() ? std::optional(value.text()) : std::nullopt;
    case SetKeyType::kNumberOrNumbers:
      if (value.is_number()) {
        return number(value);
      }
      return numbers(value);
    case SetKeyType::kNumbers:
      return numbers(value);
    case SetKeyType::kLists:
      return each(value, numbers);
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
  const std::vector<std::string> kinds = names_of(set_kinds());
  SetSpec spec;
  spec.where = table.place() + table.section();
  spec.base_directory = table.directory();
  const auto name = table.choice("kind", kinds);
  if (!name) {
    table.fail("kind", alternatives(kinds), "none");
  }
  spec.kind = *name;
  const auto kind = std::ranges::find(set_kinds(), *name, &SetKind::name);
  for (const SetKey& key : kind->keys) {
    const Value* found = table.node(key.name);
    if (found == nullptr) {
      if (key.default_text.empty()) {
        table.fail(key.name, fmt::format("{} ({})", to_string(key.type), key.meaning), "none");
      }
      continue;
    }
    auto value = convert(table, key, *found);
    if (!value) {
      table.fail(key.name, fmt::format("{} ({})", to_string(key.type), key.meaning));
    }
    spec.parameters.emplace(key.name, std::move(*value));
  }
  table.finish();
  return spec;
}

}  // namespace

SetSpec make_set_spec(const Value::Table& table, const std::string& file) {
  SetSpec spec = parse_set_table(ConfigTable(table, 0, "", file));
  spec.where = file;
  return spec;
}

Value::Table default_set() { return {{"kind", Value{"l1-ball"}}, {"radius", Value{10.0}}}; }

SetSpec parse_set(ConfigTable& parent) {
  const Value* value = parent.node("set");
  parent.require(value->is<Value::Table>(), "set", "a table, as " + to_toml({default_set()}));
  return parse_set_table(*parent.table("set"));
}

}  // namespace slidemesh

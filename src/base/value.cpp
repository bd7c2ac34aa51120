#include "slidemesh/base/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "slidemesh/base/text.h"

namespace slidemesh {

namespace {

/// The shortest digits that read back as the same double, and a point or exponent so that it stays a float.
std::string float_text(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "nan" : (value > 0.0 ? "inf" : "-inf");
  }
  const std::string digits = text::shortest(value);
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (code < 0x20U || code == 0x7FU) {
      out += fmt::format("\\u{:04X}", code);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  return bare ? key : quoted(key);
}

std::string inline_table(const Value::Table& table) {
  std::string out = "{ ";
  for (const auto& [key, value] : table) {
    out += (out.size() > 2 ? ", " : "") + key_text(key) + " = " + to_toml(value);
  }
  return table.empty() ? "{}" : out + " }";
}

void write_section(const Value::Table& table, std::string& out) {
  for (const auto& [key, value] : table) {
    out += key_text(key) + " = " + to_toml(value) + "\n";
  }
}

}  // namespace

bool Value::is_list_of_tables() const {
  const auto* list = as<List>();
  return list != nullptr && !list->empty() &&
         std::all_of(list->begin(), list->end(), [](const Value& element) { return element.is<Table>(); });
}

const Value* Value::find(std::string_view key) const {
  const auto* table = as<Table>();
  if (table == nullptr) {
    return nullptr;
  }
  const auto found = table->find(key);
  return found == table->end() ? nullptr : &found->second;
}

std::string describe(const Value& value) {
  if (const auto* text = value.as<std::string>()) {
    return "the string \"" + *text + "\"";
  }
  return value.is<Value::Table>() ? "a table" : value.is<Value::List>() ? "an array" : to_toml(value);
}

std::string to_toml(const Value& value) {
  struct Write {
    std::string operator()(const Value::Table& table) const { return inline_table(table); }
    std::string operator()(const Value::List& list) const {
      std::string out = "[";
      for (const Value& element : list) {
        out += (out.size() > 1 ? ", " : "") + to_toml(element);
      }
      return out + "]";
    }
    std::string operator()(const std::string& text) const { return quoted(text); }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return float_text(number); }
    std::string operator()(bool yes) const { return yes ? "true" : "false"; }
    std::string operator()(const Value::Other& other) const { return other.what; }
  };
  return std::visit(Write{}, value.held);
}

std::string to_toml_document(const Value::Table& root) {
  std::string out;
  Value::Table plain;
  for (const auto& [key, value] : root) {
    if (!value.is<Value::Table>() && !value.is_list_of_tables()) {
      plain.emplace(key, value);
    }
  }
  write_section(plain, out);
  for (const auto& [key, value] : root) {
    if (const auto* table = value.as<Value::Table>()) {
      out += "\n[" + key_text(key) + "]\n";
      write_section(*table, out);
    } else if (value.is_list_of_tables()) {
      for (const Value& element : *value.as<Value::List>()) {
        out += "\n[[" + key_text(key) + "]]\n";
        write_section(*element.as<Value::Table>(), out);
      }
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> flattened(const Value::Table& table, const std::string& prefix) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, value] : table) {
    if (const auto* inner = value.as<Value::Table>()) {
      auto below = flattened(*inner, prefix + key + ".");
      out.insert(out.end(), std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
    } else {
      out.emplace_back(prefix + key, to_toml(value));
    }
  }
  return out;
}

}  // namespace slidemesh

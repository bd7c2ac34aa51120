#include "slidemesh/base/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace slidemesh {

namespace {

/// The shortest digits that read back as the same double, and a point or exponent so that it stays a float.
std::string float_text(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "nan" : (value > 0.0 ? "inf" : "-inf");
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
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
      out += {'\\', 'u', '0', '0', kHex[code >> 4U], kHex[code & 0xFU]};
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

bool is_list_of_tables(const Value& value) {
  const auto* list = value.as<Value::List>();
  return list != nullptr && !list->empty() &&
         std::all_of(list->begin(), list->end(), [](const Value& element) { return element.is<Value::Table>(); });
}

void write_section(const Value::Table& table, std::string& out) {
  for (const auto& [key, value] : table) {
    out += key_text(key) + " = " + to_toml(value) + "\n";
  }
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  const auto* table = as<Table>();
  if (table == nullptr) {
    return nullptr;
  }
  const auto found = table->find(key);
  return found == table->end() ? nullptr : &found->second;
}

std::string describe(const Value& value) {
  struct Describe {
    std::string operator()(const Value::Table&) const { return "a table"; }
    std::string operator()(const Value::List&) const { return "an array"; }
    std::string operator()(const std::string& text) const { return "the string \"" + text + "\""; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return float_text(number); }
    std::string operator()(bool yes) const { return yes ? "true" : "false"; }
    std::string operator()(const Value::Other& other) const { return other.what; }
  };
  return std::visit(Describe{}, value.held);
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
    if (!value.is<Value::Table>() && !is_list_of_tables(value)) {
      plain.emplace(key, value);
    }
  }
  write_section(plain, out);
  for (const auto& [key, value] : root) {
    if (const auto* table = value.as<Value::Table>()) {
      out += "\n[" + key_text(key) + "]\n";
      write_section(*table, out);
    } else if (is_list_of_tables(value)) {
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

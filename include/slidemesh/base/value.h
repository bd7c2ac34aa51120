#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace slidemesh {

/// What a config is made of, whatever it was written in (TOML, a Python dictionary): a tree of numbers, words, lists
/// and tables. `line` is where the value stands in its file; 0 where there is none.
struct Value {
  using List = std::vector<Value>;
  using Table = std::map<std::string, Value, std::less<>>;
  /// Something that no key takes, such as a date: its name for messages.
  struct Other {
    std::string what;
  };

  std::variant<Table, List, std::string, std::int64_t, double, bool, Other> held;
  int line = 0;  ///< of the config; 0: nobody knows

  static constexpr int kSetLine = -1;  ///< `line` of what --set said

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&held);
  }
  template <class T>
  [[nodiscard]] T* as() {
    return std::get_if<T>(&held);
  }
  template <class T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(held);
  }
  [[nodiscard]] bool is_number() const { return is<double>() || is<std::int64_t>(); }
  /// Of a number, whole or not.
  [[nodiscard]] double number() const {
    return is<double>() ? std::get<double>(held) : static_cast<double>(std::get<std::int64_t>(held));
  }
  [[nodiscard]] const std::string& text() const { return std::get<std::string>(held); }

  /// Of one table at least, and of nothing else.
  [[nodiscard]] bool is_list_of_tables() const;
  /// The value at a key of a table, or null.
  [[nodiscard]] const Value* find(std::string_view key) const;
};

/// How type and value are named in messages: `the string "ten"`.
[[nodiscard]] std::string describe(const Value& value);

/// One line as TOML has it: `"ten"`, `10.0`, `[1, 2]`, `{ kind = "box" }`. Numbers survive a round trip bit for bit.
[[nodiscard]] std::string to_toml(const Value& value);

/// A table as a TOML document, its tables as sections.
[[nodiscard]] std::string to_toml_document(const Value::Table& root);

/// Every value that is not a table, by its dotted path: ("problem.set.radius", "10.0"), ... Lists are one value.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> flattened(const Value::Table& table,
                                                                         const std::string& prefix = "");

}  // namespace slidemesh

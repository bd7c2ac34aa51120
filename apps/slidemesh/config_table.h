#pragma once

#include <toml++/toml.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh::app {

/// `a, b or c`, for messages.
[[nodiscard]] std::string alternatives(const std::vector<std::string>& words);

/// A TOML table that is read key by key. Each getter checks type and range, and throws a UsageError
/// `file:line: section.key: expected ..., got ...`; `finish` rejects keys that nobody asked for.
class ConfigTable {
 public:
  ConfigTable(const toml::table& table, std::string section, std::string file);

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }
  [[nodiscard]] const std::string& section() const { return section_; }

  using NumberCheck = bool (*)(double);
  [[nodiscard]] std::optional<double> number(const std::string& key, const char* expected, NumberCheck valid);
  [[nodiscard]] std::optional<Count> integer(const std::string& key, Count least, Count most);
  [[nodiscard]] std::optional<bool> boolean(const std::string& key);
  [[nodiscard]] std::optional<std::string> text(const std::string& key);
  [[nodiscard]] std::optional<std::string> choice(const std::string& key, const std::vector<std::string>& choices);
  /// Marks the key as known and returns its node, or null.
  [[nodiscard]] const toml::node* node(const std::string& key);
  [[nodiscard]] std::optional<ConfigTable> table(const std::string& key);
  /// An array of tables; empty where the key is absent.
  [[nodiscard]] std::vector<ConfigTable> tables(const std::string& key);
  /// The keys that are there, in file order.
  [[nodiscard]] std::vector<std::string> keys() const;

  /// `file:line: `, or `file: ` for what came from the command line: how every complaint begins.
  [[nodiscard]] std::string place(const toml::source_region& source) const;
  [[noreturn]] void fail(const std::string& key, const std::string& expected, const std::string& got) const;
  [[noreturn]] void fail_at(const toml::node* node, const std::string& key, const std::string& expected,
                            const std::string& got) const;
  /// Throws if a key was never asked for.
  void finish() const;

  [[nodiscard]] const toml::table& raw() const { return table_; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  [[nodiscard]] std::string path(const std::string& key) const;

  const toml::table& table_;
  std::string section_;
  std::string file_;
  std::vector<std::string> known_;
};

/// How a node's type and value are named in messages: `the string "ten"`.
[[nodiscard]] std::string describe(const toml::node& node);

}  // namespace slidemesh::app

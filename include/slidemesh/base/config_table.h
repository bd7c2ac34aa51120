#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/base/value.h"

namespace slidemesh {

/// `a, b or c`, for messages.
[[nodiscard]] std::string alternatives(const std::vector<std::string>& words);

/// A table of a config that is read key by key. Complaints are UsageErrors, `file:line: section.key: expected ..., got
/// ...`; `finish` rejects keys that nobody asked for. What keys there are and what they take is said in key tables
/// (keys.h); this is what those read from.
class ConfigTable {
 public:
  /// `table` must outlive this. `line` is the table's own.
  ConfigTable(const Value::Table& table, int line, std::string section, std::string file);

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }
  [[nodiscard]] const std::string& section() const { return section_; }
  [[nodiscard]] const Value::Table& raw() const { return table_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Where relative paths start: the directory of the file.
  [[nodiscard]] std::filesystem::path directory() const { return std::filesystem::path(file_).parent_path(); }

  /// Marks the key as known and returns its value, or null.
  [[nodiscard]] const Value* node(const std::string& key);
  /// Beside a key that is none here but is one for others: why it is none here.
  void explain_elsewhere(std::string why) { why_elsewhere_ = std::move(why); }
  /// A key that is none here but is one for others: "csv".
  void note_elsewhere(const std::string& key, const std::string& whom) { elsewhere_.emplace_back(key, whom); }
  /// Marks the key as known; the word where it is one of `choices`, nothing where the key is absent.
  [[nodiscard]] std::optional<std::string> choice(const std::string& key, const std::vector<std::string>& choices);
  [[nodiscard]] std::optional<ConfigTable> table(const std::string& key);
  /// An array of tables; empty where the key is absent.
  [[nodiscard]] std::vector<ConfigTable> tables(const std::string& key);

  /// `file:line: `, or `--set: ` for what came from the command line, or `file: `: how every complaint begins.
  [[nodiscard]] std::string place() const { return place(line_); }
  [[noreturn]] void fail(const std::string& key, const std::string& expected, const std::string& got) const;
  /// The same, with what the key holds as `got`.
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const;
  /// The same two unless `holds`.
  void require(bool holds, const std::string& key, const std::string& expected, const std::string& got) const {
    if (!holds) {
      fail(key, expected, got);
    }
  }
  void require(bool holds, const std::string& key, const std::string& expected) const {
    if (!holds) {
      fail(key, expected);
    }
  }
  /// As `fail`, for a key that takes one of these words: suggests the nearest.
  [[noreturn]] void fail_choice(const std::string& key, const std::vector<std::string>& choices) const;
  /// Throws if a key was never asked for.
  void finish() const;

 private:
  [[nodiscard]] std::string place(int line) const;
  [[nodiscard]] std::string path(const std::string& key) const;
  /// In words, where they are few.
  [[nodiscard]] std::string known_keys() const;

  const Value::Table& table_;
  int line_;
  std::string section_;
  std::string file_;
  std::vector<std::string> known_;
  std::string why_elsewhere_;
  std::vector<std::pair<std::string, std::string>> elsewhere_;  ///< keys that others have, and which
};

}  // namespace slidemesh

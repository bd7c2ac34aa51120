#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace slidemesh {

/// A line of a text file in words, and how to complain about it.
struct Line {
  const std::filesystem::path& path;
  long number;
  bool is_indented;
  std::vector<std::string_view> words;

  /// A DataError `file:line: expected ..., got ...`.
  [[noreturn]] void fail(std::string_view expected, std::string_view got) const;
  /// A finite number that is the whole word, or fail.
  [[nodiscard]] double number_in(std::string_view word) const;
};

/// What stands between words, and what begins a part that is not read: anywhere in a line, or only at its beginning.
struct LineRules {
  std::string_view between;
  char comment;
  bool comment_anywhere;
};

/// Calls `take` for every line that says something. For small files that people write; data has readers of its own.
void for_each_line(const std::filesystem::path& path, const LineRules& rules,
                   const std::function<void(const Line& line)>& take);

}  // namespace slidemesh

#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh::detail {

/// A line of a file in words, and how to complain about it.
struct Line {
  const std::filesystem::path& path;
  Index number;
  bool is_indented;
  std::vector<std::string_view> words;

  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw DataError(path.string() + ":" + std::to_string(number) + ": expected " + expected + ", got " + got);
  }

  /// A word as messages show it: in quotes, printable, and no more of it than a line has room for.
  [[nodiscard]] static std::string shown(std::string_view word) {
    constexpr std::size_t kShown = 40;
    std::string text = '"' + std::string(word.substr(0, kShown)) + (word.size() > kShown ? "...\"" : "\"");
    for (char& c : text) {
      c = c < ' ' || c > '~' ? '?' : c;
    }
    return text;
  }

  [[nodiscard]] double number_in(std::string_view word) const {
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) {
      fail("a finite number", shown(word));
    }
    return value;
  }
};

/// Calls `take` for every line that says something. What stands between words is in `between`; `comment` begins what is
/// not read, anywhere in a line or only at its beginning.
struct LineRules {
  std::string_view between;
  char comment;
  bool comment_anywhere;
};

template <class Take>
void for_each_line(const std::filesystem::path& path, const LineRules& rules, const Take& take) {
  std::ifstream file(path);
  if (!file) {
    throw DataError(path.string() + ": expected a file that can be read, got none");
  }
  std::string text;
  for (Index number = 1; std::getline(file, text); ++number) {
    std::string_view content = text;
    if (rules.comment_anywhere || content.starts_with(rules.comment)) {
      content = content.substr(0, content.find(rules.comment));
    }
    Line line{path, number, content.starts_with(' ') || content.starts_with('\t'), {}};
    for (std::size_t begin = content.find_first_not_of(rules.between); begin != std::string_view::npos;) {
      const std::size_t end = std::min(content.find_first_of(rules.between, begin), content.size());
      line.words.push_back(content.substr(begin, end - begin));
      begin = content.find_first_not_of(rules.between, end);
    }
    if (!line.words.empty()) {
      take(line);
    }
  }
}

}  // namespace slidemesh::detail

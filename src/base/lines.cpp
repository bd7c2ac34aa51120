#include "slidemesh/base/lines.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <system_error>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

void Line::fail(std::string_view expected, std::string_view got) const {
  slidemesh::fail<DataError>(line_of(path, number), expected, got);
}

double Line::number_in(std::string_view word) const {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) {
    fail("a finite number", text::quoted(word));
  }
  return value;
}

void for_each_line(const std::filesystem::path& path, const LineRules& rules,
                   const std::function<void(const Line& line)>& take) {
  require<DataError>(!std::filesystem::is_directory(path), path.string(), "a file", "a directory");
  errno = 0;
  std::ifstream file(path);
  if (!file) {
    throw DataError(path.string() + ": cannot read: " + std::system_category().message(errno));
  }
  std::string text;
  for (long number = 1; std::getline(file, text); ++number) {
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

}  // namespace slidemesh

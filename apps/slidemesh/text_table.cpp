#include "text_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string_view>

#include "slidemesh/base/text.h"

namespace slidemesh::app {

namespace {

constexpr std::size_t kBetween = 2;

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::size_t length = utf8_length(text);
  const std::string blank(length < width ? width - length : 0, ' ');
  return left ? text + blank : blank + text;
}

}  // namespace

std::size_t terminal_width(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const char* columns = std::getenv("COLUMNS");
  const long number = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
  return number > 0 ? static_cast<std::size_t>(number) : std::numeric_limits<std::size_t>::max();
}

bool wants_colour(int descriptor) {
  const char* off = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool refused = off != nullptr && *off != '\0';
  return isatty(descriptor) == 1 && !refused && term != nullptr && std::string_view(term) != "dumb";
}

void TextTable::leave_out_empty_columns() {
  for (std::size_t c = rows_.front().size(); c > left_ && rows_.size() > 1;) {
    --c;
    if (std::all_of(rows_.begin() + 1, rows_.end(), [c](const auto& row) { return row[c] == "-"; })) {
      for (auto& row : rows_) {
        row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
      }
    }
  }
}

std::string TextTable::text(std::size_t width) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], utf8_length(row[c]));
    }
  }
  const std::size_t all = std::accumulate(widths.begin(), widths.end(), kBetween * (widths.size() - 1));
  return all <= width ? across(widths) : stacked();
}

std::string TextTable::across(const std::vector<std::size_t>& widths) const {
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      out.append(c > 0 ? kBetween : 0, ' ').append(padded(row[c], widths[c], c < left_));
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out.append(1, '\n');
  }
  return out;
}

std::string TextTable::stacked() const {
  std::size_t names = 0;
  for (const std::string& name : rows_.front()) {
    names = std::max(names, utf8_length(name));
  }
  std::string out;
  for (std::size_t r = 1; r < rows_.size(); ++r) {
    out.append(r > 1 ? 1 : 0, '\n');
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      if (!rows_.front()[c].empty() || !rows_[r][c].empty()) {
        out.append(padded(rows_.front()[c], names, true)).append(kBetween, ' ').append(rows_[r][c]).append(1, '\n');
      }
    }
  }
  return out;
}

void write_to_log(const std::string& text) {
  static_cast<void>(std::fputs(text.c_str(), stderr));
  static_cast<void>(std::fflush(stderr));
  std::clearerr(stderr);
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  constexpr std::size_t kNarrowest = 16;
  const std::size_t room = width > indent + kNarrowest ? width - indent : kNarrowest;
  std::string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(at, end - at);  // with the blanks before it
    const std::size_t length = utf8_length(word);
    if (used > 0 && used + length > room) {
      out.append(1, '\n').append(indent, ' ').append(text, begin, end - begin);
      used = length - (begin - at);
    } else {
      out += word;
      used += length;
    }
    at = end;
  }
  return out;
}

}  // namespace slidemesh::app

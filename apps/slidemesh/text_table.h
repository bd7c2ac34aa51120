#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slidemesh::app {

/// How many characters a line of the terminal behind a descriptor has; no limit where there is none, or where COLUMNS
/// does not say.
[[nodiscard]] std::size_t terminal_width(int descriptor);

/// Whether a descriptor is a terminal that wants colours: NO_COLOR is not set and TERM is not dumb.
[[nodiscard]] bool wants_colour(int descriptor);

/// Writes to the standard error. A log that cannot be written (a full disk, a reader that has gone) must never end
/// anything: what fails is left unsaid.
void write_to_log(const std::string& text);

/// Lines of at most `width` characters, broken between words; all but the first begin with `indent` blanks, and the
/// first has as much before it.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

/// A table for a terminal. Where it is wider than a line, its rows are stacked: a block per row, a line per column.
class TextTable {
 public:
  /// The first `left` columns are words, the others numbers.
  TextTable(std::vector<std::string> header, std::size_t left) : rows_{std::move(header)}, left_(left) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Takes out columns of numbers that no row has one for.
  void leave_out_empty_columns();
  [[nodiscard]] std::string text(std::size_t width) const;

 private:
  [[nodiscard]] std::string across(const std::vector<std::size_t>& widths) const;
  [[nodiscard]] std::string stacked() const;

  std::vector<std::vector<std::string>> rows_;  ///< the header first
  std::size_t left_;
};

}  // namespace slidemesh::app

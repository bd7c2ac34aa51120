#include "glance.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/text.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

std::string kind_of(const ColumnGlance& column) {
  std::string out;
  for (const auto& [count, name] :
       {std::pair{column.numbers, "numbers"}, std::pair{column.words, "words"},
        std::pair{column.truths, "true or false"}, std::pair{column.dates, "dates"},
        std::pair{column.decimal_commas, "numbers with commas"}, std::pair{column.infinite, "infinite"}}) {
    out += count == 0 ? "" : (out.empty() ? "" : ", ") + std::string(name);
  }
  return out.empty() ? "nothing" : out;
}

/// The range of numbers; of words the first few.
std::string values_of(const ColumnGlance& column) {
  constexpr std::size_t kShown = 3;
  if (column.words + column.truths + column.dates + column.decimal_commas + column.infinite == 0) {
    return column.numbers == 0 ? "" : fmt::format("{:g} to {:g}", column.low, column.high);
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, column.values.size()); ++i) {
    out += (i > 0 ? ", " : "") + text::quoted(column.values[i]);
  }
  return out + (column.values.size() > kShown ? ", ..." : "");
}

bool has_commas(const ColumnGlance& column) { return column.decimal_commas > 0; }

std::string different(const ColumnGlance& column) {
  return column.values.size() < ColumnGlance::kMostValues ? std::to_string(column.values.size())
                                                          : fmt::format("over {}", ColumnGlance::kMostValues - 1);
}

}  // namespace

std::optional<CsvProposal> print_glance(const std::filesystem::path& path, char delimiter, const std::string& label) {
  CsvGlance glance;
  try {
    glance = glance_at_csv(path, delimiter);
  } catch (const Error&) {
    return std::nullopt;  // why a file cannot be read is said by whoever wanted to
  }
  if (glance.rows == 0 || glance.columns.size() < 2) {
    return std::nullopt;  // no config would read it
  }
  TextTable table({"column", "holds", "values", "missing", "different"}, 3);
  for (const ColumnGlance& column : glance.columns) {
    table.add({text::quoted(column.name), kind_of(column), values_of(column), std::to_string(column.missing),
               different(column)});
  }
  const CsvProposal proposal = proposal_for(glance, label);
  fmt::print("{} rows, {} columns\n{}\n", glance.rows, glance.columns.size(),
             table.text(terminal_width(STDOUT_FILENO)));
  if (!proposal.options.ignore.empty() || std::none_of(glance.columns.begin(), glance.columns.end(), has_commas)) {
    fmt::print("lines of a config that would read it:\n\n{}\n", config_lines(proposal, path));
  }
  static_cast<void>(std::fflush(stdout));
  return proposal;
}

}  // namespace slidemesh::app

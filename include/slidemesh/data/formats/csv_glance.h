#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/data/formats/csv.h"

namespace slidemesh {

/// What one column of a file is made of, whatever a run would make of it.
struct ColumnGlance {
  std::string name;
  Count numbers = 0;
  Count words = 0;
  Count truths = 0;  ///< true and false: numbers among numbers, words among words
  Count dates = 0;
  Count decimal_commas = 0;  ///< numbers that are written so, which no reader takes
  Count infinite = 0;        ///< or larger than a double holds
  Count missing = 0;
  double low = 0.0;  ///< of the numbers
  double high = 0.0;
  std::vector<std::string> values = {};  ///< the first different ones, at most kMostValues

  static constexpr std::size_t kMostValues = 51;
};

/// A CSV file as it is: for somebody who has not yet said which column is the label.
struct CsvGlance {
  char delimiter = ',';
  bool has_header = false;
  Count rows = 0;
  std::vector<ColumnGlance> columns = {};
};

/// Passes over the file once. Where its first line has no `delimiter` but another one, that is taken. A row of another
/// width than the first is a DataError.
[[nodiscard]] CsvGlance glance_at_csv(const std::filesystem::path& path, char delimiter);

/// Keys that would read such a file. The label is `wanted`, a name or a number from 1, or where that is empty the
/// column that is called like one, or else none: then the options are not for use.
struct CsvProposal {
  CsvOptions options = {};
  std::string loss = {};  ///< that fits the label
};
[[nodiscard]] CsvProposal proposal_for(const CsvGlance& glance, const std::string& wanted);

/// The same as lines of a config.
[[nodiscard]] std::string config_lines(const CsvProposal& proposal, const std::filesystem::path& path);

}  // namespace slidemesh

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "slidemesh/data/formats/row_reader.h"

namespace slidemesh {

/// A Matrix Market file (coordinate or array; real, integer or pattern; general) whose rows are rows
/// of data. Labels are one of its columns, or lie in a file of their own.
struct MatrixMarketOptions {
  Index max_rows = 0;                 ///< keep so many rows; 0: all
  Index label_column = 1;             ///< from 1; not used where there is a file of labels; 0: none, and labels are 0
  std::filesystem::path labels = {};  ///< one number per line, or a Matrix Market array of one column
};

/// Plain or packed; sparse, as every reader gives it. Anything malformed, an entry twice among it, is
/// a DataError that names file and line.
[[nodiscard]] Rows read_matrix_market(const std::filesystem::path& path, const MatrixMarketOptions& options = {});
/// The same from memory, with the labels of `labels_text` unless that is empty.
[[nodiscard]] Rows parse_matrix_market(std::string_view text, const std::string& name,
                                       const MatrixMarketOptions& options = {}, std::string_view labels_text = {});

}  // namespace slidemesh

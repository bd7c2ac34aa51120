#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/feature_map.h"
#include "slidemesh/data/partition.h"

namespace slidemesh {

/// Observed entries of an unknown matrix, for matrix completion: a CSV file with a header and a record
/// an entry.
struct MatrixEntriesOptions {
  std::string row = "row";  ///< names of columns of the file
  std::string column = "col";
  std::string value = "value";  ///< empty: none, and values are 0
  std::string node = {};        ///< a column that says which node has the entry; empty: there is none
  char delimiter = ',';
  /// Rows and columns of the matrix are called what the file calls them, even where that is a number. Otherwise only
  /// where some of them are words; numbers count from 0.
  bool row_names = false;
  bool column_names = false;
  Index max_rows = 0;     ///< read so many entries; 0: all
  Index matrix_rows = 0;  ///< 0: the largest in the file and 1, or as many as there are names
  Index matrix_columns = 0;
  /// What rows and columns are called where that is settled, as by a model or by parties that have a file each: an
  /// entry of another is a DataError.
  std::optional<MatrixNames> known = {};
};

/// An entry (i, j) is a row of data with a single 1 in column i + j * rows, so that <a, x> is entry
/// (i, j) of the matrix that x stores by columns; its label is the value.
struct MatrixEntries {
  Index rows = 0;
  Index columns = 0;
  MatrixNames names;
  Rows table;
  Partition partition;                  ///< by the column `node`; no nodes if there is none
  std::vector<std::string> notes = {};  ///< for people: what is odd about it
};

/// Anything malformed is a DataError that names file and line.
[[nodiscard]] MatrixEntries read_matrix_entries(const std::filesystem::path& path,
                                                const MatrixEntriesOptions& options = {});

}  // namespace slidemesh

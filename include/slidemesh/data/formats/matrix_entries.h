#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/partition.h"

namespace slidemesh {

/// Observed entries of an unknown matrix, for matrix completion: a CSV file with a header and a record
/// an entry.
struct MatrixEntriesOptions {
  std::string row = "row";  ///< names of columns; rows and columns of the matrix count from 0
  std::string column = "col";
  std::string value = "value";  ///< empty: none, and values are 0
  std::string node = {};        ///< a column that says which node has the entry; empty: there is none
  Index max_rows = 0;           ///< read so many entries; 0: all
  Index matrix_rows = 0;        ///< 0: the largest in the file and 1
  Index matrix_columns = 0;
};

/// An entry (i, j) is a row of data with a single 1 in column i + j * rows, so that <a, x> is entry
/// (i, j) of the matrix that x stores by columns; its label is the value.
struct MatrixEntries {
  Index rows = 0;
  Index columns = 0;
  Rows table;
  Partition partition;  ///< by the column `node`; no nodes if there is none
};

[[nodiscard]] MatrixEntries read_matrix_entries(const std::filesystem::path& path,
                                                const MatrixEntriesOptions& options = {});

}  // namespace slidemesh

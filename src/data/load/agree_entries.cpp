#include <algorithm>
#include <iterator>

#include "slidemesh/data/load/agree_columns.h"

namespace slidemesh {
namespace {

/// What the files of this process say of the matrix, together.
struct OwnMatrix {
  Index rows = 0;
  Index columns = 0;
  std::vector<std::string> row_names;
  std::vector<std::string> column_names;
};

void add_names(std::vector<std::string>& to, const std::vector<std::string>& from) {
  std::vector<std::string> all;
  std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(all));
  to = std::move(all);
}

OwnMatrix look_through(std::span<const std::string> files, const MatrixEntriesOptions& options, Count& rows_read) {
  OwnMatrix own;
  for (const std::string& file : files) {
    const MatrixEntries entries = read_matrix_entries(file, options);
    own.rows = std::max(own.rows, entries.rows);
    own.columns = std::max(own.columns, entries.columns);
    add_names(own.row_names, entries.names.row_names);
    add_names(own.column_names, entries.names.column_names);
    rows_read += entries.table.count();
  }
  return own;
}

}  // namespace

MatrixEntriesOptions agree_on_entries(std::span<const std::string> files, const MatrixEntriesOptions& options,
                                      Network& network, Count& rows_read) {
  MatrixEntriesOptions agreed = options;
  agreed.matrix_rows = agreed.matrix_columns = 0;  // a file need not have all of them
  OwnMatrix own = look_through(files, agreed, rows_read);
  const bool had_names = !own.row_names.empty();
  const bool had_column_names = !own.column_names.empty();
  const Eigen::Vector4d shape(had_names ? 0.0 : static_cast<double>(own.rows),
                              had_column_names ? 0.0 : static_cast<double>(own.columns), had_names ? 1.0 : 0.0,
                              had_column_names ? 1.0 : 0.0);
  const Vector all = network.agree_max(shape.replicate(1, network.local_nodes()));
  agreed.row_names = all(2) != 0.0;
  agreed.column_names = all(3) != 0.0;
  if (agreed.row_names != had_names || agreed.column_names != had_column_names) {
    own = look_through(files, agreed, rows_read);  // somebody has words where this process has numbers
  }
  agreed.matrix_rows = agreed.row_names          ? 0
                       : options.matrix_rows > 0 ? options.matrix_rows
                                                 : static_cast<Index>(all(0));
  agreed.matrix_columns = agreed.column_names          ? 0
                          : options.matrix_columns > 0 ? options.matrix_columns
                                                       : static_cast<Index>(all(1));
  agreed.known = {options.row, options.column, {}, {}};
  if (agreed.row_names || agreed.column_names) {
    const std::vector<std::vector<std::string>> names = {own.row_names, own.column_names};
    std::vector<std::vector<std::string>> together = agree_on_words(names, network);
    agreed.known->row_names = std::move(together[0]);
    agreed.known->column_names = std::move(together[1]);
  }
  return agreed;
}

}  // namespace slidemesh

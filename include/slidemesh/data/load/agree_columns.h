#pragma once

#include <span>
#include <string>
#include <vector>

#include "slidemesh/data/formats/csv.h"
#include "slidemesh/data/formats/matrix_entries.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

// Parties that have a table each must mean the same by a column. Hashes go first; names are sent only where those
// differ, words only of columns that become categories. Everything is metered.

/// The columns of one party's table.
struct PartyColumns {
  std::string party;  ///< for messages: its file or table
  std::vector<std::string> features;
  std::string label;
};

/// The order of the features' columns that all use: that of node 0, which is sent to all where somebody's differs. A
/// party that lacks a column, has one too many or calls its label otherwise is a DataError that names both.
/// `local` are the tables of this process, in the order of its nodes.
[[nodiscard]] std::vector<std::string> agree_on_names(std::span<const PartyColumns> local, Network& network);

/// For each of several columns the words of all nodes together, in order of their bytes, from those of this process,
/// sorted: smallest first, six bytes per agreement, all columns at once. Nobody learns who has which.
[[nodiscard]] std::vector<std::vector<std::string>> agree_on_words(std::span<const std::vector<std::string>> own,
                                                                   Network& network);

/// Options with which every party reads its own CSV files as parts of one table: order of columns, categories, what
/// stands for missing numbers and the labels' words settled. Shown to all: the names of columns where they differ, the
/// words of categories and labels, and with `missing = "mean"` the means of the columns; each edge of the tree sees the
/// sums and counts of the nodes behind it. `rows_read` grows by the rows that were read for it.
[[nodiscard]] CsvOptions agree_on_csv(std::span<const std::string> files, const CsvOptions& options, Network& network,
                                      Count& rows_read);

/// Options with which every party reads its own file of matrix entries: how large the matrix is, or what its rows and
/// columns are called, names where some party has a word. Shown to all: the largest numbers, or the union of the names.
[[nodiscard]] MatrixEntriesOptions agree_on_entries(std::span<const std::string> files,
                                                    const MatrixEntriesOptions& options, Network& network,
                                                    Count& rows_read);

}  // namespace slidemesh

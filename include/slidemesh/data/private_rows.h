#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/data/row_ranges.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// The rows of this process's nodes, and what is known of those of all nodes together. No process ever holds a row of
/// another's nodes; what it knows of them went from neighbour to neighbour over the network (agree_max, agree_sum).
struct PrivateRows {
  std::vector<Rows> parts;  ///< one a local node, labels as written, in the form that suits the whole table
  std::vector<std::vector<Index>> numbers;  ///< of a part's rows in their file, from 0
  Index features = 0;                       ///< the largest of all nodes'
  Count rows = 0;                           ///< over all nodes
  std::vector<double> classes;  ///< all nodes' different labels, ascending; empty where they were not asked for
  std::vector<std::string> feature_names;  ///< where the file has them
  std::vector<std::string> label_names;
};

/// A reader of a file, or of the rows of some of its bytes.
using OpenReader =
    std::function<std::unique_ptr<RowReader>(const std::filesystem::path& path, const std::optional<ByteRange>& range)>;

struct PrivateRowsOptions {
  Count max_rows = 0;                    ///< of one file: so many rows and no further; 0: all
  bool want_classes = false;             ///< whether labels are classes, to be listed
  std::optional<RowSyntax> syntax = {};  ///< of one file, where its rows can be read from the middle
};

/// The different labels of all nodes, ascending, from those of the nodes of this process: one agreement over the
/// network for each.
[[nodiscard]] std::vector<double> agree_on_classes(std::span<const double> labels, Network& network);

/// Whether a path has a place for the number of a node or a rank.
[[nodiscard]] bool names_parts(const std::string& path);

/// A file for each node ("part-{node}.svm"), or for each process ("part-{rank}.svm"), dealt contiguously to its nodes.
/// A process opens its own files only.
[[nodiscard]] PrivateRows read_part_files(const std::string& path, int rank, Network& network, const OpenReader& open,
                                          const PrivateRowsOptions& options = {});

/// The rows of one file that `split` deals to this process's nodes, and no others, in the order of the file.
struct OwnReader {
  std::unique_ptr<RowReader> reader;
  std::vector<std::vector<Index>> numbers;  ///< in the file, from 0, of each local node's rows
  Partition places;                         ///< of each local node's rows among those that the reader gives
};

/// One file for all. Where rows are dealt contiguously and lie so that they can be read from the middle (row_ranges.h),
/// a process reads the bytes of its own. Else it passes over the file twice, a block of rows at a time: to count, and
/// to let through what is its own. A rule that is not contiguous deals by label, so the labels (not the rows) are then
/// held for a moment.
[[nodiscard]] OwnReader open_own_rows(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                                      const OpenReader& open, const PrivateRowsOptions& options = {});

/// What all must know of a table of which each holds a part, from what each knows of its own.
struct TableFacts {
  Index features = 0;  ///< the largest
  Count rows = 0;
  Count nonzeros = 0;
  std::vector<double> classes;  ///< ascending; empty where they were not asked for

  [[nodiscard]] bool dense() const { return dense_is_faster(rows, features, nonzeros); }
};
[[nodiscard]] TableFacts agree_on_table(const TableFacts& own, std::span<const double> labels, bool want_classes,
                                        Network& network);

/// Those of `open_own_rows`, in memory.
[[nodiscard]] PrivateRows read_own_rows(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                                        const OpenReader& open, const PrivateRowsOptions& options = {});

}  // namespace slidemesh

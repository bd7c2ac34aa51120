#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/load/row_ranges.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// A reader of a file, or of the rows of some of its bytes.
using OpenReader =
    std::function<std::unique_ptr<RowReader>(const std::filesystem::path& path, const std::optional<ByteRange>& range)>;

struct OwnRowsOptions {
  Count max_rows = 0;                    ///< so many rows of the file and no further; 0: all
  std::optional<RowSyntax> syntax = {};  ///< where its rows can be read from the middle
};

/// The rows of one file that `split` deals to this process's nodes, and no others, in the order of the file. No process
/// ever holds a row of another's nodes.
struct OwnReader {
  std::unique_ptr<RowReader> reader;
  std::vector<Index> numbers;  ///< in the file, from 0, of the rows that the reader gives
  Partition places;            ///< of each local node's rows among them
};

/// One file for all. Where rows are dealt contiguously and lie so that they can be read from the middle (row_ranges.h),
/// a process reads the bytes of its own. Else it passes over the file twice, a block of rows at a time: to count, and
/// to let through what is its own. A rule that is not contiguous deals by label, so the labels (not the rows) are then
/// held for a moment.
[[nodiscard]] OwnReader open_own_rows(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                                      const OpenReader& open, const OwnRowsOptions& options = {});

/// Whether a path has a place for the number of a node or a rank: "part-{node}.svm", "part-{rank}.svm".
[[nodiscard]] bool names_parts(const std::string& path);
[[nodiscard]] bool names_parts_of_nodes(const std::string& path);
/// The path with the numbers in their places.
[[nodiscard]] std::string part_path(const std::string& path, int rank, Index node);

}  // namespace slidemesh

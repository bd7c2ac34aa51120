#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slidemesh/data/formats/decompress.h"
#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// How rows lie in a file of text: what tells that a line begins one.
enum class RowSyntax {
  kLibsvm,  ///< a line that is not blank and not a comment
  kCsv,     ///< a line that is not blank and does not begin inside quotes
};

/// Where the rows of this process's nodes lie in a file that all have, dealt contiguously.
struct OwnRange {
  ByteRange bytes;
  Index first = 0;     ///< row of the file, from 0
  Index rows = 0;      ///< how many
  Index all_rows = 0;  ///< of the file, or of its first `max_rows`
};

struct RangeOptions {
  RowSyntax syntax = RowSyntax::kLibsvm;
  bool has_header = false;
  Index max_rows = 0;  ///< of the file: so many and no further; 0: all
};

/// Finds them without anybody reading all of the file. A process looks for the lines that begin in its own share of the
/// bytes (equal shares, in the order of the nodes) and tells how many rows that makes; the sums before it then tell
/// everyone the numbers of the rows in its share, and so where in it a node's rows begin. Two agreements over the
/// network (agree_sum, agree_max for the size). Whether a share begins inside quotes is not known when it is looked
/// through: it is counted both ways.
///
/// Nothing where the file is packed, so that it has no middle to begin in, or where more than kMostNodesByRange nodes
/// would have to hear of: then each process must pass over the file. All processes get an answer or none does.
[[nodiscard]] std::optional<OwnRange> find_own_range(const std::filesystem::path& path, const RangeOptions& options,
                                                     Network& network);

inline constexpr Index kMostNodesByRange = 512;

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

/// One file for all. Where rows are dealt contiguously and lie so that they can be read from the middle (above),
/// a process reads the bytes of its own. Else it passes over the file twice, a block of rows at a time: to count, and
/// to let through what is its own. A rule that is not contiguous deals by label, so the labels (not the rows) are then
/// held for a moment.
[[nodiscard]] OwnReader open_own_rows(const std::filesystem::path& path, const SplitOptions& split, Network& network,
                                      const OpenReader& open, const OwnRowsOptions& options = {});

/// Whether a path has a place for the number of a node or a rank: "part-{node}.svm", "part-{rank}.svm".
[[nodiscard]] bool names_parts(const std::string& path);
[[nodiscard]] bool names_parts_of_nodes(const std::string& path);
/// A text, such as a path, with the numbers in their places.
[[nodiscard]] std::string with_node(const std::string& text, Index node);
[[nodiscard]] std::string part_path(const std::string& path, int rank, Index node);

}  // namespace slidemesh

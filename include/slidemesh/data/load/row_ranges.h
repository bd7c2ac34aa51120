#pragma once

#include <filesystem>
#include <optional>

#include "slidemesh/data/formats/decompress.h"
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

}  // namespace slidemesh

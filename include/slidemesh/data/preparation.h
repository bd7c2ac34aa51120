#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "slidemesh/core/rows.h"

namespace slidemesh {

/// How features are brought to one scale.
enum class Scaling {
  kNone,
  kMaxAbs,    ///< a_j / max |a_j|: keeps zeros, so sparse rows stay sparse
  kStandard,  ///< (a_j - mean) / deviation: makes rows dense
};

[[nodiscard]] Scaling parse_scaling(std::string_view name);
[[nodiscard]] std::string_view to_string(Scaling scaling);

struct PreparationOptions {
  Scaling scaling = Scaling::kNone;
  bool intercept = false;  ///< a last feature that is 1 in every row
};

/// What is done to every row, at every node alike, and what that gave away. Part of a model.
struct Preparation {
  PreparationOptions options;
  std::vector<double> shift;  ///< standard: the means
  std::vector<double> scale;  ///< max-abs, standard: what features are divided by; 1 where a feature is constant

  // What nodes sent one another for it. Scaling constants are statistics of all nodes' rows together:
  // every node learns them, and each edge of a tree sees sums or maxima of the nodes behind it.
  Count numbers_shared = 0;  ///< by each node
  Count messages = 0;        ///< over the nodes of this process; also in the network's meters
  Count bytes_sent = 0;

  [[nodiscard]] bool does_nothing() const { return options.scaling == Scaling::kNone && !options.intercept; }
  [[nodiscard]] Index features(Index before) const { return before + (options.intercept ? 1 : 0); }
};

/// Prepares one row: its features, and room for the intercept behind them where there is one.
void prepare_features(std::span<double> row, const Preparation& preparation);

/// Prepares a table in memory.
void prepare_rows(Rows& rows, const Preparation& preparation);

/// A source that prepares rows as they come, for those that are not in memory. The same bits.
[[nodiscard]] std::shared_ptr<RowSource> prepared_source(std::shared_ptr<RowSource> source,
                                                         std::shared_ptr<const Preparation> preparation);

}  // namespace slidemesh

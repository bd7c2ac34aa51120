#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/labels.h"
#include "slidemesh/data/load/column_notes.h"
#include "slidemesh/data/preparation.h"
#include "slidemesh/data/store/row_store.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

// What nodes agree on before a run. All of it goes from neighbour to neighbour over the network, whose meters charge
// it. No row leaves its node.

/// The different labels of all nodes, ascending, from those of the nodes of this process: one agreement over the
/// network for each. No more than one beyond what `kind` allows: that is enough to refuse them (make_label_map).
[[nodiscard]] std::vector<double> agree_on_classes(std::span<const double> labels, LabelKind kind, Network& network);

/// Parts of one table get its shape: the largest width, and dense rows where that is faster for the whole. Parts of a
/// fixed width that differ in it are a DataError; `where` names the data in it. Four numbers per node.
void agree_on_shape(std::span<const std::shared_ptr<RowStore>> parts, Network& network, const std::string& where);

/// Each node passes over its own rows (max-abs once, standard twice; purpose "preparation"), and all
/// agree on the result by max- or sum-consensus over the network. The first of its passes shows the rows to `watches`,
/// one per node, if there are any.
[[nodiscard]] Preparation agree_preparation(std::span<const std::shared_ptr<RowSource>> local_nodes, Network& network,
                                            const PreparationOptions& options, std::span<ColumnWatch> watches = {});

}  // namespace slidemesh

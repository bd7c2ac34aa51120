#pragma once

#include <memory>
#include <string>
#include <vector>

#include "slidemesh/data/dataset.h"
#include "slidemesh/data/ledger.h"
#include "slidemesh/data/store/row_store.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// Rows of some of this process's nodes, in one store.
struct Piece {
  std::shared_ptr<RowStore> store;
  Partition places = {};           ///< of each node's rows in it
  Partition held_out = {{}, {0}};  ///< of rows that are kept apart
};

/// Data that is open, before anything is done with it.
struct OpenedData {
  std::vector<Piece> pieces;  ///< in the order of this process's nodes
  bool whole = false;         ///< the one piece has all nodes' rows, and has yet to be dealt
  Partition dealt{{}, {0}};   ///< by a file that says which node has what
  Index matrix_rows = 0;      ///< of matrix entries
  Index matrix_columns = 0;
  FeatureMap map;                  ///< what the data calls its columns, labels and entries
  std::vector<std::string> notes;  ///< what was guessed
};

/// Finds out whose rows this process can read, and through what. Parts of one table leave it with one shape, and one
/// meaning of columns and words, agreed on over the network.
[[nodiscard]] OpenedData open_data(const DataSpec& spec, Network& network, Ledger* ledger);

}  // namespace slidemesh

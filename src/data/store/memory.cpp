#include "slidemesh/data/store/row_store.h"

namespace slidemesh {

void MemoryStore::set_table_shape(Index features, bool dense) {
  rows_->features = features;
  if (dense) {
    make_dense(*rows_);
  }
}

Partition MemoryStore::keep_only(Partition own) {
  std::vector<Index> kept;
  Partition places{{}, {0}};
  for (Index i = 0; i < own.nodes(); ++i) {
    const std::vector<Index> of_node = own.rows(i);
    kept.insert(kept.end(), of_node.begin(), of_node.end());
    places.offsets.push_back(static_cast<Index>(kept.size()));
  }
  *rows_ = select_rows(*rows_, kept);
  set_row_numbers(std::move(kept));
  return places;
}

std::vector<std::shared_ptr<RowSource>> MemoryStore::sources(const Partition& places) {
  return node_sources(std::shared_ptr<const Rows>(rows_), places, 0, places.nodes());
}

}  // namespace slidemesh

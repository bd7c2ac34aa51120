#include "slidemesh/core/row_dealer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/random.h"

namespace slidemesh {

void RowDealer::deal_all() {
  if (subset_ != 0) {
    subset_ = 0;
    position_ = 0;
    ++epoch_;
    reshuffle();
  }
}

void RowDealer::deal_subset(Count count) {
  subset_ = count;
  position_ = 0;
  reshuffle();
}

void RowDealer::deal(Count batch, std::vector<Index>& rows) {
  if (order_.empty()) {
    reshuffle();
  }
  const auto dealt = static_cast<Count>(order_.size());
  rows.resize(static_cast<std::size_t>(std::min(batch, dealt)));
  for (Index& row : rows) {
    if (position_ == dealt) {
      ++epoch_;
      position_ = 0;
      reshuffle();
    }
    row = order_[static_cast<std::size_t>(position_++)];
  }
}

void RowDealer::foresee(Count batch, std::vector<Index>& rows) const {
  rows.clear();
  if (position_ + batch <= static_cast<Count>(order_.size())) {
    rows.assign(order_.begin() + position_, order_.begin() + position_ + batch);
  }
}

void RowDealer::reshuffle() {
  const auto shuffled_by = [&](Count epoch) {
    RandomStream random(seed_, Purpose::kRowShuffle, static_cast<std::uint32_t>(node_),
                        static_cast<std::uint32_t>(epoch));
    shuffle(order_, random);
  };
  order_.resize(static_cast<std::size_t>(rows_));
  std::iota(order_.begin(), order_.end(), RowNumber{0});
  if (subset_ != 0) {
    shuffled_by(0);  // which rows the subset has never changes, only their order
    order_.resize(static_cast<std::size_t>(subset_));
  }
  if (subset_ == 0 || epoch_ > 0) {
    shuffled_by(epoch_);
  }
}

/// A checkpoint is not to be trusted further than this.
void RowDealer::require_sensible() const {
  const Count dealt = subset_ == 0 ? rows_ : subset_;
  require<DataError>(subset_ >= 0 && dealt <= rows_ && position_ >= 0 && position_ <= dealt && epoch_ >= 0,
                     fmt::format("checkpoint: node {}", node_), "a place in a permutation of its rows", "none");
}

void RowDealer::visit_state(StateVisitor& visitor) {
  visitor.visit("dealer.subset", subset_);
  visitor.visit("dealer.position", position_);
  visitor.visit("dealer.epoch", epoch_);
  if (visitor.is_reading()) {
    require_sensible();
    reshuffle();
  }
}

}  // namespace slidemesh

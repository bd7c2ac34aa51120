#include "slidemesh/data/hold_out.h"

#include "slidemesh/base/hash.h"
#include "slidemesh/base/random.h"

namespace slidemesh {

bool HoldOut::takes(const RowKey& key) const {
  constexpr std::uint32_t kStream = 0xffffffffU;  // no split draws from it
  const auto* number = std::get_if<std::int64_t>(&key);
  const std::uint64_t of_row =
      number != nullptr ? static_cast<std::uint64_t>(*number) : hash_of(std::get<std::string>(key));
  const double place = bits_to_unit(random_bits(seed, Purpose::kSplit, kStream, 0, of_row));
  return place >= from && place < to;
}

SplitPartition hold_out_rows(const Partition& places, const HoldOut& rule, const std::function<RowKey(Index)>& key) {
  SplitPartition split{{{}, {0}}, {{}, {0}}};
  for (Index i = 0; i < places.nodes(); ++i) {
    for (Index r = 0; r < places.count(i); ++r) {
      const Index row = places.row(i, r);
      (rule.takes(key(row)) ? split.held_out : split.kept).order.push_back(row);
    }
    split.kept.offsets.push_back(static_cast<Index>(split.kept.order.size()));
    const auto held_out = static_cast<Index>(split.held_out.order.size());
    if (held_out > split.held_out.offsets.back()) {
      split.held_out.offsets.push_back(held_out);
    }
  }
  return split;
}

}  // namespace slidemesh

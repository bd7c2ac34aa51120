#include "slidemesh/core/meters.h"

#include <algorithm>

namespace slidemesh {

MeterTotals Meters::totals() const {
  MeterTotals totals;
  totals.communication_rounds = communication_rounds;
  totals.hops = hops;
  totals.scalar_messages = scalar_messages;
  for (const NodeMeters& n : node) {
    totals.data_oracle_calls += n.data_oracle_calls;
    totals.data_oracle_accesses += n.data_oracle_accesses;
    totals.linear_oracle_calls += n.linear_oracle_calls;
    totals.messages += n.messages;
    totals.bytes_sent += n.bytes_sent;
    totals.largest_node_linear_oracle_calls = std::max(totals.largest_node_linear_oracle_calls, n.linear_oracle_calls);
  }
  return totals;
}

}  // namespace slidemesh

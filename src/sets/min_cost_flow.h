#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace slidemesh::detail {

/// Minimum-cost flow by LEMON's network simplex, in integers: exact, and it ends. LEMON is seen by one file only.
class MinCostFlow {
 public:
  struct Network {
    int nodes = 0;
    std::vector<int> from;
    std::vector<int> to;
    std::vector<std::int64_t> capacity;
    std::vector<std::int64_t> supply;  ///< negative: demand; they sum to 0
  };

  explicit MinCostFlow(const Network& network);
  ~MinCostFlow();
  MinCostFlow(const MinCostFlow&) = delete;
  MinCostFlow& operator=(const MinCostFlow&) = delete;

  [[nodiscard]] std::unique_ptr<MinCostFlow> clone() const { return std::make_unique<MinCostFlow>(network_); }
  [[nodiscard]] const Network& network() const { return network_; }

  /// The flow of least cost into `flow`; false if there is none. Costs of any scale: they are rounded to integers of
  /// 2^kCostBits over the largest magnitude.
  bool solve(std::span<const double> costs, std::span<std::int64_t> flow);

  /// Costs of a path through n nodes must fit 63 bits with room to spare.
  static constexpr int kCostBits = 44;

 private:
  struct Lemon;
  Network network_;
  std::unique_ptr<Lemon> lemon_;
};

}  // namespace slidemesh::detail

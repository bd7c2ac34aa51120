#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "checks.h"
#include "slidemesh/sets/transport.h"

namespace slidemesh {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kLanes = 8;

/// The least value and the second least (equal to it in a tie), and where the first of the least is.
struct TwoLeast {
  double least = kInfinity;
  double second = kInfinity;
  Index where = 0;
};

// Eight lanes keep their own two least, which the compiler turns into vector minima; positions are looked up after.
TwoLeast two_least(const double* values, Index n) {
  double least[kLanes];
  double second[kLanes];
  std::fill_n(least, kLanes, kInfinity);
  std::fill_n(second, kLanes, kInfinity);
  Index j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane) {
      const double value = values[j + lane];
      const double larger = value > least[lane] ? value : least[lane];
      least[lane] = value < least[lane] ? value : least[lane];
      second[lane] = larger < second[lane] ? larger : second[lane];
    }
  }
  TwoLeast result;
  const auto take = [&result](double value) {
    if (value < result.least) {
      result.second = result.least;
      result.least = value;
    } else if (value < result.second) {
      result.second = value;
    }
  };
  for (Index lane = 0; lane < kLanes; ++lane) {
    take(least[lane]);
    take(second[lane]);
  }
  for (; j < n; ++j) {
    take(values[j]);
  }
  result.where = std::find(values, values + n, result.least) - values;
  return result;
}

}  // namespace

namespace detail {

/// Minimum-cost perfect matching of n rows and n columns: R. Jonker and A. Volgenant, "A shortest augmenting path
/// algorithm for dense and sparse linear assignment problems" (1987). O(n^3), most of it in long contiguous loops.
class AssignmentSolver {
 public:
  explicit AssignmentSolver(Index n)
      : n_(n),
        column_of_(at(n)),
        row_of_(at(n)),
        price_(at(n)),
        distance_(at(n)),
        open_price_(at(n)),
        taken_(at(n)),
        predecessor_(at(n)),
        columns_(at(n)),
        reduced_(at(n)) {
    free_.reserve(at(n));
  }

  [[nodiscard]] std::unique_ptr<AssignmentSolver> clone() const { return std::make_unique<AssignmentSolver>(n_); }

  /// cost(i, j) at costs[i * n + j]. Returns, for each i, its j.
  const std::vector<Index>& solve(const double* costs) {
    costs_ = costs;
    std::fill(column_of_.begin(), column_of_.end(), kNone);
    std::fill(row_of_.begin(), row_of_.end(), kNone);
    reduce_columns();
    transfer_reductions();
    augmenting_row_reduction();
    augmenting_row_reduction();
    for (Index j = 0; j < n_; ++j) {
      taken_[at(j)] = row_of_[at(j)] == kNone ? 0.0 : kInfinity;
    }
    for (const Index i : free_) {
      augment(i);
    }
    return column_of_;
  }

 private:
  static constexpr Index kNone = -1;
  [[nodiscard]] const double* row(Index i) const { return costs_ + i * n_; }

  /// Each column's price is its least cost; the row that has it takes the column, if it has none yet.
  void reduce_columns() {
    std::copy_n(costs_, n_, price_.begin());
    std::fill(columns_.begin(), columns_.end(), Index{0});
    for (Index i = 1; i < n_; ++i) {
      const double* cost = row(i);
      for (Index j = 0; j < n_; ++j) {
        const bool is_less = cost[j] < price_[at(j)];
        price_[at(j)] = is_less ? cost[j] : price_[at(j)];
        columns_[at(j)] = is_less ? i : columns_[at(j)];
      }
    }
    for (Index j = n_ - 1; j >= 0; --j) {
      const Index i = columns_[at(j)];
      if (column_of_[at(i)] == kNone) {
        column_of_[at(i)] = j;
        row_of_[at(j)] = i;
      }
    }
    free_.clear();
    for (Index i = 0; i < n_; ++i) {
      if (column_of_[at(i)] == kNone) {
        free_.push_back(i);
      }
    }
  }

  /// A row with a column lowers that column's price to where its second choice would be as good.
  void transfer_reductions() {
    if (n_ < 2) {
      return;
    }
    for (Index i = 0; i < n_; ++i) {
      const Index own = column_of_[at(i)];
      if (own == kNone) {
        continue;
      }
      const double* cost = row(i);
      double least = kInfinity;
      for (Index j = 0; j < n_; ++j) {
        const double value = j == own ? kInfinity : cost[j] - price_[at(j)];
        least = value < least ? value : least;
      }
      price_[at(own)] = cost[own] - least;
    }
  }

  /// A free row takes its best column at the price of its second best; who loses the column looks again.
  void augmenting_row_reduction() {
    if (n_ < 2) {
      return;
    }
    std::vector<Index>& waiting = columns_;  // rows that stay free, for the next pass
    std::size_t waiting_count = 0;
    std::size_t turn = 0;
    const std::size_t count = free_.size();
    // Few bids place most rows. Those that are left outbid each other by ever less (by nothing, where rounding or ties
    // have it so), and the shortest paths of `augment` place them sooner.
    Index bids_left = n_;
    while (turn < count) {
      Index i = free_[turn++];
      for (;;) {
        const double* cost = row(i);
        for (Index j = 0; j < n_; ++j) {
          reduced_[at(j)] = cost[j] - price_[at(j)];
        }
        const TwoLeast two = two_least(reduced_.data(), n_);
        const double lowered = price_[at(two.where)] - (two.second - two.least);
        const bool outbids = lowered < price_[at(two.where)];
        if (!outbids && row_of_[at(two.where)] != kNone) {
          waiting[waiting_count++] = i;
          break;
        }
        price_[at(two.where)] = lowered;
        const Index loser = std::exchange(row_of_[at(two.where)], i);
        column_of_[at(i)] = two.where;
        if (loser == kNone) {
          break;
        }
        column_of_[at(loser)] = kNone;
        if (--bids_left <= 0) {
          waiting[waiting_count++] = loser;
          break;
        }
        i = loser;
      }
    }
    free_.assign(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(waiting_count));
    std::sort(free_.begin(), free_.end());
  }

  /// Of the open columns' distances the least, and the least of a column that no row has.
  struct Nearest {
    double any;
    double free;
  };

  /// Offers row i's columns at `distance` to the row itself; the least distances over the open columns.
  Nearest relax(Index i, double offset) {
    const double* cost = row(i);
    double least[kLanes];
    double least_free[kLanes];
    std::fill_n(least, kLanes, kInfinity);
    std::fill_n(least_free, kLanes, kInfinity);
    const auto offer = [&](Index j, Index lane) {
      const double reach = cost[j] - open_price_[at(j)] - offset;
      const bool is_nearer = reach < distance_[at(j)];
      const double distance = is_nearer ? reach : distance_[at(j)];
      distance_[at(j)] = distance;
      predecessor_[at(j)] = is_nearer ? i : predecessor_[at(j)];
      const double if_free = distance + taken_[at(j)];
      least[lane] = distance < least[lane] ? distance : least[lane];
      least_free[lane] = if_free < least_free[lane] ? if_free : least_free[lane];
    };
    Index j = 0;
    for (; j + kLanes <= n_; j += kLanes) {
      for (Index lane = 0; lane < kLanes; ++lane) {
        offer(j + lane, lane);
      }
    }
    for (; j < n_; ++j) {
      offer(j, 0);
    }
    return {*std::min_element(least, least + kLanes), *std::min_element(least_free, least_free + kLanes)};
  }

  /// Dijkstra from a free row over reduced costs to the nearest free column; prices keep all reduced costs >= 0.
  /// Columns that are done stay in the arrays, out of reach, so that every pass is one straight loop.
  void augment(Index free_row) {
    std::copy(price_.begin(), price_.end(), open_price_.begin());
    std::fill(distance_.begin(), distance_.end(), kInfinity);
    Index done = 0;
    Nearest nearest = relax(free_row, 0.0);
    while (nearest.free > nearest.any) {
      const Index j = std::find(distance_.begin(), distance_.end(), nearest.any) - distance_.begin();
      columns_[at(done)] = j;
      reduced_[at(done++)] = nearest.any;
      const Index i = row_of_[at(j)];
      const double offset = row(i)[j] - price_[at(j)] - nearest.any;
      distance_[at(j)] = kInfinity;
      open_price_[at(j)] = -kInfinity;
      nearest = relax(i, offset);
    }
    Index end = 0;
    while (distance_[at(end)] != nearest.free || taken_[at(end)] != 0.0) {
      ++end;
    }
    for (Index k = 0; k < done; ++k) {
      price_[at(columns_[at(k)])] += reduced_[at(k)] - nearest.free;
    }
    taken_[at(end)] = kInfinity;
    for (Index j = end;;) {
      const Index i = predecessor_[at(j)];
      row_of_[at(j)] = i;
      std::swap(column_of_[at(i)], j);
      if (i == free_row) {
        break;
      }
    }
  }

  Index n_;
  const double* costs_ = nullptr;
  std::vector<Index> column_of_;  ///< of a row
  std::vector<Index> row_of_;     ///< of a column
  std::vector<double> price_;     ///< of a column
  std::vector<Index> free_;       ///< rows without a column
  // Work of augment, as are those below.
  std::vector<double> distance_;    ///< of a column from the free row; infinite once it is done
  std::vector<double> open_price_;  ///< its price; minus infinite once it is done
  std::vector<double> taken_;       ///< 0 where no row has the column, else infinite
  std::vector<Index> predecessor_;
  std::vector<Index> columns_;
  std::vector<double> reduced_;
};

}  // namespace detail

Birkhoff::Birkhoff(Index side)
    : OraclePolytope(detail::require_dimension(side, kName) * side,
                     side > 1 ? std::sqrt(2.0 * static_cast<double>(side)) : 0.0, side),
      side_(side),
      solver_(std::make_unique<detail::AssignmentSolver>(side)) {}

// The solver's rows are the matrix's columns, which lie contiguous.
void Birkhoff::linear_minimizer(ConstVectorRef g, VectorRef v) {
  const std::vector<Index>& row_of = solver_->solve(g.data());
  v.setZero();
  for (Index j = 0; j < side_; ++j) {
    v[j * side_ + row_of[static_cast<std::size_t>(j)]] = 1.0;
  }
}

double Birkhoff::violation(ConstVectorRef x) const {
  return detail::marginals_violation(x, Vector::Ones(side_), Vector::Ones(side_));
}

void Birkhoff::start(VectorRef x) const { x.setConstant(1.0 / static_cast<double>(side_)); }

}  // namespace slidemesh

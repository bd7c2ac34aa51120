// A round over columns that are changed first. Where one process has all nodes, some rows of all columns are changed,
// mixed and written back while they are in the nearest cache: every number is then read from memory once and written
// once, where changing, mixing into another block and the next change would take three times that.

#include <algorithm>
#include <vector>

#include "add_terms.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/network/network.h"
#include "slidemesh/transport/transport.h"

namespace slidemesh {

namespace {

constexpr Index kRows = 64;    ///< at a time, and some 50 columns of them in the nearest cache
constexpr Index kMost = 512;   ///< columns whose rows are in a near cache
constexpr Index kBlocks = 32;  ///< of kRows each, that a thread takes at once

/// Some rows of all columns, and what a node adds up of them.
class Rows {
 public:
  Rows(const Graph& graph, const MixingWeights& w) : numbers_(kRows, graph.nodes()) {
    for (Index i = 0; i < graph.nodes(); ++i) {
      first_.push_back(terms_.size());
      std::size_t e = 0;
      for (const Index j : graph.neighbours(i)) {
        terms_.push_back({numbers_.col(j).data(), w.edge[static_cast<std::size_t>(i)][e++]});
      }
    }
    first_.push_back(terms_.size());
  }

  [[nodiscard]] double* column(Index i) { return numbers_.col(i).data(); }
  [[nodiscard]] std::span<const Term> terms(Index i) const {
    const auto node = static_cast<std::size_t>(i);
    return std::span(terms_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  Matrix numbers_;
  std::vector<Term> terms_;  ///< of all nodes
  std::vector<std::size_t> first_;
};

/// Asks for the next rows of a column: the machine itself sees no order in going from column to column.
void fetch_ahead(const double* column, Index begin, Index end) {
  constexpr Index kLine = 8;  // numbers that memory comes in
  for (Index row = begin; row < end; row += kLine) {
    __builtin_prefetch(column + row);
  }
}

}  // namespace

void Network::mix_changed(const MixingWeights& w, const ChangeRows& change, Stacked& x) {
  const Index d = x.rows();
  if (!transport_->is_alone() || wire_ != Wire::kFloat64 || nodes() > kMost) {
    for_each_node(x.cols(), 2.0 * static_cast<double>(d),
                  [&](Index i) { change(i, 0, d, x.col(i).data(), x.col(i).data()); });
    mixed_.resize(d, x.cols());
    mix(w, x, mixed_);
    x.swap(mixed_);
    return;
  }
  charge_round(x);
  begin_round(x, Traffic::kMethod);
  transport_->finish_exchange();
  const Index pieces = (d + kRows * kBlocks - 1) / (kRows * kBlocks);
  const double work = round_work(kRows * kBlocks) * static_cast<double>(x.cols());
  for_each_node(pieces, work, [&](Index p) {
    Rows rows(graph_, w);
    const Index last = std::min(d, (p + 1) * kRows * kBlocks);
    for (Index begin = p * kRows * kBlocks; begin < last; begin += kRows) {
      const Index end = std::min(last, begin + kRows);
      for (Index i = 0; i < x.cols(); ++i) {
        change(i, begin, end, x.col(i).data() + begin, rows.column(i));
      }
      for (Index i = 0; i < x.cols(); ++i) {
        fetch_ahead(x.col(i).data(), end, std::min(last, end + kRows));
        add_terms(rows.terms(i), rows.column(i), w.diagonal(i), x.col(i).data() + begin, {0, end - begin});
      }
    }
  });
  end_round(Traffic::kMethod);
}

}  // namespace slidemesh

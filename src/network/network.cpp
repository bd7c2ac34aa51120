#include "slidemesh/network/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "slidemesh/base/fail.h"
#include "slidemesh/linalg/add_terms.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/network/riding_sums.h"
#include "slidemesh/transport/sparse_message.h"
#include "slidemesh/transport/transport.h"

namespace slidemesh {

namespace {

/// A number of a column that travels as floats in the place of doubles. A transport carries doubles and looks into
/// none.
double float_at(const double* column, Index row) {
  float number;
  std::memcpy(&number, reinterpret_cast<const std::byte*>(column) + row * static_cast<Index>(sizeof number),
              sizeof number);
  return static_cast<double>(number);
}

/// A node's keep own + the sum over its neighbours of weights[e] times theirs, as numbers travelled.
struct Combination {
  const Transport& transport;
  Index node = 0;
  const double* own = nullptr;
  double keep = 0.0;
  double* out = nullptr;
  const double* weights = nullptr;    ///< of a mix; of a Laplacian all are -1
  const double* unrounded = nullptr;  ///< of a mix: what its own numbers were
};

/// Doubles as they are.
void add_doubles(const Combination& c, Piece piece) {
  thread_local std::vector<Term> terms;
  terms.clear();
  std::size_t e = 0;
  for (const Index j : c.transport.graph().neighbours(c.node)) {
    terms.push_back({c.transport.column(j), c.weights != nullptr ? c.weights[e++] : -1.0});
  }
  add_terms(terms, c.own, c.keep, c.out, piece);
}

/// For `kWidth` rows from `row` on: some at a time, which stay in registers until all neighbours have been added.
/// Mixing keeps what rounding took from the node's own numbers: so a mean over all nodes stays what it was.
template <bool kMixes, Index kWidth>
void add_few_floats(const Combination& c, Index row) {
  std::array<double, kWidth> sum;
  for (Index r = 0; r < kWidth; ++r) {
    sum[static_cast<std::size_t>(r)] = c.keep * float_at(c.own, row + r);
  }
  std::size_t e = 0;
  for (const Index j : c.transport.graph().neighbours(c.node)) {
    const double weight = kMixes ? c.weights[e++] : -1.0;
    const double* theirs = c.transport.column(j);
    for (Index r = 0; r < kWidth; ++r) {
      sum[static_cast<std::size_t>(r)] += weight * float_at(theirs, row + r);
    }
  }
  if constexpr (kMixes) {
    for (Index r = 0; r < kWidth; ++r) {
      sum[static_cast<std::size_t>(r)] += c.unrounded[row + r] - float_at(c.own, row + r);
    }
  }
  std::copy(sum.begin(), sum.end(), c.out + row);
}

template <bool kMixes>
void add_floats(const Combination& c, Piece piece) {
  constexpr Index kWide = 32;
  constexpr Index kNarrow = 4;
  Index row = piece.begin;
  for (; row + kWide <= piece.end; row += kWide) {
    add_few_floats<kMixes, kWide>(c, row);
  }
  for (; row + kNarrow <= piece.end; row += kNarrow) {
    add_few_floats<kMixes, kNarrow>(c, row);
  }
  for (; row < piece.end; ++row) {
    add_few_floats<kMixes, 1>(c, row);
  }
}

/// n doubles as floats, two in the place of one; an odd one has a zero for company. Returns the largest magnitude.
double pack(const double* x, Index n, double* packed) {
  double largest = 0.0;
  for (Index r = 0; r < n; ++r) {
    const auto number = static_cast<float>(x[r]);
    std::memcpy(reinterpret_cast<std::byte*>(packed) + r * static_cast<Index>(sizeof number), &number, sizeof number);
    largest = std::max(largest, std::abs(x[r]));
  }
  if (n % 2 != 0) {
    std::memset(reinterpret_cast<std::byte*>(packed) + n * static_cast<Index>(sizeof(float)), 0, sizeof(float));
  }
  return largest;
}

/// body(node, piece) for all of them. Long columns are cut into pieces of which those of all nodes fit into the cache
/// together: every number is then fetched from memory once per round, however many neighbours want it.
template <class Body>
void for_each_piece(const std::vector<Index>& nodes, Index rows, double work_per_node, Body&& body) {
  constexpr Index kNear = 16384;   // numbers, and as many of the result: 256 KB
  constexpr Index kMultiple = 32;  // that add_terms takes at once
  constexpr Index kShortest = 64;
  const auto count = static_cast<Index>(nodes.size());
  const Index length = std::max(kShortest, kNear / std::max<Index>(1, count) / kMultiple * kMultiple);
  if (rows <= 2 * length || count < 2) {
    for_each_node(count, work_per_node, [&](Index i) { body(nodes[static_cast<std::size_t>(i)], Piece{0, rows}); });
    return;
  }
  const Index pieces = (rows + length - 1) / length;
  const double work = work_per_node * static_cast<double>(count) / static_cast<double>(pieces);
  for_each_node(pieces, work, [&](Index p) {
    for (const Index i : nodes) {
      body(i, Piece{p * length, std::min(rows, (p + 1) * length)});
    }
  });
}

}  // namespace

Network::Network(std::unique_ptr<Transport> transport)
    : transport_(std::move(transport)),
      graph_(transport_->graph()),
      first_node_(transport_->first_node()),
      local_nodes_(transport_->local_nodes()),
      meters_(local_nodes_) {
  for (Index i = 0; i < local_nodes_; ++i) {
    const auto neighbours = graph_.neighbours(global(i));
    const bool inside = std::all_of(neighbours.begin(), neighbours.end(), [&](Index j) { return owns(j); });
    (inside ? interior_ : boundary_).push_back(i);
  }
}

Network::~Network() = default;

bool Network::rounds_numbers(Traffic traffic) const { return wire_ == Wire::kFloat32 && traffic == Traffic::kMethod; }

void Network::set_wire(Wire wire) {
  wire_ = wire;
  transport_->set_wire(wire);
}

Count Network::message_bytes(const Stacked& x, Index local) const {
  constexpr Count kDouble = sizeof(double);
  switch (wire_) {
    case Wire::kFloat32:
      return (x.rows() + 1) / 2 * kDouble;
    case Wire::kSparse:
      return static_cast<Count>(sparse_size(x.col(local).data(), x.rows()));
    case Wire::kFloat64:
      break;
  }
  return x.rows() * kDouble;
}

template <class Bytes>
void Network::charge_messages(Bytes&& bytes_of_node) {
  ++meters_.communication_rounds;
  ++meters_.hops;
  for (Index i = 0; i < local_nodes_; ++i) {
    const Index degree = graph_.degree(global(i));
    meters_.at(i).messages += degree;
    meters_.at(i).bytes_sent += degree * bytes_of_node(i);
  }
}

void Network::charge_round(const Stacked& x) {
  charge_messages([&](Index i) { return message_bytes(x, i); });
}

void Network::begin_round(const Stacked& x, Traffic traffic) {
  sent_riders_.clear();
  received_riders_.clear();
  if (traffic == Traffic::kMethod) {
    for (RidingSums* sums : riding_) {
      sums->board(sent_riders_, received_riders_);
    }
  }
  transport_->start_exchange(rounds_numbers(traffic) ? packed(x) : x, traffic, {sent_riders_, received_riders_});
}

void Network::end_round(Traffic traffic) {
  if (traffic == Traffic::kMethod) {
    for (RidingSums* sums : riding_) {
      sums->arrive();
    }
  }
}

double Network::round_work(Index rows) const {
  const double edges_per_node = 2.0 * static_cast<double>(graph_.edges()) / static_cast<double>(graph_.nodes());
  return (1.0 + edges_per_node) * static_cast<double>(rows);
}

template <class Combine>
void Network::for_each_exchanged(const Stacked& x, Traffic traffic, Combine&& combine) {
  const double work = round_work(x.rows());
  begin_round(x, traffic);
  for_each_piece(interior_, x.rows(), work, combine);
  transport_->finish_exchange();
  for_each_piece(boundary_, x.rows(), work, combine);
  end_round(traffic);
}

void Network::laplacian(const Stacked& x, Stacked& y) {
  charge_round(x);
  laplacian(x, Traffic::kMethod, y);
}

const Stacked& Network::packed(const Stacked& x) {
  constexpr double kLargestFloat = std::numeric_limits<float>::max();
  packed_.resize((x.rows() + 1) / 2, x.cols());
  largest_.resize(x.cols());
  for_each_node(x.cols(), static_cast<double>(x.rows()),
                [&](Index i) { largest_[i] = pack(x.col(i).data(), x.rows(), packed_.col(i).data()); });
  if (x.cols() > 0 && largest_.maxCoeff() > kLargestFloat) {
    fail<DataError>("network.wire", "numbers within the range of float32", fmt::format("{}", largest_.maxCoeff()));
  }
  return packed_;
}

void Network::laplacian(const Stacked& x, Traffic traffic, Stacked& y) {
  const bool rounded = rounds_numbers(traffic);
  for_each_exchanged(x, traffic, [&](Index i, Piece piece) {
    const auto degree = static_cast<double>(graph_.degree(global(i)));
    const double* own = (rounded ? packed_ : x).col(i).data();
    const Combination sum{*transport_, global(i), own, degree, y.col(i).data()};
    rounded ? add_floats<false>(sum, piece) : add_doubles(sum, piece);
  });
}

void Network::mix(const MixingWeights& w, const Stacked& x, Stacked& y) {
  charge_round(x);
  exchange_and_mix(w, x, y);
}

void Network::mix(const MixingWeights& w, Stacked& x) {
  charge_round(x);
  if (can_mix_late()) {
    mix_in_place(w, x);
  } else {
    mixed_.resize(x.rows(), x.cols());
    exchange_and_mix(w, x, mixed_);
    x.swap(mixed_);
  }
}

bool Network::can_mix_late() const { return transport_->is_alone() && wire_ == Wire::kFloat64; }

void Network::mix_part(const MixingWeights& w, Stacked& part, Index rows) {
  if (!can_mix_late()) {
    throw InternalError("a part of a round was asked of a network that sends its messages");
  }
  charge_messages([rows](Index) { return rows * static_cast<Count>(sizeof(double)); });
  mix_in_place(w, part);
}

bool Network::can_mix_compact() const { return transport_->is_alone() && wire_ != Wire::kFloat32; }

namespace {

/// What a column would send: numbers whose bits are not all zero.
Count numbers_sent(const CompactStacked& x, Index i) {
  const double* column = x.numbers().col(i).data();
  const auto stored = static_cast<Count>(stored_numbers(column, x.kept()));
  return stored + (stored_numbers(column + x.kept(), 1) > 0 ? x.rows() - x.kept() : 0);
}

}  // namespace

void Network::mix_compact(const MixingWeights& w, CompactStacked& x) {
  if (!can_mix_compact()) {
    throw InternalError("a compact round was asked of a network that sends whole columns");
  }
  charge_messages([&](Index i) {
    return wire_ == Wire::kSparse ? static_cast<Count>(sparse_size_of(numbers_sent(x, i), x.rows()))
                                  : x.rows() * static_cast<Count>(sizeof(double));
  });
  mix_in_place(w, x.numbers());
}

/// Some rows of all nodes at a time, from a copy in the nearest cache into their place: a second block would be as
/// large as the variable, and what is written there would have to come from memory first.
void Network::mix_in_place(const MixingWeights& w, Stacked& x) {
  constexpr Index kNear = 2048;  // numbers: 16 KB, half of that cache
  constexpr Index kFewest = 64;  // rows, eight lines of the cache: fewer would come from memory one by one
  constexpr Index kPieces = 4;   // that share a list of terms: making it takes a seventh as long as mixing one of them
  begin_round(x, Traffic::kMethod);
  transport_->finish_exchange();
  const Index length = std::max(kFewest, kNear / nodes());
  const Index stretch = kPieces * length;
  for_each_node((x.rows() + stretch - 1) / stretch, round_work(stretch) * static_cast<double>(nodes()), [&](Index s) {
    thread_local Stacked before;
    thread_local std::vector<Term> terms;
    before.resize(length, x.cols());
    terms.clear();
    for (Index i = 0; i < x.cols(); ++i) {
      const double* weight = w.edge[static_cast<std::size_t>(i)].data();
      for (const Index j : graph_.neighbours(i)) {
        terms.push_back({before.col(j).data(), *weight++});
      }
    }
    const Index end = std::min(x.rows(), (s + 1) * stretch);
    for (Index first = s * stretch; first < end; first += length) {
      const Index count = std::min(length, end - first);
      before.topRows(count) = x.middleRows(first, count);
      const Term* term = terms.data();
      for (Index i = 0; i < x.cols(); ++i) {
        const std::span own(term, static_cast<std::size_t>(graph_.degree(i)));
        add_terms(own, before.col(i).data(), w.diagonal(i), x.col(i).data() + first, {0, count});
        term += own.size();
      }
    }
  });
  end_round(Traffic::kMethod);
}

void Network::exchange_and_mix(const MixingWeights& w, const Stacked& x, Stacked& y) {
  const bool rounded = rounds_numbers(Traffic::kMethod);
  for_each_exchanged(x, Traffic::kMethod, [&](Index i, Piece piece) {
    const double* weights = w.edge[static_cast<std::size_t>(global(i))].data();
    const double* own = (rounded ? packed_ : x).col(i).data();
    const Combination sum{*transport_, global(i),      own, w.diagonal(global(i)), y.col(i).data(),
                          weights,     x.col(i).data()};
    rounded ? add_floats<true>(sum, piece) : add_doubles(sum, piece);
  });
}

Vector Network::agree(const Matrix& values, Reduction reduction) {
  const SpanningTree& tree = transport_->tree();
  for (Index i = 0; i < local_nodes_; ++i) {
    const auto node = static_cast<std::size_t>(global(i));
    // One message up to the parent, and one down to each child.
    const Count sent = (tree.parent[node] >= 0 ? 1 : 0) + static_cast<Count>(tree.children[node].size());
    meters_.at(i).messages += sent;
    meters_.at(i).bytes_sent += sent * values.rows() * static_cast<Count>(sizeof(double));
    meters_.scalar_messages += sent;
  }
  meters_.hops += 2 * tree.depth;
  Matrix columns = values;
  transport_->reduce_up(tree, columns, reduction, Traffic::kMethod);
  transport_->pass_down(tree, columns, Traffic::kMethod);
  return columns.col(0);
}

Vector Network::agree_sum(const Matrix& values) { return agree(values, Reduction::kSum); }

Vector Network::agree_max(const Matrix& values) { return agree(values, Reduction::kMax); }

void Network::mean_at_centre(const Stacked& x, Vector& mean) {
  meters_.hops += 2 * transport_->tree().depth;
  mean = combined_at_root(*transport_, x, sum_in_order) / static_cast<double>(nodes());
}

}  // namespace slidemesh

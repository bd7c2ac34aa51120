#include "slidemesh/algorithms/matrix_iterates.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "slidemesh/linalg/add_terms.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

constexpr std::size_t kMostRounds = 16;  ///< that wait: memory is then read and written a sixteenth as often
constexpr Index kFours = 8;              ///< of rows that are taken at once: those of some 50 nodes are in a near cache
constexpr Index kMostRows = 4 * kFours;
constexpr Index kColumns = 32;  ///< of a matrix, that a thread takes at once

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

MatrixIterates::MatrixIterates(Network& network, const MixingWeights& w, Stacked theta, Index rows)
    : network_(network), w_(w), rows_(rows), theta_(std::move(theta)), rounds_(kMostRounds) {}

void MatrixIterates::watch(const std::vector<Count>& places, std::vector<std::vector<Count>> own) {
  static_cast<void>(whole());
  if (!network_.can_mix_late()) {
    return;
  }
  places_ = places;
  own_ = std::move(own);
  pattern_ = SparseColumns(rows_, theta_.rows() / rows_, places);
  watched_.resize(static_cast<Index>(places.size()), theta_.cols());
  gather_watched();
}

void MatrixIterates::move(double gamma, const Matrix& left, const Matrix& right) {
  if (!next_.is_none) {
    static_cast<void>(whole());
  }
  next_.is_none = false;
  next_.keep = 1.0 - gamma;
  next_.left = left;
  next_.factors = (gamma * right).transpose();
}

void MatrixIterates::mix() {
  if (watched_.size() == 0) {
    Stacked& moved = whole();
    other_.resize(moved.rows(), moved.cols());
    network_.mix(w_, moved, other_);
    moved.swap(other_);
    return;
  }
  if (!next_.is_none) {
    for_each_node(theta_.cols(), 4.0 * static_cast<double>(watched_.rows()), [&](Index i) { move_watched(i); });
  }
  network_.mix_part(w_, watched_, theta_.rows());
  std::swap(rounds_[waiting_++], next_);
  next_.is_none = true;
  if (waiting_ == rounds_.size()) {
    catch_up();
  }
}

ConstVectorRef MatrixIterates::at_own_places(Index i) {
  if (watched_.size() > 0) {
    for (const Count k : own_[at(i)]) {
      theta_(places_[static_cast<std::size_t>(k)], i) = watched_(k, i);
    }
  }
  return theta_.col(i);
}

Stacked& MatrixIterates::whole() {
  catch_up();
  if (!next_.is_none) {
    for_each_node(theta_.cols(), 2.0 * static_cast<double>(theta_.rows()), [&](Index i) {
      for (Index column = 0; column < next_.factors.cols(); ++column) {
        auto numbers = theta_.col(i).segment(column * rows_, rows_);
        numbers = next_.keep * numbers + next_.factors(i, column) * next_.left.col(i);
      }
    });
    next_.is_none = true;
    gather_watched();
  }
  return theta_;
}

void MatrixIterates::move_watched(Index i) {
  double* number = watched_.col(i).data();
  const double* left = next_.left.col(i).data();
  const double keep = next_.keep;
  for (Index column = 0; column < pattern_.columns(); ++column) {
    const double factor = next_.factors(i, column);
    const std::span<const std::int32_t> rows = pattern_.rows_of(column);
    std::size_t k = 0;
    for (; k + 4 <= rows.size(); k += 4) {
      auto& four = *reinterpret_cast<Four*>(number + k);
      four = keep * four + factor * Four{left[rows[k]], left[rows[k + 1]], left[rows[k + 2]], left[rows[k + 3]]};
    }
    for (; k < rows.size(); ++k) {
      number[k] = keep * number[k] + factor * left[rows[k]];
    }
    number += rows.size();
  }
}

void MatrixIterates::gather_watched() {
  for (Index i = 0; i < watched_.cols(); ++i) {
    for (std::size_t k = 0; k < places_.size(); ++k) {
      watched_(static_cast<Index>(k), i) = theta_(places_[k], i);
    }
  }
}

void MatrixIterates::scatter_watched() {
  for_each_node(watched_.cols(), 2.0 * static_cast<double>(watched_.rows()), [&](Index i) {
    for (std::size_t k = 0; k < places_.size(); ++k) {
      theta_(places_[k], i) = watched_(static_cast<Index>(k), i);
    }
  });
}

/// Some rows of a matrix's columns, of all nodes, on their way through the rounds that wait, by turns in one of two
/// blocks and in the other. Rows are filled up to fours.
class MatrixIterates::SomeRows {
 public:
  SomeRows(const MatrixIterates& of, Index first, Index count)
      : of_(of), nodes_(of.theta_.cols()), first_(first), count_(count) {
    for (Block& block : blocks_) {
      block.numbers = Matrix::Zero(kMostRows, nodes_);
      for (Index i = 0; i < nodes_; ++i) {
        block.first_term.push_back(block.terms.size());
        std::size_t e = 0;
        for (const Index j : of.network_.graph().neighbours(i)) {
          block.terms.push_back({block.numbers.col(j).data(), of.w_.edge[at(i)][e++]});
        }
      }
      block.first_term.push_back(block.terms.size());
    }
    left_ = Matrix::Zero(kMostRows, nodes_ * static_cast<Index>(of.waiting_));
    for (std::size_t round = 0; round < of.waiting_; ++round) {
      if (!of.rounds_[round].is_none) {
        left_.block(0, static_cast<Index>(round) * nodes_, count, nodes_) =
            of.rounds_[round].left.middleRows(first, count);
      }
    }
  }

  /// The rows of columns begin .. end-1.
  void pass(Index begin, Index end, Stacked& theta) {
    using Pass = void (SomeRows::*)(Index, Index, Stacked&);
    constexpr std::array<Pass, kFours> kPasses = [] {
      std::array<Pass, kFours> passes;
      [&]<int... k>(std::integer_sequence<int, k...>) { ((passes[k] = &SomeRows::pass_fours<k + 1>), ...); }
      (std::make_integer_sequence<int, kFours>());
      return passes;
    }();
    (this->*kPasses[at((count_ - 1) / 4)])(begin, end, theta);
  }

 private:
  struct Block {
    Matrix numbers;           ///< a column per node
    std::vector<Term> terms;  ///< of all nodes, over these numbers
    std::vector<std::size_t> first_term;
  };

  template <int kCount>
  void pass_fours(Index begin, Index end, Stacked& theta) {
    for (Index column = begin; column < end; ++column) {
      const Index first = column * of_.rows_ + first_;
      for (Index i = 0; i < nodes_; ++i) {
        copy<kCount>(theta.col(i).data() + first, blocks_[0].numbers.col(i).data());
        fetch_ahead(theta.col(i).data() + first + (column + 1 < end ? of_.rows_ : 0));
      }
      move<kCount>(column);
      for (std::size_t round = 0; round < of_.waiting_; ++round) {
        mix<kCount>(column, round);
      }
      const Block& last = blocks_[of_.waiting_ % 2];
      for (Index i = 0; i < nodes_; ++i) {
        copy<kCount>(last.numbers.col(i).data(), theta.col(i).data() + first);
      }
    }
  }

  /// A node's numbers of a column; few: a call for each would take as long as copying.
  template <int kCount>
  void copy(const double* from, double* to) const {
    if (count_ == 4 * kCount) {
#pragma GCC unroll 8
      for (int r = 0; r < kCount; ++r) {
        reinterpret_cast<Four*>(to)[r] = reinterpret_cast<const Four*>(from)[r];
      }
    } else {
      std::copy_n(from, count_, to);
    }
  }

  /// A round, and the move before the next one.
  template <int kCount>
  void mix(Index column, std::size_t round) {
    const Block& from = blocks_[round % 2];
    Block& to = blocks_[(round + 1) % 2];
    for (Index i = 0; i < nodes_; ++i) {
      const std::size_t begin = from.first_term[at(i)];
      const std::span<const Term> terms(from.terms.data() + begin, from.first_term[at(i) + 1] - begin);
      Four sum[kCount];
      sum_fours(terms, from.numbers.col(i).data(), of_.w_.diagonal(i), 0, sum);
      move_node(column, round + 1, i, sum);
      auto* out = reinterpret_cast<Four*>(to.numbers.col(i).data());
#pragma GCC unroll 8
      for (int r = 0; r < kCount; ++r) {
        out[r] = sum[r];
      }
    }
  }

  /// The move before the first round.
  template <int kCount>
  void move(Index column) {
    for (Index i = 0; i < nodes_; ++i) {
      auto* numbers = reinterpret_cast<Four*>(blocks_[0].numbers.col(i).data());
      Four moved[kCount];
      std::copy_n(numbers, kCount, moved);
      move_node(column, 0, i, moved);
      std::copy_n(moved, kCount, numbers);
    }
  }

  template <int kCount>
  void move_node(Index column, std::size_t round, Index i, Four (&numbers)[kCount]) const {
    if (round == of_.waiting_ || of_.rounds_[round].is_none) {
      return;
    }
    const Move& move = of_.rounds_[round];
    const double factor = move.factors(i, column);
    const auto* left = reinterpret_cast<const Four*>(left_.col(static_cast<Index>(round) * nodes_ + i).data());
#pragma GCC unroll 8
    for (int r = 0; r < kCount; ++r) {
      numbers[r] = move.keep * numbers[r] + factor * left[r];
    }
  }

  /// The machine itself sees no order in going from node to node.
  void fetch_ahead(const double* numbers) const {
    constexpr Index kLine = 8;  // numbers that memory comes in
    for (Index row = 0; row < count_; row += kLine) {
      __builtin_prefetch(numbers + row);
    }
  }

  const MatrixIterates& of_;
  Index nodes_;
  Index first_;
  Index count_;
  std::array<Block, 2> blocks_;
  Matrix left_;  ///< of the moves, a column per round and node
};

void MatrixIterates::catch_up() {
  if (waiting_ == 0) {
    return;
  }
  const Index columns = theta_.rows() / rows_;
  const Index blocks = (rows_ + kMostRows - 1) / kMostRows;
  const Index height = ((rows_ + blocks - 1) / blocks + 3) / 4 * 4;  // all about as high
  const Index groups = (columns + kColumns - 1) / kColumns;
  const double terms = 2.0 * static_cast<double>(network_.graph().edges() + network_.nodes());
  const double work = terms * static_cast<double>(height * kColumns) * static_cast<double>(waiting_);
  for_each_node(blocks * groups, work, [&](Index piece) {
    const Index first = piece / groups * height;
    const Index begin = piece % groups * kColumns;
    if (first < rows_) {
      SomeRows some(*this, first, std::min(height, rows_ - first));
      some.pass(begin, std::min(columns, begin + kColumns), theta_);
    }
  });
  waiting_ = 0;
  scatter_watched();
}

}  // namespace slidemesh

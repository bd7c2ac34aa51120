#include "slidemesh/session/checkpoint.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/base/random.h"
#include "support/error_text.h"

namespace slidemesh {
namespace {

using testing::error_text;

constexpr Index kNodes = 7;
constexpr Index kDimension = 3;
constexpr Index kWide = 150;
constexpr std::size_t kHeader = 32;

/// State of every kind: shared, one column or element a node, and a node's own of any size.
struct State {
  State(Index first, Index count)
      : x(kDimension, count),
        per_node(count),
        own(static_cast<std::size_t>(count)),
        mostly_zero(Matrix::Zero(kWide, count)) {
    for (Index i = 0; i < count; ++i) {
      const auto node = static_cast<double>(first + i);
      x.col(i) << node, node + 0.25, -node;
      per_node(i) = 100.0 + node;
      own[static_cast<std::size_t>(i)].assign(static_cast<std::size_t>(first + i), node);
      mostly_zero(kWide - 1, i) = 7.0 + node;
      mostly_zero(first + i, i) = -0.0;
    }
  }
  void visit(StateVisitor& visitor) {
    visitor.visit("k", k);
    visitor.visit("weight", weight);
    visitor.visit("x", x);
    visitor.visit("per_node", per_node);
    visitor.visit("common", common);
    visitor.visit("mostly_zero", mostly_zero);
    visitor.visit("zeros", zeros);
    for (std::size_t i = 0; i < own.size(); ++i) {
      visitor.node(static_cast<Index>(i));
      visitor.visit("own", own[i]);
    }
    visitor.all_nodes();
    visitor.visit("history", history);
  }
  void forget() {
    k = 0;
    weight = 0.0;
    x.resize(0, 0);  // as of a method that has no such state before its first step
    per_node.setZero();
    common.setZero();
    mostly_zero.resize(0, 0);
    zeros.setOnes();
    for (auto& list : own) {
      list.clear();
    }
    history.clear();
  }
  friend bool operator==(const State& a, const State& b) {
    const auto bits = [](const Matrix& m) {
      return std::string(reinterpret_cast<const char*>(m.data()), sizeof(double) * static_cast<std::size_t>(m.size()));
    };
    return a.k == b.k && a.weight == b.weight && a.x == b.x && a.per_node == b.per_node && a.common == b.common &&
           a.own == b.own && a.history == b.history && bits(a.mostly_zero) == bits(b.mostly_zero) && a.zeros == b.zeros;
  }

  Count k = 12;
  double weight = 0.1;
  Matrix x;
  Vector per_node;
  Vector common = Vector::LinSpaced(5, 0.0, 1.0);
  std::vector<std::vector<double>> own;
  std::vector<Count> history{3, 1, 4, 1, 5};
  Matrix mostly_zero;
  Vector zeros = Vector::Zero(kWide);
};

std::string part_bytes(Index first, Index count) {
  CheckpointWriter writer({"my run", "ipds", 12, kNodes, first, count, {{"problem.mu", "0.5"}}});
  State(first, count).visit(writer);
  return writer.finish();
}

std::shared_ptr<const CheckpointPart> part(Index first, Index count) {
  return std::make_shared<const CheckpointPart>(part_bytes(first, count), "part");
}

State restored(std::vector<std::shared_ptr<const CheckpointPart>> parts, Index first, Index count) {
  CheckpointReader reader(std::move(parts), first, count);
  State state(first, count);
  state.forget();
  state.visit(reader);
  reader.finish();
  return state;
}

/// The bytes as someone would forge them: the checksum is right again.
std::string resealed(std::string bytes) {
  const std::uint64_t sum = hash_of(std::string_view(bytes).substr(kHeader));
  std::memcpy(bytes.data() + 24, &sum, sizeof(sum));
  return bytes;
}

TEST(Checkpoint, AWriterThatMeasuresSaysHowLongAPartWillBe) {
  CheckpointWriter measure({"my run", "ipds", 12, kNodes, 0, kNodes, {{"problem.mu", "0.5"}}},
                           CheckpointWriter::Measure{});
  State(0, kNodes).visit(measure);
  EXPECT_EQ(measure.size(), part_bytes(0, kNodes).size());
}

TEST(Checkpoint, APartInTheMemoryOfAnotherIsThatOfANewWriter) {
  CheckpointWriter writer({"my run", "ipds", 12, kNodes, 0, kNodes, {{"problem.mu", "0.5"}}}, std::string(10'000, 'x'));
  State(0, kNodes).visit(writer);
  EXPECT_EQ(writer.finish(), part_bytes(0, kNodes));
}

TEST(Checkpoint, RoundTripIsExact) {
  const auto whole = part(0, kNodes);
  EXPECT_EQ(whole->identity().label, "my run");
  EXPECT_EQ(whole->identity().method, "ipds");
  EXPECT_EQ(whole->identity().step, 12);
  EXPECT_EQ(whole->identity().settings.front().first, "problem.mu");
  EXPECT_EQ(restored({whole}, 0, kNodes), State(0, kNodes));
}

TEST(Checkpoint, NodesMayBeDealtAnew) {
  const std::vector parts{part(0, 3), part(3, 2), part(5, 2)};
  EXPECT_EQ(restored(parts, 0, kNodes), State(0, kNodes)) << "three processes to one";
  EXPECT_EQ(restored({part(0, kNodes)}, 2, 3), State(2, 3)) << "one process to more";
  EXPECT_EQ(restored({parts[0], parts[1]}, 2, 3), State(2, 3)) << "across a border";
}

TEST(Checkpoint, PartsMustFitTogether) {
  EXPECT_THROW(CheckpointReader({part(0, 3), part(5, 2)}, 0, kNodes), UsageError);
  EXPECT_THROW(CheckpointReader({part(0, 3)}, 0, kNodes), UsageError);
  EXPECT_THROW(CheckpointReader({}, 0, 1), UsageError);
}

TEST(Checkpoint, EveryCutAndEveryChangedByteIsSeen) {
  const std::string good = part_bytes(0, 2);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(CheckpointPart(good.substr(0, size), "cut"), DataError) << size;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    EXPECT_THROW(CheckpointPart(bad, "changed"), DataError) << at;
  }
  EXPECT_THROW(CheckpointPart(good + '\0', "longer"), DataError);
}

TEST(Checkpoint, SaysWhatIsWrong) {
  const std::string good = part_bytes(0, 2);
  EXPECT_EQ(error_text<DataError>([&] { CheckpointPart("text", "file"); }),
            "file: expected a checkpoint of slidemesh, got something else");
  std::string other = good;
  std::swap(other[8], other[11]);
  std::swap(other[9], other[10]);
  EXPECT_EQ(error_text<DataError>([&] { CheckpointPart(other, "file"); }),
            "file: expected a checkpoint in this machine's byte order, got another byte order");
  other = good;
  other[12] = 9;
  EXPECT_EQ(error_text<DataError>([&] { CheckpointPart(other, "file"); }),
            "file: expected a checkpoint of version 4, got version 9");
}

TEST(Checkpoint, ForgedBytesNeverPassUnseenOrAllocateMuch) {
  // Any word but the header's replaced by a hostile one, and sealed again: refused, or read within some times the
  // file's own size.
  const std::string good = part_bytes(0, 2);
  const std::int64_t hostile[] = {-1,
                                  std::numeric_limits<std::int64_t>::max(),
                                  std::numeric_limits<std::int64_t>::min(),
                                  std::int64_t{1} << 40U,
                                  0x7FFFFFFF7FFFFFFF,
                                  2};
  int refused = 0;
  for (std::size_t at = kHeader; at + sizeof(std::int64_t) <= good.size(); at += sizeof(std::int64_t)) {
    for (const std::int64_t word : hostile) {
      std::string bad = good;
      std::memcpy(bad.data() + at, &word, sizeof(word));
      try {
        static_cast<void>(restored({std::make_shared<const CheckpointPart>(resealed(bad), "forged")}, 0, 2));
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Checkpoint, WhatIsMostlyZeroTakesWhatIsNot) {
  constexpr Index kRows = 100'000;
  Matrix dense = Matrix::Zero(kRows, 2);
  for (Index j = 0; j < kRows; j += 997) {
    dense(j, j % 2) = 1.0 / (1.0 + static_cast<double>(j));
  }
  dense(5, 0) = -0.0;
  const auto bytes_of = [](auto& value) {
    CheckpointWriter writer({"my run", "defw", 1, 2, 0, 2, {}});
    CheckpointWriter measure({"my run", "defw", 1, 2, 0, 2, {}}, CheckpointWriter::Measure{});
    writer.visit("x", value);
    measure.visit("x", value);
    std::string bytes = writer.finish();
    EXPECT_EQ(measure.size(), bytes.size());
    return bytes;
  };
  CompactStacked compact(dense);
  const std::string bytes = bytes_of(dense);
  EXPECT_LT(bytes.size(), static_cast<std::size_t>(dense.size()) / 8 + 1000 + 400)
      << "a bit per number, and the numbers";
  EXPECT_EQ(bytes_of(compact), bytes) << "however it is kept";
  const auto part = std::make_shared<const CheckpointPart>(bytes, "part");
  for (const Index first : {0, 1}) {  // of both nodes, and of the second alone
    Matrix back(kRows, 2 - first);
    CompactStacked compact_back(kRows, 2 - first);
    CheckpointReader({part}, first, 2 - first).visit("x", back);
    CheckpointReader({part}, first, 2 - first).visit("x", compact_back);
    const Matrix expected = dense.rightCols(2 - first);
    EXPECT_EQ(std::memcmp(back.data(), expected.data(), 8 * static_cast<std::size_t>(expected.size())), 0);
    const Matrix whole = compact_back.whole();
    EXPECT_EQ(std::memcmp(whole.data(), expected.data(), 8 * static_cast<std::size_t>(expected.size())), 0);
  }
  Matrix full = Matrix::Random(kRows, 2);
  EXPECT_LT(bytes_of(full).size(), 8 * static_cast<std::size_t>(full.size()) + 1000) << "never longer than all numbers";
}

TEST(Checkpoint, ShapesAndNamesMustBeThoseAskedFor) {
  CheckpointReader reader({part(0, 2)}, 0, 2);
  Count k = 0;
  double weight = 0.0;
  Matrix wrong_shape(kDimension + 1, 2);
  reader.visit("k", k);
  EXPECT_EQ(error_text<DataError>([&] { reader.visit("wait", weight); }),
            "part: expected \"wait\" as a number, got \"weight\" as a number");
  reader.visit("weight", weight);
  EXPECT_EQ(error_text<DataError>([&] { reader.visit("x", wrong_shape); }), "part: expected \"x\" of 4 x 2, got 3 x 2");
  EXPECT_THROW(reader.finish(), DataError);
}

TEST(Checksum, DependsOnEveryByteAndOnTheLength) {
  std::string bytes(100, '\0');
  const std::uint64_t zero = hash_of(bytes);
  EXPECT_NE(zero, hash_of(bytes + '\0'));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bytes[at] = 1;
    EXPECT_NE(zero, hash_of(bytes)) << at;
    bytes[at] = 0;
  }
}

}  // namespace
}  // namespace slidemesh

// One file for all ranks: each reads the bytes of its own rows, wherever lines end, and has what the run in one process
// has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi_fixture.h"
#include "slidemesh/base/random.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/load/own_rows.h"
#include "slidemesh/network/in_process.h"
#include "support/row_tables.h"
#include "support/temp_dir.h"
#include "toy_run.h"

namespace slidemesh {
namespace {

using ::testing::HasSubstr;
using testing::TempDir;
using ::testing::ThrowsMessage;

constexpr Index kFeatures = 8;

std::string some_number(RandomStream& random) { return std::to_string(random.uniform(-2.0, 2.0)); }

/// Rows of very different lengths, between comments, blank lines and lines that end as other systems end them.
std::string libsvm_text(Index rows, std::uint64_t seed) {
  RandomStream random(seed, Purpose::kTest);
  std::string text;
  for (Index r = 0; r < rows; ++r) {
    while (random.unit() < 0.2) {
      text += random.unit() < 0.5 ? "  \t\r\n" : "# 1 2:3 and a long comment that is no row at all\n";
    }
    text += random.unit() < 0.5 ? " -1" : "1";
    for (Index j = 1; j <= kFeatures; ++j) {
      if (random.unit() < (r < rows / 2 ? 0.9 : 0.1)) {
        text += ' ' + std::to_string(j) + ':' + some_number(random);
      }
    }
    text += r + 1 == rows ? "" : (random.unit() < 0.3 ? "\r\n" : " # a row\n");
  }
  return text;
}

/// Quotes around some fields, and records that go on over the end of a line inside them.
std::string csv_text(Index rows, bool header, std::uint64_t seed) {
  RandomStream random(seed, Purpose::kTest);
  std::string text = seed % 2 == 0 ? "\xef\xbb\xbf" : "";
  if (header) {
    text += "\r\nlabel,\"first, and\nmore\",b,c,d,e,f,g,h\n";
  }
  for (Index r = 0; r < rows; ++r) {
    while (random.unit() < 0.2) {
      text += random.unit() < 0.5 ? "\n" : "\r\n";
    }
    text += random.unit() < 0.5 ? "-1" : "1";
    for (Index j = 0; j < kFeatures; ++j) {
      const double kind = random.unit();
      text += kind < 0.1 ? ",\"  " + some_number(random) + " \"" : (kind < 0.2 ? ",\"0\"" : ',' + some_number(random));
    }
    text += r + 1 == rows && random.unit() < 0.5 ? "" : "\n";
  }
  return text;
}

void expect_same_rows(const DataSpec& spec, Network& network) {
  InProcessNetwork alone(network.graph());
  const Dataset expected = load_dataset(spec, LabelKind::kBinary, alone);
  const Dataset actual = load_dataset(spec, LabelKind::kBinary, network);
  EXPECT_EQ(actual.features, expected.features);
  EXPECT_EQ(actual.map.labels.values, expected.map.labels.values);
  EXPECT_EQ(actual.map.columns, expected.map.columns);
  for (Index i = 0; i < network.local_nodes(); ++i) {
    const auto here = static_cast<std::size_t>(i);
    const auto there = static_cast<std::size_t>(network.global(i));
    const Rows own = testing::collect(*actual.nodes[here]);
    const Rows same = testing::collect(*expected.nodes[there]);
    EXPECT_EQ(own.labels, same.labels);
    EXPECT_EQ(own.values, same.values);
    for (Index r = 0; r < own.count(); ++r) {
      EXPECT_EQ(actual.keys[here](r), expected.keys[there](r));
    }
  }
}

class RowRangesTest : public ::testing::TestWithParam<DataSourceKind> {
 protected:
  static std::string text(Index rows, std::uint64_t seed) {
    return GetParam() == DataSourceKind::kLibsvm ? libsvm_text(rows, seed) : csv_text(rows, seed % 3 == 0, seed);
  }
  static DataSpec spec(const std::filesystem::path& path) {
    DataSpec spec;
    spec.source = GetParam();
    spec.path = path;
    spec.libsvm.features = kFeatures;
    return spec;
  }

  /// A rank's own bytes, read by itself: the others do not wait for it.
  Rows find_and_read(DataSpec spec) {
    const bool csv = spec.source == DataSourceKind::kCsv;
    const auto range = find_own_range(spec.path, {csv ? RowSyntax::kCsv : RowSyntax::kLibsvm, false, 0}, *network_);
    spec.libsvm.range = spec.csv.range = range->bytes;
    Rows rows;
    rows.offsets.push_back(0);
    open_reader(spec)->read(range->rows, rows);
    return rows;
  }

  Graph graph_ = test::toy_graph("ring");
  std::unique_ptr<Network> network_ = make_mpi_network(test::session(), graph_);
  TempDir dir_;
};

TEST_P(RowRangesTest, GiveEachRankItsRows) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const Index rows = seed == 1 ? network_->nodes() : 20 + 17 * static_cast<Index>(seed);
    DataSpec one = spec(dir_.write("t", text(rows, seed)));
    expect_same_rows(one, *network_);
    one.streamed = true;
    expect_same_rows(one, *network_);
    one.streamed = seed % 2 == 0;
    one.split.rule = SplitRule::kShuffled;
    expect_same_rows(one, *network_);
    one.split.rule = SplitRule::kContiguous;
    one.streamed = false;
    one.max_rows = rows / 2 + network_->nodes() / 2;
    expect_same_rows(one, *network_);
  }
}

/// Each rank's copy of the file has nothing but rubbish outside the bytes that it may look at: its share of the file up
/// to the end of a line, its own rows, and the first record of a CSV file. The rubbish has no line end in it.
TEST_P(RowRangesTest, NothingElseOfTheFileIsLookedAt) {
  const std::string whole = text(400, 3);
  const bool csv = GetParam() == DataSourceKind::kCsv;
  const auto range =
      find_own_range(dir_.write("t", whole), {csv ? RowSyntax::kCsv : RowSyntax::kLibsvm, csv, 0}, *network_);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->all_rows, 400);
  std::string mine(whole.size(), 'x');
  const auto keep = [&](std::size_t begin, std::size_t end) {
    mine.replace(begin, end - begin, whole, begin, end - begin);
  };
  const auto share = [&](Index node) { return whole.size() * static_cast<std::size_t>(node) / 10; };
  const std::size_t begin = share(network_->first_node());
  const std::size_t end = share(network_->first_node() + network_->local_nodes());
  keep(begin > 0 ? begin - 1 : 0, std::min(whole.find('\n', end - 1), whole.size() - 1) + 1);
  keep(static_cast<std::size_t>(range->bytes.begin), static_cast<std::size_t>(range->bytes.end));
  if (csv) {
    keep(0, whole.find("h\n") + 2);
  }
  if (network_->local_nodes() < 5) {
    EXPECT_LT(whole.size() / 4, static_cast<std::size_t>(std::count(mine.begin(), mine.end(), 'x')));
  }
  const Dataset from_mine = load_dataset(spec(dir_.write("t", mine)), LabelKind::kBinary, *network_);
  InProcessNetwork alone(graph_);
  const Dataset from_whole = load_dataset(spec(dir_.write("t", whole)), LabelKind::kBinary, alone);
  for (Index i = 0; i < network_->local_nodes(); ++i) {
    EXPECT_EQ(testing::collect(*from_mine.nodes[static_cast<std::size_t>(i)]).values,
              testing::collect(*from_whole.nodes[static_cast<std::size_t>(network_->global(i))]).values);
  }
}

/// The most classes that are taken for classes are the same however many processes look.
TEST_P(RowRangesTest, ManyClassesAreTheSameForOneProcessAndForSeveral) {
  if (test::session().size() > 2) {
    GTEST_SKIP() << "an agreement per class is slow where ranks share cores; two ranks show it";
  }
  constexpr int kClasses = 10'500;
  std::string many;
  for (int c = 0; c < kClasses; ++c) {
    many += std::to_string(c * 11 % kClasses) + (GetParam() == DataSourceKind::kLibsvm ? " 1:1 8:2\n" : ",1,2\n");
  }
  const DataSpec one = spec(dir_.write("t", many));
  InProcessNetwork alone(graph_);
  const Dataset expected = load_dataset(one, LabelKind::kClass, alone);
  const Dataset actual = load_dataset(one, LabelKind::kClass, *network_);
  EXPECT_EQ(actual.classes, kClasses);
  EXPECT_EQ(actual.map.labels.values, expected.map.labels.values);
  for (Network* network : {static_cast<Network*>(&alone), network_.get()}) {
    EXPECT_THAT([&] { (void)load_dataset(one, LabelKind::kBinary, *network); },
                ThrowsMessage<DataError>(HasSubstr("expected labels of two values, got 3 or more: ")));
  }
}

TEST_P(RowRangesTest, FilesOfDifferentSizesAreFoundOutByAll) {
  if (test::session().size() == 1) {
    GTEST_SKIP() << "one rank agrees with itself";
  }
  const auto file = dir_.write("t", text(40, 3) + (test::session().rank() == 1 ? "\n" : ""));
  EXPECT_THAT([&] { (void)load_dataset(spec(file), LabelKind::kBinary, *network_); },
              ThrowsMessage<DataError>(HasSubstr("expected the same file at every rank, got files of")));
}

TEST_P(RowRangesTest, ABadRowIsCalledByItsLineInTheFile) {
  std::string good;
  for (int line = 1; line <= 40; ++line) {
    good += GetParam() == DataSourceKind::kLibsvm ? "1 1:1\n-1 2:2\n" : "1,2,3\n\"-1\",3,4\n";
  }
  const auto file = dir_.write("t", good + "1 what,2,3\n");
  DataSpec bad = spec(file);
  if (network_->owns(network_->nodes() - 1)) {
    EXPECT_THAT([&] { (void)find_and_read(bad); }, ThrowsMessage<DataError>(HasSubstr("t:81: expected")));
  } else {
    (void)find_and_read(bad);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RowRangesTest, ::testing::Values(DataSourceKind::kLibsvm, DataSourceKind::kCsv),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

}  // namespace
}  // namespace slidemesh

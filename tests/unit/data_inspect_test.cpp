#include "slidemesh/data/formats/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/matrix_entries.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/formats/writers.h"
#include "support/data_dir.h"
#include "support/error_text.h"
#include "support/row_tables.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::collect;
using testing::data_file;
using ::testing::ElementsAre;
using testing::error_text;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::TempDir;

constexpr double kRounding = 1e-12;

TEST(Inspect, CountsWhatIsThere) {
  for (const bool sparse : {false, true}) {
    Rows rows = parse_libsvm("1 1:2 3:-3\n-1 3:-3\n1 3:-3\n-1 3:-3 4:0\n", "f");
    if (!sparse) {
      choose_storage(rows);
    }
    MemorySource source(rows);
    const TableSummary s = inspect(source);
    EXPECT_EQ(s.rows, 4);
    EXPECT_EQ(s.features, 4);
    EXPECT_EQ(s.nonzeros, 5);
    EXPECT_EQ(s.stored_dense, !sparse);
    EXPECT_EQ(s.density, 5.0 / 16.0);
    EXPECT_EQ(s.empty_features, 2);
    EXPECT_EQ(s.constant_features, 1);
    EXPECT_EQ(s.empty_rows, 0);
    EXPECT_EQ(s.value_min, -3.0);
    EXPECT_EQ(s.value_max, 2.0);
    ASSERT_EQ(s.columns.size(), 4U);
    EXPECT_EQ(s.columns[0].low, 0.0);
    EXPECT_EQ(s.columns[0].high, 2.0);
    EXPECT_EQ(s.columns[0].nonzeros, 1);
    EXPECT_EQ(s.columns[2].low, -3.0);
    EXPECT_EQ(s.columns[2].high, -3.0);
    EXPECT_EQ(s.columns[3].high, 0.0);
    EXPECT_EQ(s.distinct_labels, 2);
    EXPECT_THAT(s.labels, ElementsAre(Pair(-1, 2), Pair(1, 2)));
    EXPECT_NEAR(s.largest_row_norm * s.largest_row_norm, 13.0, kRounding);
    // A'A / 4 is [[1, -1.5], [-1.5, 9]] on the columns in use: its largest eigenvalue is 5 + sqrt(18.25).
    EXPECT_NEAR(s.smoothness, 5.0 + std::sqrt(18.25), 1e-9);
  }
}

TEST(Inspect, SplitsByLabelAreLessAlikeThanShuffledOnes) {
  const auto table = std::make_shared<const Rows>(make_synthetic({.rows = 4000}));
  const auto look = [&](SplitRule rule) {
    return inspect_split(node_sources(table, split_rows(table->labels, 10, {.rule = rule}), 0, 10), rule);
  };
  const SplitSummary shuffled = look(SplitRule::kShuffled);
  const SplitSummary by_label = look(SplitRule::kByLabel);
  EXPECT_LT(shuffled.heterogeneity, 0.5 * by_label.heterogeneity);
  EXPECT_EQ(by_label.lowest_label_mean, -1.0);
  EXPECT_GT(by_label.highest_label_mean, 0.5);
  EXPECT_EQ(shuffled.smallest, 400);
  EXPECT_EQ(shuffled.largest, 400);
}

TEST(Parts, HoldTheRowsOfTheirNodes) {
  const TempDir dir;
  const Rows rows = make_synthetic({.rows = 30});
  const Partition partition = split_rows(rows.labels, 4, {.rule = SplitRule::kShuffled});
  const auto files = write_parts(rows, partition, dir / "parts");
  ASSERT_EQ(files.size(), 4U);
  EXPECT_EQ(files[3].filename(), "part-3.svm");
  for (Index i = 0; i < 4; ++i) {
    Rows part = read_libsvm(files[static_cast<std::size_t>(i)]);
    choose_storage(part);
    for (Index r = 0; r < partition.count(i); ++r) {
      EXPECT_EQ(part.labels[static_cast<std::size_t>(r)], rows.labels[static_cast<std::size_t>(partition.row(i, r))]);
      EXPECT_EQ(part.values[static_cast<std::size_t>(r * 22 + 15)],
                rows.values[static_cast<std::size_t>(partition.row(i, r) * 22 + 15)]);
    }
  }
  EXPECT_EQ(error_text<UsageError>([&] { write_parts(rows, partition, dir / "parts"); }),
            (dir / "parts").string() + "/part-0.svm: expected no such file yet, got one");
  EXPECT_EQ(write_parts(rows, partition, dir / "parts", true).size(), 4U);
  const auto file = dir.write("file", "x");
  EXPECT_EQ(error_text<UsageError>([&] { write_parts(rows, partition, file / "parts"); }),
            (file / "parts").string() + ": cannot make the directory: Not a directory");
}

TEST(MatrixEntries, AreOneHotRowsInColumnOrder) {
  const TempDir dir;
  const auto file = dir.write("m.csv", "agent,row,col,value\n1,0,0,2.5\n0,1,0,-1\n1,0,2,4\n");
  const MatrixEntries entries = read_matrix_entries(file, {.node = "agent"});
  EXPECT_EQ(entries.rows, 2);
  EXPECT_EQ(entries.columns, 3);
  EXPECT_EQ(entries.table.features, 6);
  EXPECT_THAT(entries.table.labels, ElementsAre(2.5, -1, 4));
  EXPECT_THAT(entries.table.columns, ElementsAre(0, 1, 4));
  EXPECT_THAT(entries.partition.order, ElementsAre(1, 0, 2));
  EXPECT_THAT(entries.partition.offsets, ElementsAre(0, 1, 3));
  EXPECT_EQ(read_matrix_entries(file, {.matrix_rows = 5}).table.features, 15);
}

TEST(MatrixEntries, RefuseWhatCannotBeAnEntry) {
  const TempDir dir;
  const auto message = [&](const std::string& text, const MatrixEntriesOptions& options = {}) {
    const auto file = dir.write("m.csv", text);
    return error_text<Error>([&] { (void)read_matrix_entries(file, options); }).substr(file.string().size());
  };
  EXPECT_EQ(message("row,col,value\n-1,0,1\n"), ":2: expected a number from 0 in column 'row', got '-1'");
  EXPECT_EQ(message("row,col,value\n0,0.5,1\n"), ":2: expected a number from 0 in column 'col', got '0.5'");
  EXPECT_EQ(message("row,cols,value\n0,0,1\n"),
            ":1: expected a column called 'col', got none, but 'cols' (data.column names another)");
  EXPECT_EQ(message("row,col,value\n3,0,1\n", {.matrix_rows = 3}), ": expected numbers below 3 in column 'row', got 3");
  EXPECT_EQ(
      message("row,col,value\n99999,99999,1\n"),
      ": expected a matrix of at most 2147483646 entries, got 100000 x 100000 (data.names = true takes numbers for "
      "names, not for places)");
  EXPECT_EQ(message("row,col,value\n,0,1\n"), ":2: expected a name or number in column 'row', got nothing");
  EXPECT_EQ(message("row,col,value\n0,0,x\n").substr(0, 48), ":2: expected a number in column 'value', got 'x'");
  EXPECT_EQ(message("row,col,value\n0,0\n"), ":2: expected 3 fields, got 2");
  EXPECT_EQ(message("row,col,value\n"), ": expected entries of a matrix, got a header alone");
  EXPECT_EQ(message("n,row,col,value\n1,0,0,1\n1,0,0,1\n", {.node = "n"}),
            ": expected an entry for every node, got none for node 0");
  EXPECT_EQ(message("n,row,col,value\n9,0,0,1\n", {.node = "n"}),
            ": expected an entry for every node, got 1 entries and a node 9");
}

TEST(MatrixEntries, RowsAndColumnsMayHaveNames) {
  const TempDir dir;
  const auto file = dir.write("m.csv", "who,what,stars\nZoë,tea,5\n7,2,3\nadam,tea,1\nadam,2,4\n");
  const MatrixEntriesOptions options{.row = "who", .column = "what", .value = "stars"};
  const MatrixEntries entries = read_matrix_entries(file, options);
  EXPECT_THAT(entries.names.row_names, ElementsAre("7", "Zoë", "adam"));  // in order of their bytes
  EXPECT_THAT(entries.names.column_names, ElementsAre("2", "tea"));
  EXPECT_EQ(entries.rows, 3);
  EXPECT_EQ(entries.columns, 2);
  EXPECT_THAT(entries.table.columns, ElementsAre(4, 0, 5, 2));
  MatrixEntriesOptions known = options;
  known.known = entries.names;
  EXPECT_THAT(read_matrix_entries(dir.write("n.csv", "who,what,stars\nadam,2,0\n"), known).table.columns,
              ElementsAre(2));
  EXPECT_THAT(error_text<DataError>([&] {
                (void)read_matrix_entries(dir.write("n.csv", "who,what,stars\nadam,2,0\nadan,2,0\n"), known);
              }),
              HasSubstr("n.csv:3: expected a name that is known in column 'who', got 'adan' (is it 'adam'?)"));
}

TEST(MatrixEntries, NumbersAreNamesWhereThatIsAskedFor) {
  const TempDir dir;
  const auto file = dir.write("m.csv", "196\t242\t3\n2000000000\t302\t3\n196\t302\t1\n");  // without a header
  const MatrixEntries entries =
      read_matrix_entries(file, {.row = "1", .column = "2", .value = "3", .delimiter = '\t', .row_names = true});
  EXPECT_THAT(entries.names.row_names, ElementsAre("196", "2000000000"));
  EXPECT_EQ(entries.rows, 2);
  EXPECT_EQ(entries.columns, 303);
  EXPECT_THAT(entries.table.labels, ElementsAre(3, 3, 1));
}

TEST(MatrixEntries, ReadTheInstanceOfTheDefwPaper) {
  const auto file = data_file("defw_mc_small.obs.csv");
  if (!file) {
    GTEST_SKIP() << "defw_mc_small.obs.csv is in neither $SLIDEMESH_DATA_DIR nor shared/data";
  }
  const MatrixEntries entries = read_matrix_entries(*file, {.value = "noisy", .node = "agent"});
  EXPECT_EQ(entries.rows, 100);
  EXPECT_EQ(entries.columns, 250);
  EXPECT_EQ(entries.table.count(), 5000);
  EXPECT_EQ(entries.partition.nodes(), 50);
  EXPECT_EQ(entries.partition.count(17), 100);
}

}  // namespace
}  // namespace slidemesh

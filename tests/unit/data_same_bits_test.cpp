// One table must be one table, whatever it is read from: the same bits in the same form, in memory or
// streamed, and so the same run.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "slidemesh/data/formats/csv.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/matrix_market.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/data/store/streamed.h"
#include "support/row_tables.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::collect;
using testing::sparse_table;
using testing::TempDir;

class SameBits : public ::testing::TestWithParam<bool> {
 protected:
  static Rows table() { return GetParam() ? sparse_table(700, 300) : make_synthetic({.rows = 700}); }
};

TEST_P(SameBits, FromEveryFormat) {
  Rows expected = table();
  std::ostringstream libsvm;
  std::ostringstream csv;
  std::ostringstream market;
  write_libsvm(libsvm, expected);
  write_csv(csv, expected);
  write_matrix_market(market, expected);
  Rows from_libsvm = parse_libsvm(libsvm.str(), "libsvm");
  Rows from_csv = parse_csv(csv.str(), "csv");
  Rows from_market = parse_matrix_market(market.str(), "market");
  for (Rows* rows : {&from_libsvm, &from_csv, &from_market}) {
    choose_storage(*rows);
    EXPECT_EQ(rows->features, expected.features);
    EXPECT_EQ(rows->labels, expected.labels);
    EXPECT_EQ(rows->offsets, expected.offsets);
    EXPECT_EQ(rows->columns, expected.columns);
    EXPECT_EQ(rows->values, expected.values);
  }
}

TEST_P(SameBits, StreamedOrInMemoryUnderEverySplit) {
  const TempDir dir;
  const auto table_ptr = std::make_shared<const Rows>(table());
  const auto file = dir / "t.libsvm";
  {
    std::ofstream out(file);
    write_libsvm(out, *table_ptr);
  }
  const auto reader = open_libsvm(file);
  const auto stored = std::make_shared<StoredRows>(*reader, 0, dir.path());
  EXPECT_TRUE(std::filesystem::directory_iterator(dir.path()) != std::filesystem::directory_iterator());
  EXPECT_EQ(stored->is_sparse(), table_ptr->is_sparse());
  for (const SplitRule rule :
       {SplitRule::kContiguous, SplitRule::kShuffled, SplitRule::kByLabel, SplitRule::kDirichlet}) {
    const Partition partition = split_rows(table_ptr->labels, 3, {.rule = rule});
    const auto memory = node_sources(table_ptr, partition, 0, 3);
    const auto streamed = stored->sources(partition);
    for (std::size_t i = 0; i < 3; ++i) {
      const Rows a = collect(*memory[i]);
      const Rows b = collect(*streamed[i]);
      EXPECT_EQ(a.labels, b.labels);
      EXPECT_EQ(a.values, b.values);
      EXPECT_EQ(memory[i]->lengths().has_value(), table_ptr->is_sparse());
      EXPECT_EQ(streamed[i]->lengths(), memory[i]->lengths());
      const std::vector<Index> numbers = {5, 0, 5, 6, 7, memory[i]->rows() - 1};
      streamed[i]->prefetch(AccessPurpose::kGradient, numbers);
      const Rows c = testing::copy_of(memory[i]->fetch(AccessPurpose::kGradient, numbers));
      const Rows d = testing::copy_of(streamed[i]->fetch(AccessPurpose::kGradient, numbers));
      EXPECT_EQ(c.labels, d.labels);
      EXPECT_EQ(c.values, d.values);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, SameBits, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "sparse" : "dense"; });

TEST(Streamed, BlocksAreMultiplesOfTheKernelsGroup) {
  const TempDir dir;
  std::ostringstream text;
  write_libsvm(text, make_synthetic({.rows = 70000, .features = 3}));
  const auto file = dir.write("t", text.str());
  const auto reader = open_libsvm(file);
  const auto stored = std::make_shared<StoredRows>(*reader);
  EXPECT_EQ(stored->block_rows() % kBlockRows, 0);
  const auto sources = stored->sources(split_rows(stored->labels(), 1));
  Index next = 0;
  int blocks = 0;
  sources[0]->scan(AccessPurpose::kValue, [&](const RowBlock& block, Index first) {
    EXPECT_EQ(first, next);
    next += block.count;
    ++blocks;
  });
  EXPECT_EQ(next, 70000);
  EXPECT_GT(blocks, 1);
}

}  // namespace
}  // namespace slidemesh

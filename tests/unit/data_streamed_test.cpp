// Rows that stay on disk: what is asked for comes in blocks that fit memory, and reading them heeds limits.

#include "slidemesh/data/store/streamed.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/base/random.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/data/ledger.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/network/in_process.h"
#include "support/row_tables.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::sparse_table;
using testing::TempDir;

constexpr Index kRows = 20'000;  ///< several blocks

class StreamedFile : public ::testing::Test {
 protected:
  StreamedFile() {
    std::ofstream out(file_);
    write_libsvm(out, sparse_table(kRows, 300));
  }

  [[nodiscard]] std::shared_ptr<RowSource> source() const {
    const auto reader = open_libsvm(file_);
    const auto table = std::make_shared<StoredRows>(*reader, 0, dir_.path());
    return table->sources(split_contiguously(kRows, 1)).front();
  }

  [[nodiscard]] static std::vector<Index> drawn() {
    std::vector<Index> numbers(static_cast<std::size_t>(kRows));
    std::iota(numbers.begin(), numbers.end(), Index{0});
    RandomStream random(1, Purpose::kRowShuffle);
    shuffle(numbers, random);
    return numbers;
  }

  TempDir dir_;
  std::filesystem::path file_ = dir_ / "rows.libsvm";
};

TEST_F(StreamedFile, RowsThatAreVisitedAreThoseThatAreFetched) {
  const auto visited = source();
  const auto fetched = source();
  const std::vector<Index> numbers = drawn();
  const RowBlock all = fetched->fetch(AccessPurpose::kGradient, numbers);
  Index seen = 0;
  int blocks = 0;
  visited->visit(AccessPurpose::kGradient, numbers, [&](const RowBlock& block, Index first) {
    ASSERT_EQ(first, seen);
    ASSERT_EQ(first % kBlockRows, 0);
    for (Index r = 0; r < block.count; ++r) {
      const Index in_all = all.offsets[first + r];
      const Index count = all.offsets[first + r + 1] - in_all;
      ASSERT_EQ(block.label(r), all.label(first + r));
      ASSERT_EQ(block.offsets[r + 1] - block.offsets[r], count);
      for (Index k = 0; k < count; ++k) {
        ASSERT_EQ(block.columns[block.offsets[r] + k], all.columns[in_all + k]);
        ASSERT_EQ(block.values[block.offsets[r] + k], all.values[in_all + k]);
      }
    }
    seen += block.count;
    ++blocks;
  });
  EXPECT_EQ(seen, kRows);
  EXPECT_GT(blocks, 1);
}

TEST_F(StreamedFile, AVisitIsOneAccess) {
  Ledger ledger({}, 0, 1);
  const auto watched = ledger.around(source(), 0, {});
  Index rows = 0;
  watched->visit(AccessPurpose::kGradient, drawn(), [&](const RowBlock& block, Index) { rows += block.count; });
  EXPECT_EQ(rows, kRows);
  EXPECT_EQ(ledger.totals(), (Ledger::Totals{kRows, 1}));
  EXPECT_EQ(ledger.rows_read(), kRows);
}

TEST_F(StreamedFile, ReadingTellsHowFarItIsAndEndsWhereItIsToBeLeft) {
  InProcessNetwork network(make_graph({.kind = "path", .nodes = 2}));
  for (const bool streamed : {false, true}) {
    DataSpec spec;
    spec.source = DataSourceKind::kLibsvm;
    spec.path = file_;
    spec.scratch = dir_.path();
    spec.streamed = streamed;
    Count told = 0;
    spec.on_rows = [&](Count rows) {
      EXPECT_GT(rows, told);
      told = rows;
    };
    EXPECT_EQ(load_dataset(spec, LabelKind::kReal, network, nullptr).nodes.size(), 2U);
    EXPECT_GT(told, kRows / 2);
    const Interruption interruption([] { return true; });
    EXPECT_THROW(static_cast<void>(load_dataset(spec, LabelKind::kReal, network, nullptr)), StoppedError);
  }
}

}  // namespace
}  // namespace slidemesh

// SQLite: a database in one file gives the same rows, keys and ledger as a server's would.

#include "slidemesh/data/store/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "slidemesh/base/errors.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/data/ledger.h"
#include "slidemesh/network/in_process.h"
#include "support/error_text.h"
#include "support/row_tables.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::collect;
using testing::copy_of;
using ::testing::ElementsAre;
using testing::error_text;
using ::testing::HasSubstr;
using testing::sparse_table;
using testing::TempDir;

class Sqlite : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_sqlite()) {
      GTEST_SKIP() << "this build has no SQLite";
    }
  }

  Index load(const Rows& rows, const std::string& table = "rows", bool replace = false) {
    std::ostringstream text;
    write_libsvm(text, rows);
    const auto reader = open_libsvm(dir_.write("t.svm", text.str()));
    return load_sqlite(*reader, {.path = file_, .table = table, .replace = replace});
  }

  /// By another program's hands.
  void sql(const std::string& statements) {
    const std::string script = dir_.write("change.py",
                                          "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\n"
                                          "c.executescript(sys.argv[2])\nc.commit()\n");
    ASSERT_EQ(std::system(("python3 " + script + " " + file_.string() + " \"" + statements + "\"").c_str()), 0);
  }

  [[nodiscard]] DatabaseOptions options() const { return {.path = file_, .table = "rows"}; }

  TempDir dir_;
  std::filesystem::path file_ = dir_ / "rows.db";
};

TEST_F(Sqlite, GivesTheSameBitsAsMemoryUnderEverySplit) {
  for (const bool sparse : {false, true}) {
    const auto memory = std::make_shared<const Rows>(sparse ? sparse_table(2900, 300) : make_synthetic({.rows = 2900}));
    EXPECT_EQ(load(*memory, "rows", true), 2900);
    DatabaseOptions o = options();
    o.indices = sparse ? "indices" : "";
    const auto table = open_sqlite(o);
    EXPECT_EQ(table->features(), memory->features);
    EXPECT_EQ(table->nonzeros(), memory->nonzeros());
    EXPECT_EQ(table->labels(), memory->labels);
    for (const SplitRule rule : {SplitRule::kContiguous, SplitRule::kShuffled, SplitRule::kByLabel}) {
      const Partition partition = split_rows(memory->labels, 3, {.rule = rule});
      const auto expected = node_sources(memory, partition, 0, 3);
      const auto actual = table->sources(partition);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(collect(*actual[i]).values, collect(*expected[i]).values);
        const std::vector<Index> numbers = {7, 3, 7, 500};
        const Rows fetched = copy_of(actual[i]->fetch(AccessPurpose::kGradient, numbers));
        const Rows same = copy_of(expected[i]->fetch(AccessPurpose::kGradient, numbers));
        EXPECT_EQ(fetched.values, same.values);
        EXPECT_EQ(fetched.labels, same.labels);
      }
    }
  }
}

TEST_F(Sqlite, GoesThroughTheOneLoadPathWithItsLedger) {
  load(make_synthetic({.rows = 60}));
  InProcessNetwork network(Graph(2, std::vector<Edge>{{0, 1}}));
  Ledger ledger({}, 0, 2);
  DataSpec spec{.source = DataSourceKind::kSqlite, .path = file_};
  spec.database.table = "rows";
  spec.preparation.scaling = Scaling::kStandard;
  const Dataset data = load_dataset(spec, LabelKind::kBinary, network, &ledger);
  EXPECT_EQ(data.nodes[1]->rows(), 30);
  EXPECT_EQ(data.keys[1](0), RowKey(31));
  EXPECT_EQ(ledger.rows_read_in_opening(), 60);
  EXPECT_EQ(ledger.rows_read(), 120);
  (void)data.nodes[0]->fetch(AccessPurpose::kGradient, std::vector<Index>{4, 4, 5});
  EXPECT_EQ(ledger.rows_read(), 122);
  EXPECT_EQ(data.map.feature_names()[1], "f2");
}

TEST_F(Sqlite, NamesSurviveTheWayIn) {
  const auto reader = open_csv(dir_.write("t.csv", "age,label,\"a \"\"b\"\"\",c d\n1,0,2,3\n4,1,5,6\n"));
  load_sqlite(*reader, {.path = file_, .table = "rows"});
  const auto table = open_sqlite(options());
  EXPECT_THAT(table->feature_names(), ElementsAre("age", "a \"b\"", "c d"));
}

TEST_F(Sqlite, AnExistingTableIsReplacedOnlyIfAsked) {
  load(make_synthetic({.rows = 5}));
  EXPECT_THAT(error_text<DataError>([&] { load(make_synthetic({.rows = 6})); }),
              HasSubstr("expected no table called 'rows', got one (--replace drops it first)"));
  EXPECT_EQ(open_sqlite(options())->rows(), 5);
  load(make_synthetic({.rows = 6}), "rows", true);
  EXPECT_EQ(open_sqlite(options())->rows(), 6);
}

TEST_F(Sqlite, ARowThatChangesOrGoesIsNoticed) {
  load(make_synthetic({.rows = 20}));
  const auto table = open_sqlite(options());
  const auto source = table->sources(split_rows(table->labels(), 1)).front();
  collect(*source);
  sql("UPDATE rows SET f1 = f1 + 1 WHERE id = 7");
  EXPECT_THAT(error_text<DataError>([&] { collect(*source); }),
              HasSubstr("row with key 7: expected it to stay as it was, got a change during the run"));
  sql("DELETE FROM rows WHERE id = 3");
  EXPECT_THAT(error_text<DataError>([&] { collect(*source); }),
              HasSubstr("row with key 3: expected it to stay, got it deleted during the run"));
}

TEST_F(Sqlite, TakesQueriesAndRefusesWhatIsNoTable) {
  sql("CREATE TABLE mixed (k INTEGER PRIMARY KEY, y REAL, a REAL, note TEXT);"
      "INSERT INTO mixed VALUES (2, 1, 0.5, 'x'), (1, -1, 1, 'y')");
  DatabaseOptions o{.path = file_, .query = "SELECT k AS id, y AS label, a * 2 AS twice FROM mixed;"};
  const auto table = open_sqlite(o);
  EXPECT_THAT(table->labels(), ElementsAre(-1, 1));
  EXPECT_THAT(collect(*table->sources(split_rows(table->labels(), 1)).front()).values, ElementsAre(2, 1));
  o = {.path = file_, .table = "mixed", .key = "k", .label = "y"};
  EXPECT_THAT(error_text<DataError>([&] { (void)open_sqlite(o); }),
              HasSubstr("row with key 1: expected a finite number in column 'note', got text"));
  o.table = "mixed\"; DROP TABLE mixed; --";
  EXPECT_THAT(error_text<DataError>([&] { (void)open_sqlite(o); }), HasSubstr("no such table"));
  o = {.path = dir_.write("not.db", std::string(5000, 'x')), .table = "t"};
  EXPECT_THAT(error_text<DataError>([&] { (void)open_sqlite(o); }), HasSubstr("not.db: expected"));
}

}  // namespace
}  // namespace slidemesh

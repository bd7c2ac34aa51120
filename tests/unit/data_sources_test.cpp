#include "slidemesh/data/load/sources.h"

#include <gtest/gtest.h>

#include <string>

#include "slidemesh/base/errors.h"

namespace slidemesh {
namespace {

TEST(DataSources, AreKnownByTheirNames) {
  for (const DataSource& source : data_sources()) {
    EXPECT_EQ(parse_data_source(source.name), source.kind);
    EXPECT_EQ(to_string(source.kind), source.name);
  }
  EXPECT_THROW(static_cast<void>(parse_data_source("parquet")), UsageError);
}

TEST(DataSources, HaveOneWayToTheirRows) {
  for (const DataSource& source : data_sources()) {
    EXPECT_EQ(
        int{source.open_reader != nullptr} + int{source.read_table != nullptr} + int{source.open_store != nullptr}, 1)
        << source.name;
  }
}

TEST(DataSources, AreGuessedByTheEndingsOfFiles) {
  EXPECT_EQ(source_by_name("rows.csv"), DataSourceKind::kCsv);
  EXPECT_EQ(source_by_name("a.b/part-{node}.tsv.zst"), DataSourceKind::kCsv);
  EXPECT_EQ(source_by_name("m.mtx.gz"), DataSourceKind::kMatrixMarket);
  EXPECT_EQ(source_by_name("table.sqlite3"), DataSourceKind::kSqlite);
  EXPECT_EQ(source_by_name("x.npy"), DataSourceKind::kNpy);
  EXPECT_EQ(source_by_name("ijcnn1.xz"), DataSourceKind::kLibsvm);
  EXPECT_EQ(source_by_name("my.csv.d/rows"), DataSourceKind::kLibsvm) << "a directory's name says nothing";
}

}  // namespace
}  // namespace slidemesh

#include "slidemesh/data/feature_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slidemesh/base/errors.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/network/in_process.h"
#include "support/error_text.h"
#include "support/row_tables.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using ::testing::ElementsAre;
using testing::error_text;
using ::testing::HasSubstr;
using testing::TempDir;

constexpr const char* kTable =
    "colour,size,sick,ok\nred,1.5,yes,true\nblue,NA,no,false\nred,-2,no,true\ngreen,4,yes,false\n";

DataSpec spec_of(const std::filesystem::path& path) {
  DataSpec spec{.source = DataSourceKind::kCsv, .path = path};
  spec.csv = {.label = "sick", .missing = MissingValues::kMean, .categorical = CategoricalColumns::kOneHot};
  spec.preparation = {.scaling = Scaling::kStandard, .intercept = true};
  return spec;
}

/// A new row's text becomes what the same text became when the model was trained, to the last bit.
TEST(FeatureMap, PreparesANewRowAsTheTrainingRowsWere) {
  const TempDir dir;
  InProcessNetwork network(Graph(1, {}));
  const Dataset data = load_dataset(spec_of(dir.write("t.csv", kTable)), LabelKind::kBinary, network);
  const Rows rows = testing::collect(*data.nodes.front());
  const std::vector<std::vector<std::string_view>> fields = {
      {"red", "1.5", "true"}, {"blue", "NA", "false"}, {" red ", "-2.0", "True"}, {"green", "4", "0"}};
  ASSERT_EQ(data.map.prepared_features(), 6);
  std::vector<double> prepared;
  for (const auto& row : fields) {
    std::vector<double> one(6);
    data.map.prepare(row, "new.csv:2", one);
    prepared.insert(prepared.end(), one.begin(), one.end());
  }
  EXPECT_EQ(prepared, rows.values);
  EXPECT_THAT(data.map.feature_names(),
              ElementsAre("colour=blue", "colour=green", "colour=red", "size", "ok", "intercept"));
  EXPECT_EQ(data.map.label, "sick");
  EXPECT_EQ(data.map.class_name(0), "no");
  EXPECT_EQ(data.map.class_name(1), "yes");
}

TEST(FeatureMap, FindsColumnsByNameAndRefusesWhatItDoesNotKnow) {
  const TempDir dir;
  InProcessNetwork network(Graph(1, {}));
  const Dataset data = load_dataset(spec_of(dir.write("t.csv", kTable)), LabelKind::kBinary, network);
  const std::vector<std::string> header = {"ok", "id", "size", "colour"};
  EXPECT_THAT(data.map.find_columns(header, "new.csv:1"), ElementsAre(3, 2, 0));
  EXPECT_EQ(error_text<DataError>([&] {
              (void)data.map.find_columns(std::vector<std::string>{"ok", "size"}, "new.csv:1");
            }),
            "new.csv:1: expected a column called 'colour', got none");
  std::vector<double> one(6);
  const std::vector<std::string_view> strange = {"mauve", "1", "true"};
  EXPECT_EQ(error_text<DataError>([&] { data.map.prepare(strange, "new.csv:7", one); }),
            "new.csv:7: expected a word that column 'colour' is known to have, got 'mauve'");
  const std::vector<std::string_view> bad = {"red", "wide", "true"};
  EXPECT_THAT(error_text<DataError>([&] { data.map.prepare(bad, "new.csv:8", one); }),
              HasSubstr("new.csv:8: expected a number in column 'size', got 'wide'"));
}

}  // namespace
}  // namespace slidemesh

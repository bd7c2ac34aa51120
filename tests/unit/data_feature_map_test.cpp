#include "slidemesh/data/feature_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slidemesh/data/dataset.h"
#include "slidemesh/network/in_process.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using ::testing::ElementsAre;
using testing::TempDir;

constexpr const char* kTable =
    "colour,size,sick,ok\nred,1.5,yes,true\nblue,NA,no,false\nred,-2,no,true\ngreen,4,yes,false\n";

DataSpec spec_of(const std::filesystem::path& path) {
  DataSpec spec{.source = DataSourceKind::kCsv, .path = path};
  spec.csv = {.label = "sick", .missing = MissingValues::kMean, .categorical = CategoricalColumns::kOneHot};
  spec.preparation = {.scaling = Scaling::kStandard, .intercept = true};
  return spec;
}

TEST(FeatureMap, NamesFeaturesAndClasses) {
  const TempDir dir;
  InProcessNetwork network(Graph(1, {}));
  const Dataset data = load_dataset(spec_of(dir.write("t.csv", kTable)), LabelKind::kBinary, network);
  ASSERT_EQ(data.map.prepared_features(), 6);
  EXPECT_THAT(data.map.feature_names(),
              ElementsAre("colour=blue", "colour=green", "colour=red", "size", "ok", "intercept"));
  EXPECT_EQ(data.map.label, "sick");
  EXPECT_EQ(data.map.class_name(0), "no");
  EXPECT_EQ(data.map.class_name(1), "yes");
}

}  // namespace
}  // namespace slidemesh

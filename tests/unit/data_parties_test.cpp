// Parties that have a file each: the same model as from one file, whatever the order of their columns; or a line that
// names the party and the column.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slidemesh/base/errors.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/load/agree_columns.h"
#include "slidemesh/network/in_process.h"
#include "support/error_text.h"
#include "support/row_tables.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using ::testing::ElementsAre;
using testing::error_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempDir;

class Parties : public ::testing::Test {
 protected:
  [[nodiscard]] Dataset load(const std::vector<std::string>& files, CsvOptions csv = {}) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      static_cast<void>(dir_.write("part-" + std::to_string(i) + ".csv", files[i]));
    }
    return load_from("part-{node}.csv", std::move(csv), static_cast<Index>(files.size()));
  }

  [[nodiscard]] Dataset load_from(const std::string& name, CsvOptions csv, Index nodes) {
    std::vector<Edge> edges;
    for (Index i = 1; i < nodes; ++i) {
      edges.push_back({i - 1, i});
    }
    network_ = std::make_unique<InProcessNetwork>(Graph(nodes, edges));
    DataSpec spec{.source = DataSourceKind::kCsv, .path = dir_ / name};
    spec.csv = std::move(csv);
    return load_dataset(spec, LabelKind::kBinary, *network_);
  }

  TempDir dir_;
  std::unique_ptr<InProcessNetwork> network_;
};

TEST_F(Parties, ColumnsAreAlignedByName) {
  const Dataset data = load({"label,a,b\n1,2,3\n-1,4,5\n", "b,a,label\n7,6,1\n9,8,-1\n"});
  EXPECT_THAT(testing::collect(*data.nodes[0]).values, ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(testing::collect(*data.nodes[1]).values, ElementsAre(6, 7, 8, 9));
  EXPECT_THAT(data.map.feature_names(), ElementsAre("a", "b"));
}

TEST_F(Parties, APartyThatDiffersIsNamedWithTheColumn) {
  const std::string first = "label,a,b\n1,2,3\n-1,4,5\n";
  const auto error = [&](const std::string& second) {
    return error_text<DataError>([&] { (void)load({first, second}); });
  };
  EXPECT_THAT(error("label,a,c\n1,2,3\n-1,4,5\n"),
              HasSubstr("part-1.csv: expected a column called 'b' as node 0 has, got none"));
  EXPECT_THAT(error("label,a,b,c\n1,2,3,4\n-1,4,5,6\n"),
              HasSubstr("part-1.csv: expected the columns that node 0 has, got one more, 'c' (data.ignore"));
  EXPECT_THAT(
      error("class,a,b\n1,2,3\n-1,4,5\n"),
      HasSubstr("part-1.csv: expected the label's column to be called 'label' as node 0 calls it, got 'class'"));
}

TEST_F(Parties, HashesGoFirstAndNamesOnlyWhereTheyDiffer) {
  const std::string wide = "label,a_long_name_of_a_column,another_long_name_of_a_column\n1,2,3\n-1,4,5\n";
  static_cast<void>(load({wide, wide}));
  const Count same = network_->meters().totals().bytes_sent;
  static_cast<void>(load({wide, "label,another_long_name_of_a_column,a_long_name_of_a_column\n1,3,2\n-1,5,4\n"}));
  EXPECT_GT(network_->meters().totals().bytes_sent, same + 2 * 8);
}

/// The dictionary, the means and the labels' words are those of all files together, as if they were one.
TEST_F(Parties, WordsAndMeansAreAgreedOn) {
  const CsvOptions options{
      .label = "sick", .missing = MissingValues::kMean, .categorical = CategoricalColumns::kOneHot};
  const std::string header = "colour,size,sick\n";
  const std::vector<std::string> rows = {"red,1,yes\nultraviolet,,yes\n", "blue,3,no\nred,8,no\n",
                                         "blue,NA,yes\ngreen,4,no\n"};
  const Dataset parts = load({header + rows[0], header + rows[1], header + rows[2]}, options);
  static_cast<void>(dir_.write("all.csv", header + rows[0] + rows[1] + rows[2]));
  const auto network = std::move(network_);
  const Dataset whole = load_from("all.csv", options, 3);
  EXPECT_EQ(parts.map.columns, whole.map.columns);
  EXPECT_EQ(parts.map.label_words, whole.map.label_words);
  EXPECT_THAT(parts.map.feature_names(),
              ElementsAre("colour=blue", "colour=green", "colour=red", "colour=ultraviolet", "size"));
  EXPECT_EQ(parts.map.columns[1].missing, 4.0);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(testing::collect(*parts.nodes[i]).values, testing::collect(*whole.nodes[i]).values);
    EXPECT_EQ(testing::collect(*parts.nodes[i]).labels, testing::collect(*whole.nodes[i]).labels);
  }
  EXPECT_GT(network->meters().totals().bytes_sent, 0);
}

TEST_F(Parties, WordsWhereOthersHaveNumbersAreRefused) {
  const CsvOptions options{.categorical = CategoricalColumns::kOneHot};
  EXPECT_THAT(error_text<DataError>([&] {
                (void)load({"label,a\n1,2\n-1,3\n", "label,a\n1,x\n-1,y\n"}, options);
              }),
              HasSubstr("part-1.csv: expected numbers in column 'a' as others have there, got words, 'x' among them"));
}

TEST(AgreeOnWords, IsTheUnionInOrderOfBytes) {
  InProcessNetwork network(Graph(1, {}));
  const std::vector<std::vector<std::string>> own = {
      {"a", "ab", "abcdef", "abcdefg", "abcdefgh\xff", "b\xc3\xa9"}, {}, {"only"}};
  EXPECT_EQ(agree_on_words(own, network), own);
  EXPECT_THAT(agree_on_words(std::vector<std::vector<std::string>>{}, network), IsEmpty());
}

}  // namespace
}  // namespace slidemesh

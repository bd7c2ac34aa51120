#include "slidemesh/data/formats/matrix_market.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/error_text.h"

namespace slidemesh {
namespace {

using ::testing::ElementsAre;
using testing::error_text;

constexpr const char* kReal = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarket, ReadsCoordinatesInAnyOrder) {
  const Rows rows =
      parse_matrix_market(std::string(kReal) + "% a comment\n\n2 3 4\n2 3 5.5\n1 1 -1\n2 1 1\n1 2 2\n", "f");
  EXPECT_EQ(rows.features, 2);
  EXPECT_THAT(rows.labels, ElementsAre(-1, 1));
  EXPECT_THAT(rows.columns, ElementsAre(0, 1));
  EXPECT_THAT(rows.values, ElementsAre(2, 5.5));
  EXPECT_THAT(rows.offsets, ElementsAre(0, 1, 2));
}

TEST(MatrixMarket, ReadsArraysByColumns) {
  const Rows rows = parse_matrix_market("%%MatrixMarket matrix array integer general\n2 2\n1\n-1\n0\n4\n", "f");
  EXPECT_THAT(rows.labels, ElementsAre(1, -1));
  EXPECT_THAT(rows.values, ElementsAre(4));
  EXPECT_THAT(rows.offsets, ElementsAre(0, 0, 1));
}

TEST(MatrixMarket, ReadsPatternsWithLabelsOfTheirOwn) {
  const char* text = "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n";
  EXPECT_THAT(parse_matrix_market(text, "f", {}, "3\n4\n").labels, ElementsAre(3, 4));
  EXPECT_THAT(parse_matrix_market(text, "f", {}, "%%MatrixMarket matrix array real general\n2 1\n3\n4\n").labels,
              ElementsAre(3, 4));
  EXPECT_EQ(parse_matrix_market(text, "f", {}, "3\n4\n").features, 2);
}

TEST(MatrixMarket, LabelColumnAndRowsByChoice) {
  const std::string text = std::string(kReal) + "2 3 3\n1 1 7\n1 3 -1\n2 3 1\n";
  EXPECT_THAT(parse_matrix_market(text, "f", {.label_column = 3}).labels, ElementsAre(-1, 1));
  EXPECT_EQ(parse_matrix_market(text, "f", {.max_rows = 1, .label_column = 3}).count(), 1);
}

struct Malformed {
  const char* text;
  const char* message;
};

class MatrixMarketErrors : public ::testing::TestWithParam<Malformed> {};

TEST_P(MatrixMarketErrors, NameFileAndLine) {
  const auto& [text, message] = GetParam();
  EXPECT_EQ(error_text<DataError>([text = text] { (void)parse_matrix_market(text, "f"); }), message);
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"
INSTANTIATE_TEST_SUITE_P(
    Cases, MatrixMarketErrors,
    ::testing::Values(
        Malformed{"", "f: expected a Matrix Market file, got an empty one"},
        Malformed{"1 2 3\n", "f:1: expected %%matrixmarket, got '1'"},
        Malformed{"%%MatrixMarket matrix coordinate complex general\n",
                  "f:1: expected real or integer or pattern, got 'complex'"},
        Malformed{"%%MatrixMarket matrix coordinate real symmetric\n", "f:1: expected general, got 'symmetric'"},
        Malformed{BANNER, "f: expected a line with the size of the matrix, got the end of the file"},
        Malformed{BANNER "2 2\n", "f:2: expected a number of entries from 0 to 281474976710656, got nothing"},
        Malformed{BANNER "-2 2 1\n", "f:2: expected a number of rows from 1 to 1099511627776, got '-2'"},
        Malformed{BANNER "2 99999999999 1\n",
                  "f:2: expected a number of columns from 1 to 2147483646, got '99999999999'"},
        Malformed{BANNER "2 2 1\n3 1 1\n", "f:3: expected a row from 1 to 2, got '3'"},
        Malformed{BANNER "2 2 1\n1 0 1\n", "f:3: expected a column from 1 to 2, got '0'"},
        Malformed{BANNER "2 2 1\n1 1 nan\n", "f:3: expected a finite number, got 'nan'"},
        Malformed{BANNER "2 2 1\n1 1 x\n", "f:3: expected a number, got 'x'"},
        Malformed{BANNER "2 2 1\n1 1\n", "f:3: expected a number, got nothing"},
        Malformed{BANNER "2 2 1\n1 1 1 1\n", "f:3: expected the end of the line, got '1'"},
        Malformed{BANNER "2 2 2\n1 1 1\n", "f: expected 2 entries, got 1"},
        Malformed{BANNER "2 2 1\n1 1 1\n2 2 1\n", "f:4: expected 1 entries, got 'one more'"},
        Malformed{BANNER "2 2 2\n1 2 1\n1 2 1\n", "f: expected every entry once, got row 1, column 2 twice"},
        Malformed{BANNER "900000000000 2 1\n1 2 1\n",
                  "f: expected an entry in one row of 1000 at least, got 1 entries in 900000000000 rows"},
        Malformed{BANNER "2 1 1\n1 1 1\n", "f: expected a feature in some row, got labels alone"},
        Malformed{"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "f: expected 4 numbers, got 3"},
        Malformed{"%%MatrixMarket matrix array real general\n1 2\n1\n2\n3\n",
                  "f:5: expected 2 numbers, got 'one more'"},
        Malformed{"%%MatrixMarket matrix array real general\n1099511627776 2147483646\n1\n",
                  "f:2: expected a matrix of at most 2^48 numbers, got '1099511627776 x 2147483646'"}));
#undef BANNER

TEST(MatrixMarket, RefusesLabelsThatDoNotFit) {
  const std::string text = std::string(kReal) + "2 2 1\n1 2 1\n";
  EXPECT_EQ(error_text<DataError>([&] { (void)parse_matrix_market(text, "f", {}, "1\n"); }),
            "f labels: expected 2 labels, got 1");
  EXPECT_EQ(error_text<DataError>([&] { (void)parse_matrix_market(text, "f", {}, "1\nx\n"); }),
            "f labels:2: expected a number as label, got 'x'");
  EXPECT_EQ(error_text<UsageError>([&] { (void)parse_matrix_market(text, "f", {.label_column = 3}); }),
            "data.label: expected a column from 1 to 2 of f, got 3");
}

}  // namespace
}  // namespace slidemesh

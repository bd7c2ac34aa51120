#include "slidemesh/data/formats/libsvm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "slidemesh/base/random.h"
#include "support/data_dir.h"
#include "support/error_text.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::data_file;
using ::testing::ElementsAre;
using testing::error_text;
using testing::TempDir;

Rows parse(std::string_view text, const LibsvmOptions& options = {}) { return parse_libsvm(text, "f", options); }

TEST(Libsvm, ReadsLabelsIndicesAndValues) {
  const Rows rows = parse("+1 1:0.5 3:-2e3\n-1 2:7\n");
  EXPECT_EQ(rows.features, 3);
  EXPECT_TRUE(rows.is_sparse());
  EXPECT_THAT(rows.labels, ElementsAre(1.0, -1.0));
  EXPECT_THAT(rows.offsets, ElementsAre(0, 2, 3));
  EXPECT_THAT(rows.columns, ElementsAre(0, 2, 1));
  EXPECT_THAT(rows.values, ElementsAre(0.5, -2000.0, 7.0));
}

TEST(Libsvm, LeavesOutWrittenZerosButCountsTheirColumns) {
  const Rows rows = parse("1 1:1 4:0.0\n");
  EXPECT_EQ(rows.features, 4);
  EXPECT_THAT(rows.values, ElementsAre(1.0));
}

TEST(Libsvm, SkipsCommentsAndBlankLinesAndTakesAnyLineEnd) {
  const Rows rows = parse("# heading\n\n  \t\n1 1:1 # why\r\n2\t2:2   \n3 1:3#x");
  EXPECT_THAT(rows.labels, ElementsAre(1.0, 2.0, 3.0));
  EXPECT_THAT(rows.values, ElementsAre(1.0, 2.0, 3.0));
}

TEST(Libsvm, LabelAloneIsARowOfZeros) {
  const Rows rows = parse("1\n-1 2:1\n");
  EXPECT_THAT(rows.offsets, ElementsAre(0, 0, 1));
}

TEST(Libsvm, StopsAtTheRowsAskedFor) {
  const Rows rows = parse("1 1:1\n2 1:2\nnonsense\n", {.max_rows = 2});
  EXPECT_EQ(rows.count(), 2);
}

TEST(Libsvm, TakesTheColumnsAskedFor) { EXPECT_EQ(parse("1 1:1\n", {.features = 9}).features, 9); }

struct Malformed {
  const char* text;
  const char* message;
};

class LibsvmErrors : public ::testing::TestWithParam<Malformed> {};

TEST_P(LibsvmErrors, NameFileLineAndToken) {
  const auto& [text, message] = GetParam();
  EXPECT_EQ(error_text<DataError>([text = text] { (void)parse(text); }), message);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LibsvmErrors,
    ::testing::Values(Malformed{"", "f: expected rows, got none"},
                      Malformed{"# only words\n", "f: expected rows, got none"},
                      Malformed{"1\n-1\n", "f: expected a feature in some row, got labels alone"},
                      Malformed{"1 1:nan\n", "f:1: expected a value that is a finite number, got 'nan'"},
                      Malformed{"1 1:1\n1 1:inf\n", "f:2: expected a value that is a finite number, got 'inf'"},
                      Malformed{"1 1:-Infinity\n", "f:1: expected a value that is a finite number, got '-Infinity'"},
                      Malformed{"nan 1:1\n", "f:1: expected a label that is a finite number, got 'nan'"},
                      Malformed{"1 1:1e999\n", "f:1: expected a value that is a finite number, got '1e999'"},
                      Malformed{"1 -3:1\n", "f:1: expected index:value, got '-3:1'"},
                      Malformed{"1 0:1\n",
                                "f:1: expected an index of at least 1, got '0:1' (dump_svmlight_file of scikit-learn "
                                "counts so with zero_based=False)"},
                      Malformed{
                          "age,dose\n1,2\n",
                          "f:1: expected a label that is a number, got 'age,dose' (data.source = \"csv\" reads it as "
                          "CSV)"},
                      Malformed{"1 3:1 2:1\n", "f:1: expected an index above 3, got '2:1'"},
                      Malformed{"1 2:1 2:1\n", "f:1: expected an index above 2, got '2:1'"},
                      Malformed{"1 2147483647:1\n", "f:1: expected an index of at most 2147483646, got '2147483647:1'"},
                      Malformed{"1 99999999999999999999:1\n",
                                "f:1: expected an index of at most 2147483646, got '99999999999999999999:1'"},
                      Malformed{"1 5\n", "f:1: expected index:value, got '5'"},
                      Malformed{"1 :5\n", "f:1: expected index:value, got ':5'"},
                      Malformed{"1 1:\n", "f:1: expected a value that is a number, got nothing"},
                      Malformed{"1 1: 5\n", "f:1: expected a value that is a number, got nothing"},
                      Malformed{"1 1:5x\n", "f:1: expected a value that is a number, got '5x'"},
                      Malformed{"1 1:0x1p3\n", "f:1: expected a value that is a number, got '0x1p3'"},
                      Malformed{"1 1:+-5\n", "f:1: expected a value that is a number, got '+-5'"},
                      Malformed{"1 1:1:2\n", "f:1: expected a value that is a number, got '1:2'"},
                      Malformed{"1 qid:3 1:2\n", "f:1: expected index:value, got 'qid:3'"},
                      Malformed{"1,2 1:2\n", "f:1: expected a label that is a number, got '1,2'"},
                      Malformed{"cat 1:2\n", "f:1: expected a label that is a number, got 'cat'"},
                      Malformed{"1 1:2\n\x01\x02\n", "f:2: expected a label that is a number, got '\\x01\\x02'"},
                      Malformed{"\xef\xbb\xbf"
                                "1 1:2\n",
                                "f:1: expected a label that is a number, got '\\xef\\xbb\\xbf1'"},
                      Malformed{"1 123456789012345678901234567890123456789012345\n",
                                "f:1: expected index:value, got '1234567890123456789012345678901234567890...'"}));

TEST(Libsvm, RefusesAnIndexBeyondTheColumnsAskedFor) {
  EXPECT_EQ(error_text<DataError>([] { (void)parse("1 5:1\n", {.features = 4}); }),
            "f:1: expected an index of at most 4, got '5:1'");
}

TEST(Libsvm, NamesAFileThatIsNotThere) {
  EXPECT_EQ(error_text<DataError>([] { (void)read_libsvm("/no/such/file"); }),
            "/no/such/file: expected a file that can be read, got: No such file or directory");
  EXPECT_EQ(error_text<DataError>([] { (void)read_libsvm("/tmp"); }), "/tmp: expected a file, got a directory");
}

TEST(Libsvm, HasNoLimitOnALineButMemory) {
  std::string text = "1";
  for (int j = 1; j <= 300000; ++j) {
    text.append(" ").append(std::to_string(j)).append(":1.5");
  }
  const Rows rows = parse(text);
  EXPECT_EQ(rows.nonzeros(), 300000);
}

// A decimal must become the double nearest to it. strtod is the independent judge.
TEST(Libsvm, RoundsEveryDecimalExactly) {
  RandomStream random(7, Purpose::kTest);
  std::string text;
  std::vector<double> expected;
  for (int i = 0; i < 20000; ++i) {
    std::string number = random.unit() < 0.5 ? "-" : "";
    const auto digits = 1 + random.index(22);
    const auto point = random.index(digits + 1);
    for (Index d = 0; d < digits; ++d) {
      number += d == point ? "." : "";
      number += static_cast<char>('0' + random.index(10));
    }
    if (random.unit() < 0.3) {
      number.append("e").append(std::to_string(random.index(640) - 330));
    }
    const double value = std::strtod(number.c_str(), nullptr);
    if (std::isfinite(value)) {
      text += number + " 1:1\n";
      expected.push_back(value);
    }
  }
  EXPECT_EQ(parse(text).labels, expected);
}

TEST(Libsvm, ReadsIjcnn1) {
  const auto file = data_file("ijcnn1.xz");
  if (!file) {
    GTEST_SKIP() << "ijcnn1.xz is in neither $SLIDEMESH_DATA_DIR nor shared/data";
  }
  const Rows rows = read_libsvm(*file);
  EXPECT_EQ(rows.count(), 49990);
  EXPECT_EQ(rows.features, 22);
  EXPECT_EQ(std::count(rows.labels.begin(), rows.labels.end(), 1.0), 4853);
  EXPECT_EQ(read_libsvm(*file, {.max_rows = 20000}).count(), 20000);
}

}  // namespace
}  // namespace slidemesh

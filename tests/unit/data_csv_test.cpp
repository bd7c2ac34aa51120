#include "slidemesh/data/formats/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <string>

#include "support/error_text.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using ::testing::ElementsAre;
using testing::error_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempDir;

Rows parse(std::string_view text, const CsvOptions& options = {}) { return parse_csv(text, "f", options); }

TEST(Csv, TakesTheColumnCalledLabel) {
  const Rows rows = parse("a,label,b\n1,-1,2\n0,1,-3.5\n");
  EXPECT_EQ(rows.features, 2);
  EXPECT_THAT(rows.labels, ElementsAre(-1, 1));
  EXPECT_THAT(rows.values, ElementsAre(1, 2, -3.5));
  EXPECT_THAT(rows.columns, ElementsAre(0, 1, 1));
  EXPECT_THAT(rows.offsets, ElementsAre(0, 2, 3));
}

TEST(Csv, WithoutAHeaderTheFirstColumnIsTheLabel) {
  const Rows rows = parse("1,2,3\n4,5,6\n");
  EXPECT_THAT(rows.labels, ElementsAre(1, 4));
  EXPECT_THAT(rows.values, ElementsAre(2, 3, 5, 6));
}

TEST(Csv, LabelByNameOrNumber) {
  EXPECT_THAT(parse("a,b\n1,2\n", {.label = "b"}).labels, ElementsAre(2));
  EXPECT_THAT(parse("a,b\n1,2\n", {.label = "2"}).labels, ElementsAre(2));
  EXPECT_THAT(parse("1,2\n", {.label = "2"}).labels, ElementsAre(2));
}

TEST(Csv, HeaderCanBeTold) {
  EXPECT_EQ(parse("1,2\n3,4\n", {.header = true}).count(), 1);
  EXPECT_EQ(error_text<DataError>([] { (void)parse("x,y\n3,4\n", {.header = false}); }),
            "f:2: expected column '1' to hold numbers or words, got both, '3' among them");
}

TEST(Csv, AnUnnamedColumnStillMakesAHeader) { EXPECT_EQ(parse(",a,label\n0,1,2\n").count(), 1); }

TEST(Csv, OtherDelimitersSpacesLineEndsAndMarks) {
  EXPECT_THAT(parse("1;2\r\n\r\n3; 4 \r\n", {.delimiter = ';'}).values, ElementsAre(2, 4));
  EXPECT_THAT(parse("\xef\xbb\xbf"
                    "a\tb\n1\t2\n",
                    {.delimiter = '\t', .label = "a"})
                  .values,
              ElementsAre(2));
}

TEST(Csv, QuotedFields) {
  const Rows rows = parse("\"a \"\"quoted\"\", name\",label\n\"1\",\"2\"\n", {.label = "label"});
  EXPECT_THAT(rows.labels, ElementsAre(2));
  EXPECT_THAT(rows.values, ElementsAre(1));
  EXPECT_THAT(parse("a,\"two\nlines\"\n1,2\n3,4\n").labels, ElementsAre(1, 3));
}

TEST(Csv, MissingValuesByChoice) {
  const char* text = "label,a,b\n1,,2\n2,4,NA\n3,8,4\n";
  EXPECT_EQ(error_text<DataError>([&] { (void)parse(text); }),
            "f:2: expected a number in column 'a', got nothing (data.missing = \"mean\" or \"zero\" fills it)");
  EXPECT_THAT(parse(text, {.missing = MissingValues::kZero}).values, ElementsAre(2, 4, 8, 4));
  EXPECT_THAT(parse(text, {.missing = MissingValues::kMean}).values, ElementsAre(6, 2, 4, 3, 8, 4));
  EXPECT_EQ(error_text<DataError>([] { (void)parse("label,a\n,1\n", {.missing = MissingValues::kZero}); }),
            "f:2: expected a label in column 'label', got nothing");
}

TEST(Csv, OneHotColumnsAndLabelsThatAreWords) {
  const TempDir dir;
  const auto file = dir.write("t.csv", "kind,size,label\nred,1,yes\nblue,2,no\nred,3,yes\n");
  const auto reader = open_csv(file, {.categorical = CategoricalColumns::kOneHot});
  const Rows rows = read_all(*reader);
  EXPECT_EQ(rows.features, 3);
  EXPECT_THAT(rows.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(rows.columns, ElementsAre(1, 2, 0, 2, 1, 2));
  EXPECT_THAT(rows.values, ElementsAre(1, 1, 1, 2, 1, 3));
  EXPECT_THAT(reader->feature_names(), ElementsAre("kind=blue", "kind=red", "size"));
  EXPECT_THAT(reader->facts().label_words, ElementsAre("no", "yes"));
}

TEST(Csv, AMissingWordIsNoneOfTheWords) {
  const CsvOptions options{.missing = MissingValues::kZero, .categorical = CategoricalColumns::kOneHot};
  EXPECT_THAT(parse("label,k\n1,x\n2,\n3,y\n", options).offsets, ElementsAre(0, 1, 1, 2));
}

TEST(Csv, AnotherDelimiterIsNamed) {
  const auto said = [](const char* text) { return error_text<DataError>([&] { (void)parse(text); }); };
  EXPECT_EQ(said("59 2 32.1\n48 1 21.6\n"),
            "f: expected fields with ',' between them, got '59 2 32.1' (data.delimiter = \" \" parts it)");
  EXPECT_EQ(said("y;a;b\n1;2;3\n"),
            "f: expected fields with ',' between them, got 'y;a;b' (data.delimiter = \";\" parts it)");
  EXPECT_EQ(said("1\n2\n"), "f: expected a feature in some row, got labels alone");
  EXPECT_EQ(parse("city\nNew York\nRome\n", {.unlabelled = true, .categorical = CategoricalColumns::kOneHot}).features,
            2)
      << "words of one column";
}

TEST(Csv, AFirstLineThatIsNoRowIsSaidToBeTaken) {
  EXPECT_THAT(error_text<DataError>([] { (void)parse("150,4,setosa,virginica\n5.1,3.5,1.4,0\n"); }),
              ::testing::EndsWith("; the line was taken to be a row (data.header = true if it has names)"));
  EXPECT_THAT(error_text<DataError>([] { (void)parse("1,4,2\n5.1,red,1.4\n"); }),
              ::testing::Not(::testing::HasSubstr("data.header")));
}

/// A comma for the point, in what the standard library of C reads and writes, for as long as it lives.
class GermanLocale {
 public:
  GermanLocale() : is_there(std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr) {}
  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;
  ~GermanLocale() { std::setlocale(LC_ALL, "C"); }

  bool is_there;
};

TEST(Csv, NumbersAreTheSameInEveryLocale) {
  const GermanLocale german;
  if (!german.is_there) {
    GTEST_SKIP() << "de_DE.UTF-8 is not installed";
  }
  EXPECT_THAT(parse("1,0.5,1.5e-400,12345678901234567890.25\n").values, ElementsAre(0.5, 12345678901234567890.25));
}

struct Malformed {
  const char* text;
  const char* message;
};

class CsvErrors : public ::testing::TestWithParam<Malformed> {};

TEST_P(CsvErrors, NameFileLineAndColumn) {
  const auto& [text, message] = GetParam();
  EXPECT_EQ(error_text<DataError>([text = text] { (void)parse(text); }), message);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, CsvErrors,
    ::testing::Values(
        Malformed{"", "f: expected rows, got none"}, Malformed{"label,a\n", "f: expected rows, got none"},
        Malformed{"label\n1\n", "f: expected a feature in some row, got labels alone"},
        Malformed{"label,a\n1,2\n1\n", "f:3: expected 2 fields, got 1"},
        Malformed{"label,a\n1,2,3\n", "f:2: expected 2 fields, got 3"},
        Malformed{"label,a\n1,red\n",
                  "f:2: expected a number in column 'a', got 'red' (data.categorical = \"one-hot\" takes words; "
                  "data.ignore leaves the column out)"},
        Malformed{"label,a\n1,inf\n", "f:2: expected a finite number in column 'a', got 'inf'"},
        Malformed{"label,a\n1,1e999\n", "f:2: expected a finite number in column 'a', got '1e999'"},
        Malformed{"label,a\n-inf,1\n", "f:2: expected a finite number as label in column 'label', got '-inf'"},
        Malformed{"label,a\n1,\"2\n", "f:2: expected a closing quote, got the end of the file or 256 MiB without one"},
        Malformed{"label,a\n1,\"2\"3\n", "f:2: expected the delimiter behind a closing quote, got '3'"},
        Malformed{"label,a\n1,2\"3\"\n", "f:2: expected a quote at the start of a field only, got '2\"3\"'"},
        Malformed{"label,label\n1,2\n", "f:1: expected one column called 'label', got several"},
        Malformed{"label,\xff\xfe\n1,2\n", "f:1: expected column names in UTF-8, got '\\xff\\xfe'"},
        Malformed{"label,a\n1,0x10\n",
                  "f:2: expected a number in column 'a', got '0x10' (data.categorical = \"one-hot\" takes words; "
                  "data.ignore leaves the column out)"},
        Malformed{"label,a\n1,1 2\n",
                  "f:2: expected a number in column 'a', got '1 2' (data.categorical = \"one-hot\" takes words; "
                  "data.ignore leaves the column out)"},
        Malformed{"label,a\n1,'; DROP TABLE x; --\n",
                  "f:2: expected a number in column 'a', got ''; DROP TABLE x; --' (data.categorical = \"one-hot\" "
                  "takes words; data.ignore leaves the column out)"}));

TEST(Csv, RefusesNulBytes) {
  EXPECT_EQ(error_text<DataError>([] { (void)parse(std::string_view("label,a\n1,\0\n", 12)); }),
            "f:2: expected a number in column 'a', got '\\x00' (data.categorical = \"one-hot\" takes words; "
            "data.ignore leaves the column out)");
  EXPECT_EQ(error_text<DataError>([] { (void)parse(std::string_view("label,\0\n1,2\n", 12)); }),
            "f:1: expected column names in UTF-8, got '\\x00'");
}

TEST(Csv, RefusesWordsAmongNumbersAndForeignEncodings) {
  const CsvOptions options{.categorical = CategoricalColumns::kOneHot};
  EXPECT_EQ(error_text<DataError>([&] { (void)parse("label,a\n1,2\n1,x\n", options); }),
            "f:3: expected column 'a' to hold numbers or words, got both, 'x' among them");
  EXPECT_EQ(error_text<DataError>([&] { (void)parse("label,a\n1,caf\xe9\n", options); }),
            "f:2: expected words in UTF-8 in column 'a', got 'caf\\xe9'");
}

TEST(Csv, RefusesALabelThatIsNotThere) {
  EXPECT_EQ(error_text<UsageError>([] { (void)parse("a,b\n1,2\n", {.label = "c"}); }),
            "data.label: expected the name of a column of f or a number from 1 to 2, got 'c'");
  EXPECT_EQ(error_text<UsageError>([] { (void)parse("a,b\n1,2\n", {.label = "3"}); }),
            "data.label: expected the name of a column of f or a number from 1 to 2, got '3'");
}

TEST(Csv, ADoubtfulGuessOfTheLabelIsRefusedWithTheChoices) {
  EXPECT_EQ(
      error_text<UsageError>([] { (void)parse("age,size,Target\n1,2,3\n"); }),
      "data.label: expected the name of the label's column of f, got none: it may be the first, 'age', or 'Target'");
  EXPECT_THAT(parse("class,y\n1,2\n").labels, ElementsAre(1)) << "the first is called like one";
  EXPECT_THAT(parse("age,size,Target\n1,2,3\n", {.label = "Target"}).labels, ElementsAre(3));
}

TEST(Csv, AGuessedLabelIsAnnounced) {
  const TempDir dir;
  const auto notes = [&](const char* text) { return open_csv(dir.write("t.csv", text))->facts().notes; };
  EXPECT_THAT(notes("a,b\n1,2\n"), ElementsAre(HasSubstr("the label is the first column, 'a' (data.label")));
  EXPECT_THAT(notes("5,7\n1,2\n"), ElementsAre(HasSubstr("the label is the first column, '1'")));
  EXPECT_THAT(notes("a,label\n1,2\n"), IsEmpty());
}

TEST(Csv, FeaturesIgnoredColumnsAndIds) {
  const char* text = "id,a,label,b,when\nx1,1,0,2,2024-01-02\nx2,3,1,4,2024-01-03\n";
  EXPECT_THAT(parse(text, {.ignore = {"when"}, .id = "id"}).values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(parse(text, {.features = {"b", "a"}}).values, ElementsAre(2, 1, 4, 3));
  EXPECT_EQ(
      error_text<UsageError>([&] { (void)parse(text, {.ignore = {"wen"}}); }),
      "data.ignore: expected the name of a column of f or a number from 1 to 5, got 'wen' (did you mean 'when'?)");
  EXPECT_EQ(error_text<UsageError>([&] {
              (void)parse(text, {.features = {"a", "a"}});
            }),
            "data.features: expected a column of f once, and not the label or one that is ignored, got 'a'");
}

TEST(Csv, BooleansAreNumbersAndDatesAreRefused) {
  const Rows rows = parse("label,a\ntrue,False\nfalse,TRUE\n");
  EXPECT_THAT(rows.labels, ElementsAre(1, 0));
  EXPECT_THAT(rows.values, ElementsAre(1));
  for (const char* date : {"2024-01-31", "31.1.2024", "1/31/24", "2024-01-31T10:00:00Z", "2024-01-31 10:00"}) {
    for (const auto categorical : {CategoricalColumns::kReject, CategoricalColumns::kOneHot}) {
      EXPECT_THAT(error_text<DataError>(
                      [&] { (void)parse("label,when\n1," + std::string(date) + "\n", {.categorical = categorical}); }),
                  HasSubstr("(a date: leave the column out with data.ignore"))
          << date;
    }
  }
}

TEST(Csv, LabelsThatAreWordsNeedNoKey) {
  const TempDir dir;
  const auto reader = open_csv(dir.write("t.csv", "a,label\n1,yes\n2,no\n3,yes\n"));
  EXPECT_THAT(read_all(*reader).labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(reader->facts().label_words, ElementsAre("no", "yes"));
  EXPECT_EQ(reader->rows_read(), 6) << "the file is read twice";
}

TEST(Csv, NamesThatAreNumbersMakeAHeaderBesideOthers) {
  EXPECT_EQ(parse("0,1,2,label\n5,6,7,8\n").count(), 1);
  EXPECT_EQ(parse("0,1,2,3\n5,6,7,8\n").count(), 2);
}

TEST(Csv, AMillionColumns) {
  std::string text = "1";
  for (int i = 0; i < 1000000; ++i) {
    text += ",7";
  }
  EXPECT_EQ(parse(text).features, 1000000);
  EXPECT_EQ(error_text<DataError>([&] { (void)parse(text + "\n1,2\n"); }), "f:2: expected 1000001 fields, got 2");
}

TEST(Csv, RefusesADelimiterThatCannotBe) {
  EXPECT_EQ(error_text<UsageError>([] { (void)parse("1,2\n", {.delimiter = '"'}); }),
            "data.delimiter: expected a character that cannot be part of a quoted field, got '\"'");
}

}  // namespace
}  // namespace slidemesh

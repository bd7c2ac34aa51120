#include "slidemesh/base/text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <set>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/base/lines.h"
#include "support/error_text.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using namespace std::string_literals;

TEST(Text, ShortestNumbersReadBackAsTheSame) {
  for (const double value : {0.1, 1.0 / 3.0, 1e22, -5e-324, 1.7976931348623157e308, 123456789.0, 0.0}) {
    EXPECT_EQ(std::stod(text::shortest(value * 0.5)), value * 0.5);
    EXPECT_LE(text::shortest(value).size(), 24U);
  }
  EXPECT_EQ(text::shortest(0.1), "0.1");
  EXPECT_EQ(text::shortest(3.0), "3");
}

TEST(Text, GroupsDigitsByThousands) {
  EXPECT_EQ(text::grouped(0), "0");
  EXPECT_EQ(text::grouped(999), "999");
  EXPECT_EQ(text::grouped(1000), "1,000");
  EXPECT_EQ(text::grouped(20000000), "20,000,000");
}

TEST(Text, QuotesShowNoControlAndNoBrokenCharacter) {
  EXPECT_EQ(text::quoted("plain"), "'plain'");
  EXPECT_EQ(text::quoted("ten", '"'), "\"ten\"");
  EXPECT_EQ(text::quoted("a\x1b[31m\n\0b"s), "'a\\x1b[31m\\x0a\\x00b'");
  EXPECT_EQ(text::quoted("Größe"), "'Größe'");
  EXPECT_EQ(text::quoted("\xc2\x9b"
                         "1m"),
            "'\\xc2\\x9b1m'")
      << "a control of one character";
  EXPECT_EQ(text::quoted("\xff\xc3"), "'\\xff\\xc3'");
  EXPECT_EQ(text::quoted(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
  EXPECT_EQ(text::quoted(std::string(39, 'x') + "ß"), "'" + std::string(39, 'x') + "ß'") << "a character is not cut";
}

TEST(Utf8, IsWhatTheStandardSays) {
  for (const std::string good : {"", "a", "ß", "€", "\U0001F600", "\u07ff\u0800\uffff\U00010000\U0010ffff"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const std::string& bad : {"\x80"s, "\xc3"s, "\xc0\xaf"s, "\xe0\x80\xaf"s, "\xed\xa0\x80"s, "\xf4\x90\x80\x80"s,
                                 "\xf5\x80\x80\x80"s, "a\0b"s, "\xe2\x82"s, "ok\xe2\x28\xa1"s}) {
    EXPECT_FALSE(is_utf8(bad)) << text::quoted(bad);
  }
}

TEST(Hash, TellsContentsAndTheirPiecesApart) {
  std::set<std::uint64_t> seen;
  const auto value = [](auto... pieces) {
    Hash hash;
    (hash.add(pieces), ...);
    return hash.value();
  };
  seen.insert(value(std::string_view("ab"), std::string_view("c")));
  seen.insert(value(std::string_view("a"), std::string_view("bc")));
  seen.insert(value(std::string_view("abc")));
  seen.insert(value(std::string_view("abc"), std::string_view("")));
  seen.insert(value(0.0));
  seen.insert(value(-0.0));
  seen.insert(value(std::uint64_t{1}, std::uint64_t{2}));
  seen.insert(value(std::uint64_t{2}, std::uint64_t{1}));
  EXPECT_EQ(seen.size(), 8U);
  // XXH3 of nothing, as every other implementation has it.
  EXPECT_EQ(hash_of(""), 0x2d06800538d394c2U);
}

TEST(Fail, SaysWhereWhatWasExpectedAndWhatWasThere) {
  try {
    fail<DataError>(line_of("rows.csv", 7), "two numbers", "'x'");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "rows.csv:7: expected two numbers, got 'x'");
  }
  EXPECT_THROW(fail<UsageError>("mu", "a number", "text"), UsageError);
}

TEST(Lines, AreWordsWithoutCommentsAndNumbered) {
  const testing::TempDir directory;
  const auto path = directory / "lines";
  std::ofstream(path) << "# nothing\n\n a, b # c\nd\n";
  std::vector<std::pair<long, std::size_t>> seen;
  for_each_line(path, {.between = " ,", .comment = '#', .comment_anywhere = true}, [&](const Line& line) {
    seen.emplace_back(line.number, line.words.size());
    EXPECT_EQ(line.is_indented, line.number == 3);
  });
  EXPECT_EQ(seen, (std::vector<std::pair<long, std::size_t>>{{3, 2}, {4, 1}}));
  EXPECT_THROW(for_each_line(directory / "absent", {" ", '#', true}, [](const Line&) {}), DataError);
  EXPECT_THROW(for_each_line(directory / "", {" ", '#', true}, [](const Line&) {}), DataError);
}

}  // namespace
}  // namespace slidemesh

// Readers meet files that nobody meant: mutations of good files must give rows or a one-line DataError
// or UsageError, and rows must be sound. Found failures become cases in the readers' unit tests.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <sstream>
#include <string>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/random.h"
#include "slidemesh/data/formats/csv.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/matrix_market.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/formats/writers.h"

namespace slidemesh {
namespace {

constexpr int kMutants = 3000;

std::string mutated(std::string text, RandomStream& random) {
  static constexpr std::string_view kBytes = "0123456789.:-+eE ,;\"\n\r\t#%naifx\0\xff\x80";
  const auto edits = 1 + random.index(4);
  for (Index e = 0; e < edits && !text.empty(); ++e) {
    const auto at = static_cast<std::size_t>(random.index(static_cast<std::int64_t>(text.size())));
    const char byte = kBytes[static_cast<std::size_t>(random.index(static_cast<std::int64_t>(kBytes.size())))];
    switch (random.index(5)) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      case 2:
        text.erase(at, 1 + static_cast<std::size_t>(random.index(8)));
        break;
      case 3:
        text.resize(at);
        break;
      default:
        text.insert(at, text.substr(at / 2, 40));
    }
  }
  return text;
}

void expect_sound(const Rows& rows) {
  ASSERT_GT(rows.count(), 0);
  ASSERT_EQ(rows.offsets.size(), rows.labels.size() + 1);
  ASSERT_EQ(rows.offsets.front(), 0);
  ASSERT_EQ(static_cast<std::size_t>(rows.offsets.back()), rows.values.size());
  ASSERT_EQ(rows.columns.size(), rows.values.size());
  for (std::size_t r = 0; r < rows.labels.size(); ++r) {
    ASSERT_TRUE(std::isfinite(rows.labels[r]));
    for (auto k = static_cast<std::size_t>(rows.offsets[r]); k < static_cast<std::size_t>(rows.offsets[r + 1]); ++k) {
      ASSERT_TRUE(std::isfinite(rows.values[k]) && rows.values[k] != 0.0);
      ASSERT_TRUE(rows.columns[k] >= 0 && rows.columns[k] < rows.features);
      ASSERT_TRUE(k == static_cast<std::size_t>(rows.offsets[r]) || rows.columns[k - 1] < rows.columns[k]);
    }
  }
}

void survive_mutants(const std::string& good, const std::function<Rows(const std::string&)>& parse) {
  expect_sound(parse(good));
  RandomStream random(1, Purpose::kTest);
  int refused = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string text = mutated(good, random);
    try {
      expect_sound(parse(text));
    } catch (const Error& error) {
      const std::string message = error.what();
      ++refused;
      ASSERT_NE(message.find("expected "), std::string::npos) << message;
      ASSERT_NE(message.find(", got "), std::string::npos) << message;
      ASSERT_LT(message.size(), 300U);
      for (const char c : message) {
        ASSERT_TRUE(c >= 0x20 && c < 0x7f) << "a byte that a terminal would obey";
      }
    }
    if (::testing::Test::HasFatalFailure()) {
      return;
    }
  }
  EXPECT_GT(refused, kMutants / 10);
}

std::string written(void (*write)(std::ostream&, const Rows&)) {
  std::ostringstream out;
  write(out, make_synthetic({.rows = 12, .features = 7}));
  return out.str();
}

TEST(HostileInput, Libsvm) {
  survive_mutants(written(write_libsvm), [](const std::string& text) { return parse_libsvm(text, "f"); });
}

TEST(HostileInput, Csv) {
  survive_mutants(written(write_csv), [](const std::string& text) { return parse_csv(text, "f"); });
}

TEST(HostileInput, CsvWithEverythingOn) {
  const CsvOptions options{.missing = MissingValues::kMean, .categorical = CategoricalColumns::kOneHot};
  survive_mutants("label,\"a,b\",c\nyes,1,red\nno,,blue\n\"yes\",3.5,red\nno,4,\"bl\"\"ue\"\n",
                  [&](const std::string& text) { return parse_csv(text, "f", options); });
}

TEST(HostileInput, MatrixMarket) {
  survive_mutants(written(write_matrix_market), [](const std::string& text) { return parse_matrix_market(text, "f"); });
}

}  // namespace
}  // namespace slidemesh

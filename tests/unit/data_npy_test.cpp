#include "slidemesh/data/store/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "slidemesh/base/errors.h"
#include "slidemesh/data/formats/synthetic.h"
#include "support/error_text.h"
#include "support/npy_file.h"
#include "support/row_tables.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::collect;
using testing::copy_of;
using testing::error_text;
using ::testing::HasSubstr;
using testing::npy;
using testing::TempDir;

class Npy : public ::testing::Test {
 protected:
  [[nodiscard]] NpyOptions write(const std::string& rows, const std::string& labels) const {
    return {.path = dir_.write("x.npy", rows), .labels = dir_.write("y.npy", labels)};
  }
  [[nodiscard]] std::string error(const std::string& rows, const std::string& labels) const {
    return error_text<DataError>([&] {
      const auto store = open_npy(write(rows, labels));
      collect(*store->sources(split_rows(store->labels(), 1)).front());
    });
  }
  TempDir dir_;
};

TEST_F(Npy, GivesTheSameBitsAsMemory) {
  const auto memory = std::make_shared<const Rows>(make_synthetic({.rows = 9000}));
  ASSERT_FALSE(memory->is_sparse());
  const auto store = open_npy(write(npy("<f8", "(9000, 22)", memory->values), npy("<f8", "(9000,)", memory->labels)));
  EXPECT_EQ(store->labels(), memory->labels);
  for (const SplitRule rule : {SplitRule::kContiguous, SplitRule::kShuffled}) {
    const Partition partition = split_rows(memory->labels, 2, {.rule = rule});
    const auto expected = node_sources(memory, partition, 0, 2);
    const auto actual = store->sources(partition);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(collect(*actual[i]).values, collect(*expected[i]).values);
      const std::vector<Index> numbers = {5, 4000, 5};
      EXPECT_EQ(copy_of(actual[i]->fetch(AccessPurpose::kGradient, numbers)).values,
                copy_of(expected[i]->fetch(AccessPurpose::kGradient, numbers)).values);
    }
  }
}

TEST_F(Npy, TakesFloatsAndLabelsOfAnyKind) {
  const auto store =
      open_npy(write(npy<float>("<f4", "(2, 2)", {1.5F, 2, 0, -4}), npy<std::int64_t>("<i8", "(2,)", {3, 7})));
  EXPECT_EQ(store->labels(), (std::vector<double>{3, 7}));
  EXPECT_EQ(collect(*store->sources(split_rows(store->labels(), 1)).front()).values,
            (std::vector<double>{1.5, 2, 0, -4}));
  EXPECT_EQ(open_npy(write(npy<double>("<f8", "(2, 1)", {1, 2}), npy<std::uint8_t>("|b1", "(2,)", {1, 0})))->labels(),
            (std::vector<double>{1, 0}));
}

TEST_F(Npy, RefusesWhatItCannotTake) {
  const std::string rows = npy<double>("<f8", "(2, 2)", {1, 2, 3, 4});
  const std::string labels = npy<double>("<f8", "(2,)", {1, -1});
  EXPECT_THAT(error("no", labels), HasSubstr("x.npy: expected a .npy file of NumPy's, got another"));
  EXPECT_THAT(error(rows.substr(0, rows.size() - 1), labels), HasSubstr("got the end of the file"));
  EXPECT_THAT(error(npy<double>("<f8", "(2, 2)", {1, 2, 3, 4}, "True"), labels), HasSubstr("numpy.ascontiguousarray"));
  EXPECT_THAT(error(npy<double>(">f8", "(2, 2)", {1, 2, 3, 4}), labels),
              HasSubstr("expected numbers of this machine's"));
  EXPECT_THAT(error(npy<double>("<f8", "(1, 2, 2)", {1, 2, 3, 4}), labels), HasSubstr("one or two dimensions"));
  EXPECT_THAT(error(rows, npy<double>("<f8", "(3,)", {1, 2, 3})), HasSubstr("y.npy: expected 2 labels, got 3 x 1"));
  EXPECT_THAT(error(npy<double>("<f8", "(9223372036854775807, 2)", {1, 2}), labels),
              HasSubstr("got the end of the file"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error(npy<double>("<f8", "(2, 2)", {1, 2, 3, nan}), labels),
              HasSubstr("x.npy: expected finite numbers, got another in row 2"));
  const std::string cut = rows.substr(0, 9);
  EXPECT_THAT(error(cut, labels), HasSubstr("expected"));
}

}  // namespace
}  // namespace slidemesh

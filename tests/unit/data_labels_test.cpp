#include "slidemesh/data/feature_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_text.h"

namespace slidemesh {
namespace {

using ::testing::ElementsAre;
using testing::error_text;

Rows with_labels(std::vector<double> labels) {
  Rows rows;
  rows.labels = std::move(labels);
  return rows;
}

std::vector<double> prepared(std::vector<double> labels, LabelKind kind) {
  Rows rows = with_labels(std::move(labels));
  Index classes = 0;
  prepare_labels(rows, kind, classes, "f");
  return rows.labels;
}

TEST(Labels, BinaryKeepsTheOrderOfTheTwoValues) {
  EXPECT_THAT(prepared({1, -1, 1}, LabelKind::kBinary), ElementsAre(1, -1, 1));
  EXPECT_THAT(prepared({1, 0, 1}, LabelKind::kBinary), ElementsAre(1, -1, 1));
  EXPECT_THAT(prepared({1, 2, 1}, LabelKind::kBinary), ElementsAre(-1, 1, -1));
  EXPECT_THAT(prepared({0.25, 7.5}, LabelKind::kBinary), ElementsAre(-1, 1));
}

TEST(Labels, ClassesAreNumberedUpwards) {
  Rows rows = with_labels({30, 10, 20, 10});
  Index classes = 0;
  const LabelMap map = prepare_labels(rows, LabelKind::kClass, classes, "f");
  EXPECT_EQ(classes, 3);
  EXPECT_THAT(rows.labels, ElementsAre(2, 0, 1, 0));
  EXPECT_THAT(map.values, ElementsAre(10, 20, 30));
}

TEST(Labels, RealLabelsStay) { EXPECT_THAT(prepared({0.5, 0.5}, LabelKind::kReal), ElementsAre(0.5, 0.5)); }

TEST(Labels, AMapServesOtherDataOfTheSameKind) {
  const std::vector<double> seen = {1, 2};
  const LabelMap map = make_label_map(seen, LabelKind::kBinary, "f");
  std::vector<double> other = {2, 2};
  map.apply(other, "g");
  EXPECT_THAT(other, ElementsAre(1, 1));
  other = {3};
  EXPECT_EQ(error_text<DataError>([&] { map.apply(other, "g"); }), "g: expected a label that the model knows, got 3");
}

TEST(Labels, RefusesWhatCannotBeMeant) {
  EXPECT_EQ(error_text<DataError>([] {
              prepared({1, 1}, LabelKind::kBinary);
            }),
            "f: expected labels of two values at least, got 1 alone");
  EXPECT_EQ(error_text<DataError>([] {
              prepared({1, 2, 3}, LabelKind::kBinary);
            }),
            "f: expected labels of two values, got 3 or more: 1, 2, 3 (problem.loss = \"softmax\" takes more classes, "
            "\"least-squares\" takes numbers)");
  EXPECT_EQ(error_text<DataError>([] {
              prepared({1, 2.5}, LabelKind::kClass);
            }),
            "f: expected integers as labels of classes, got 2.5");
  EXPECT_EQ(error_text<DataError>([] {
              prepared({4, 4}, LabelKind::kClass);
            }),
            "f: expected labels of two values at least, got 4 alone");
}

}  // namespace
}  // namespace slidemesh

#include "slidemesh/core/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "slidemesh/base/random.h"

namespace slidemesh {
namespace {

constexpr double kRounding = 1e-12;

TEST(AreaUnderCurve, CountsPairsAndHalvesTies) {
  RandomStream random(1, Purpose::kTest);
  std::vector<bool> positive;
  std::vector<double> scores;
  for (int r = 0; r < 60; ++r) {
    positive.push_back(random.unit() < 0.3);
    scores.push_back(static_cast<double>(random.index(8)));  // many ties
  }
  double above = 0.0;
  double pairs = 0.0;
  for (std::size_t a = 0; a < scores.size(); ++a) {
    for (std::size_t b = 0; b < scores.size(); ++b) {
      if (positive[a] && !positive[b]) {
        above += scores[a] > scores[b] ? 1.0 : scores[a] == scores[b] ? 0.5 : 0.0;
        pairs += 1.0;
      }
    }
  }
  ASSERT_TRUE(area_under_curve(positive, scores));
  EXPECT_NEAR(*area_under_curve(positive, scores), above / pairs, kRounding);
}

TEST(AreaUnderCurve, IsNoneForOneKindOfRow) {
  const std::vector<double> scores{1.0, 2.0};
  EXPECT_FALSE(area_under_curve({true, true}, scores));
  EXPECT_FALSE(area_under_curve({false, false}, scores));
}

TEST(ClassificationScores, OfTwoClassesByHand) {
  const std::vector<Index> truth{0, 0, 0, 1};
  const std::vector<Index> predicted{0, 0, 1, 1};
  Matrix p(1, 4);
  p << 0.1, 0.2, 0.6, 0.9;
  const auto scores = score_classes(truth, predicted, p, true, 2);
  EXPECT_DOUBLE_EQ(scores.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(scores.balanced_accuracy, (2.0 / 3.0 + 1.0) / 2.0);
  EXPECT_DOUBLE_EQ(*scores.auc, 1.0);
  EXPECT_NEAR(*scores.log_loss, -(std::log(0.9) + std::log(0.8) + std::log(0.4) + std::log(0.9)) / 4.0, kRounding);
  EXPECT_EQ(scores.confusion, (std::vector<std::vector<Count>>{{2, 1}, {0, 1}}));
}

TEST(ClassificationScores, OfThreeClassesLeaveOutWhatIsUnknown) {
  const std::vector<Index> truth{0, 1, 1};
  const std::vector<Index> predicted{0, 1, 0};
  Matrix p(3, 3);
  p << 0.7, 0.2, 0.6,  //
      0.2, 0.5, 0.3,   //
      0.1, 0.3, 0.1;
  const auto scores = score_classes(truth, predicted, p, false, 3);
  EXPECT_FALSE(scores.auc) << "class 2 has no row";
  EXPECT_FALSE(scores.log_loss) << "scores are no probabilities";
  EXPECT_DOUBLE_EQ(scores.balanced_accuracy, (1.0 + 0.5) / 2.0);
}

TEST(ClassificationScores, StayFiniteWhereARowWasWrongForCertain) {
  Matrix p(1, 1);
  p << 0.0;
  const auto scores = score_classes(std::vector<Index>{1}, std::vector<Index>{0}, p, true, 2);
  EXPECT_TRUE(std::isfinite(*scores.log_loss));
}

TEST(RegressionScores, ByHand) {
  const std::vector<double> truth{1.0, 2.0, 3.0};
  const std::vector<double> predicted{1.0, 2.0, 5.0};
  const auto scores = score_numbers(truth, predicted);
  EXPECT_DOUBLE_EQ(*scores.r2, 1.0 - 4.0 / 2.0);
  EXPECT_DOUBLE_EQ(scores.rmse, std::sqrt(4.0 / 3.0));
  EXPECT_DOUBLE_EQ(scores.mae, 2.0 / 3.0);
}

TEST(RegressionScores, HaveNoShareOfAConstant) {
  EXPECT_FALSE(score_numbers(std::vector<double>{2.0, 2.0}, std::vector<double>{1.0, 2.0}).r2);
}

}  // namespace
}  // namespace slidemesh

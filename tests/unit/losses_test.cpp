#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/random.h"
#include "slidemesh/core/values_by_row.h"
#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/losses/matrix_completion.h"
#include "slidemesh/losses/registry.h"

namespace slidemesh {
namespace {

struct Named {
  LossSpec spec;
  std::string name;
};

class EveryLoss : public testing::TestWithParam<Named> {
 protected:
  std::shared_ptr<const Loss> loss_ = make_loss(GetParam().spec);
  std::size_t outputs_ = static_cast<std::size_t>(loss_->outputs());

  double label(RandomStream& random) const {
    switch (loss_->label_kind()) {
      case LabelKind::kBinary:
        return random.unit() < 0.5 ? -1.0 : 1.0;
      case LabelKind::kClass:
        return static_cast<double>(random.index(loss_->outputs()));
      case LabelKind::kReal:
        break;
    }
    return random.uniform(-3.0, 3.0);
  }
  std::vector<double> labels(std::size_t rows, RandomStream& random) const {
    std::vector<double> b(rows);
    std::generate(b.begin(), b.end(), [&] { return label(random); });
    return b;
  }
  std::vector<double> predictions(std::size_t rows, double scale, RandomStream& random) const {
    std::vector<double> t(rows * outputs_);
    std::generate(t.begin(), t.end(), [&] { return scale * random.normal(); });
    return t;
  }
  double value(double b, const std::vector<double>& t) const {
    std::vector<double> unused(outputs_);
    return loss_->evaluate({&b, 1}, t, unused, true);
  }
  std::vector<double> derivative(double b, const std::vector<double>& t) const {
    std::vector<double> d(outputs_);
    loss_->evaluate({&b, 1}, t, d, false);
    return d;
  }
};

TEST_P(EveryLoss, DerivativeMatchesFiniteDifferences) {
  constexpr double kStep = 1e-5;
  constexpr double kTolerance = 1e-8;
  RandomStream random(1, Purpose::kTest);
  for (int trial = 0; trial < 300; ++trial) {
    const double b = label(random);
    std::vector<double> t = predictions(1, 2.0, random);
    const std::vector<double> d = derivative(b, t);
    for (std::size_t k = 0; k < outputs_; ++k) {
      const double middle = t[k];
      t[k] = middle + kStep;
      const double above = value(b, t);
      t[k] = middle - kStep;
      const double below = value(b, t);
      t[k] = middle;
      // A kink of the second derivative within the step costs at most curvature * step.
      EXPECT_NEAR(d[k], (above - below) / (2.0 * kStep), kTolerance + loss_->curvature() * kStep);
    }
  }
}

TEST_P(EveryLoss, DerivativeIsMonotoneAndNoSteeperThanTheCurvature) {
  RandomStream random(2, Purpose::kTest);
  double steepest = 0.0;
  for (int trial = 0; trial < 3000; ++trial) {
    const double b = label(random);
    const std::vector<double> s = predictions(1, 1.5, random);
    std::vector<double> t = s;
    for (double& number : t) {
      number += 0.05 * random.normal();
    }
    const std::vector<double> at_s = derivative(b, s);
    const std::vector<double> at_t = derivative(b, t);
    double inner = 0.0;
    double distance = 0.0;
    for (std::size_t k = 0; k < outputs_; ++k) {
      inner += (at_t[k] - at_s[k]) * (t[k] - s[k]);
      distance += (t[k] - s[k]) * (t[k] - s[k]);
    }
    EXPECT_GE(inner, -1e-15);
    EXPECT_LE(inner, loss_->curvature() * distance * (1.0 + 1e-9) + 1e-15);
    steepest = std::max(steepest, inner / distance);
  }
  EXPECT_GT(steepest, 0.7 * loss_->curvature());  // the bound is not a loose one
}

TEST_P(EveryLoss, ConvexAlongSegments) {
  RandomStream random(3, Purpose::kTest);
  for (int trial = 0; trial < 1000; ++trial) {
    const double b = label(random);
    const std::vector<double> s = predictions(1, 3.0, random);
    const std::vector<double> t = predictions(1, 3.0, random);
    std::vector<double> middle(outputs_);
    for (std::size_t k = 0; k < outputs_; ++k) {
      middle[k] = (s[k] + t[k]) / 2.0;
    }
    EXPECT_LE(value(b, middle), (value(b, s) + value(b, t)) / 2.0 + 1e-12);
  }
}

TEST_P(EveryLoss, ARowHasTheSameBitsAloneAndInABlockAtAnyAddress) {
  RandomStream random(4, Purpose::kTest);
  constexpr std::size_t kRows = 300;  // more than one piece
  const std::vector<double> b = labels(kRows, random);
  const std::vector<double> t = predictions(kRows, 5.0, random);
  std::vector<double> shifted(t.size() + 8);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::span<double> block(shifted.data() + shift, t.size());
    std::copy(t.begin(), t.end(), block.begin());
    loss_->evaluate(b, block, block, false);  // in place
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::vector<double> row(t.begin() + static_cast<std::ptrdiff_t>(r * outputs_),
                                    t.begin() + static_cast<std::ptrdiff_t>((r + 1) * outputs_));
      const std::vector<double> alone = derivative(b[r], row);
      ASSERT_EQ(std::memcmp(alone.data(), &block[r * outputs_], outputs_ * sizeof(double)), 0) << "row " << r;
    }
  }
}

TEST_P(EveryLoss, BlockValueIsTheSumOfItsRowsAndNeedsNoOtherPath) {
  RandomStream random(5, Purpose::kTest);
  constexpr std::size_t kRows = 263;
  const std::vector<double> b = labels(kRows, random);
  const std::vector<double> t = predictions(kRows, 2.0, random);
  std::vector<double> with(t.size());
  std::vector<double> without(t.size());
  const double total = loss_->evaluate(b, t, with, true);
  loss_->evaluate(b, t, without, false);
  EXPECT_EQ(with, without);
  double sum = 0.0;
  for (std::size_t r = 0; r < kRows; ++r) {
    sum += value(b[r], {t.begin() + static_cast<std::ptrdiff_t>(r * outputs_),
                        t.begin() + static_cast<std::ptrdiff_t>((r + 1) * outputs_)});
  }
  EXPECT_NEAR(total, sum, 1e-12 * sum);
  EXPECT_EQ(loss_->evaluate({}, {}, {}, true), 0.0);
}

TEST_P(EveryLoss, ValuesByRowHaveTheBitsOfTheBlock) {
  const auto* by_row = dynamic_cast<const ValuesByRow*>(loss_.get());
  if (by_row == nullptr) {
    GTEST_SKIP() << "has sums only";
  }
  RandomStream random(6, Purpose::kTest);
  for (const std::size_t rows : {1U, 3U, 8U, 31U, 32U, 33U, 256U}) {  // a piece at most: longer sums are by pieces
    const std::vector<double> b = labels(rows, random);
    std::vector<double> t = predictions(rows, 5.0, random);
    std::vector<double> derivatives(rows);
    std::vector<double> values(rows);
    const double total = loss_->evaluate(b, t, derivatives, true);
    by_row->evaluate_each(b, t, t, values);  // in place
    EXPECT_EQ(t, derivatives);
    EXPECT_EQ(inlined::sum(values.data(), static_cast<Index>(rows)), total);
  }
}

TEST_P(EveryLoss, SafeAtExtremePredictions) {
  for (const double size : {40.0, 700.0, 1e4, 1e150, 1e300}) {
    for (const double sign : {-1.0, 1.0}) {
      std::vector<double> t(outputs_, 0.0);
      t[0] = sign * size;
      const double b = loss_->label_kind() == LabelKind::kClass ? 0.0 : 1.0;
      const std::vector<double> d = derivative(b, t);
      for (const double number : d) {
        EXPECT_TRUE(std::isfinite(number)) << size * sign;
      }
      EXPECT_FALSE(std::isnan(value(b, t))) << size * sign;
      EXPECT_GE(value(b, t), 0.0);
    }
  }
}

LossSpec spec(const std::string& kind, double delta = 1.0, double gamma = 1.0, Index classes = 0) {
  return {kind, delta, gamma, classes};
}

INSTANTIATE_TEST_SUITE_P(Losses, EveryLoss,
                         testing::Values(Named{spec("logistic"), "logistic"}, Named{spec("least-squares"), "squares"},
                                         Named{spec("huber", 0.7), "huber"},
                                         Named{spec("smoothed-hinge", 1.0, 0.5), "hinge"},
                                         Named{spec("softmax", 1.0, 1.0, 2), "softmax2"},
                                         Named{spec("softmax", 1.0, 1.0, 5), "softmax5"},
                                         Named{spec("matrix-completion"), "completion"}),
                         [](const auto& tested) { return tested.param.name; });

double value_of(const LossSpec& s, double b, std::vector<double> t) {
  return make_loss(s)->evaluate({&b, 1}, t, t, true);
}

TEST(Losses, KnownValues) {
  constexpr double kTolerance = 1e-14;
  EXPECT_NEAR(value_of(spec("logistic"), 1.0, {0.0}), std::log(2.0), kTolerance);
  EXPECT_NEAR(value_of(spec("logistic"), -1.0, {800.0}), 800.0, kTolerance);
  EXPECT_EQ(value_of(spec("least-squares"), 1.0, {4.0}), 4.5);
  EXPECT_EQ(value_of(spec("huber", 1.0), 0.0, {0.5}), 0.125);
  EXPECT_EQ(value_of(spec("huber", 1.0), 0.0, {-3.0}), 2.5);
  EXPECT_EQ(value_of(spec("smoothed-hinge", 1.0, 0.5), 1.0, {1.0}), 0.0);
  EXPECT_EQ(value_of(spec("smoothed-hinge", 1.0, 0.5), 1.0, {0.75}), 0.0625);
  EXPECT_EQ(value_of(spec("smoothed-hinge", 1.0, 0.5), -1.0, {1.0}), 1.75);
  EXPECT_NEAR(value_of(spec("softmax", 1.0, 1.0, 3), 2.0, {1.0, 1.0, 1.0}), std::log(3.0), kTolerance);
  EXPECT_NEAR(value_of(spec("softmax", 1.0, 1.0, 2), 1.0, {900.0, 0.0}), 900.0, 1e-11);
}

/// exp and log of the logistic loss are for a range of numbers only; where they hold they have the bits of Eigen's.
TEST(Losses, LogisticHasTheBitsOfEigensExpAndLog) {
#if defined(__AVX512F__)
  GTEST_SKIP() << "Eigen has another exp there";
#endif
  constexpr Index kRows = 256;
  RandomStream random(7, Purpose::kTest);
  const auto loss = make_loss({"logistic"});
  std::vector<double> b(kRows);
  std::vector<double> t(kRows);
  std::vector<double> derivatives(kRows);
  std::vector<double> curvatures(kRows);
  const std::vector<double> moves(kRows, 0.0);
  for (int block = 0; block < 400; ++block) {
    const double scale = std::pow(10.0, random.uniform(-9.0, 3.2));
    for (std::size_t r = 0; r < b.size(); ++r) {
      b[r] = random.unit() < 0.5 ? -1.0 : 1.0;
      t[r] = r < 8 ? (r % 2 == 0 ? 1.0 : -1.0) * (708.0 + static_cast<double>(r) / 3.0) : scale * random.normal();
    }
    Eigen::ArrayXd s(kRows);
    for (Index r = 0; r < kRows; ++r) {
      s(r) = b[static_cast<std::size_t>(r)] * t[static_cast<std::size_t>(r)];
    }
    const Eigen::ArrayXd e = (-s.abs()).exp();
    const Eigen::ArrayXd values = (1.0 + e).log() + (-s).max(0.0);
    EXPECT_EQ(loss->evaluate(b, t, derivatives, true), inlined::sum(values.data(), kRows));
    loss->curvatures(b, t, moves, curvatures);
    for (Index r = 0; r < kRows; ++r) {
      const auto at = static_cast<std::size_t>(r);
      ASSERT_EQ(derivatives[at], -b[at] * (s(r) > 0.0 ? e(r) : 1.0) / (1.0 + e(r))) << t[at];
      ASSERT_EQ(curvatures[at], e(r) / ((1.0 + e(r)) * (1.0 + e(r)))) << t[at];
    }
  }
}

TEST(Losses, SoftmaxOfTwoIsLogisticOfTheDifference) {
  for (const double t : {-30.0, -2.0, 0.0, 0.3, 5.0}) {
    EXPECT_NEAR(value_of(spec("softmax", 1.0, 1.0, 2), 1.0, {0.5, 0.5 + t}), value_of(spec("logistic"), 1.0, {t}),
                1e-14 * (1.0 + std::abs(t)));
  }
}

TEST(Losses, SoftmaxOfMoreClassesThanAPieceHolds) {
  constexpr std::size_t kClasses = 700;
  const auto loss = make_loss(spec("softmax", 1.0, 1.0, kClasses));
  std::vector<double> t(kClasses, 2.0);
  const double b = 699.0;
  EXPECT_NEAR(loss->evaluate({&b, 1}, t, t, true), std::log(700.0), 1e-12);
  EXPECT_NEAR(t[699], 1.0 / 700.0 - 1.0, 1e-15);
}

TEST(Losses, RegistryListsWhatItMakes) {
  for (const LossKind& kind : loss_kinds()) {
    LossSpec s;
    s.kind = kind.name;
    s.classes = 3;
    EXPECT_EQ(make_loss(s)->name(), kind.name);
  }
  EXPECT_THROW(static_cast<void>(make_loss(spec("hinge"))), UsageError);
  EXPECT_THROW(static_cast<void>(make_loss(spec("huber", 0.0))), UsageError);
  EXPECT_THROW(static_cast<void>(make_loss(spec("huber", std::nan("")))), UsageError);
  EXPECT_THROW(static_cast<void>(make_loss(spec("smoothed-hinge", 1.0, -1.0))), UsageError);
  EXPECT_THROW(static_cast<void>(make_loss(spec("softmax"))), UsageError);
}

TEST(Losses, LabelsAreCheckedWhereTheyEnter) {
  const std::vector<double> wrong = {1.0, -1.0, 2.0};
  try {
    check_labels(*make_loss(spec("logistic")), wrong, "toy.csv");
    FAIL() << "label 2 was accepted";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "toy.csv: expected labels -1 and 1 for the logistic loss, got 2 at row 3");
  }
  EXPECT_NO_THROW(check_labels(*make_loss(spec("least-squares")), wrong, "toy.csv"));
  EXPECT_THROW(check_labels(*make_loss(spec("softmax", 1.0, 1.0, 2)), wrong, "toy.csv"), DataError);
}

TEST(Losses, MatrixEntriesBecomeRowsWithOneNonzero) {
  const std::vector<MatrixEntry> entries = {{1, 2, 0.5}, {0, 0, -1.0}};
  const Rows rows = entry_rows(3, 4, entries);
  EXPECT_EQ(rows.features, 12);
  EXPECT_EQ(rows.columns, (std::vector<std::int32_t>{7, 0}));
  EXPECT_EQ(rows.labels, (std::vector<double>{0.5, -1.0}));
  EXPECT_EQ(rows.offsets, (std::vector<std::int64_t>{0, 1, 2}));
  const std::vector<MatrixEntry> outside = {{3, 0, 1.0}};
  EXPECT_THROW(static_cast<void>(entry_rows(3, 4, outside)), DataError);
}

}  // namespace
}  // namespace slidemesh

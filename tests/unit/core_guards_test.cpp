// NaN and overflow are found where they arise, whoever made them: a loss or a set of the user's own, or an iterate.

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/algorithms/ipds_restarted.h"
#include "slidemesh/algorithms/ipds_vr.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/session/run.h"
#include "slidemesh/sets/wrappers.h"
#include "support/error_text.h"
#include "support/field.h"
#include "support/state_copy.h"

namespace slidemesh::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kNodes = 6;
constexpr int kSteps = 50;

/// What is wrong with which part from when on. The parts are shared by all nodes and copies.
struct Fault {
  bool is_armed = false;
  double value = kNan;
};

/// Logistic until the fault is armed: then every derivative, or every value, is the fault's.
class FaultyLoss final : public Loss {
 public:
  FaultyLoss(const Fault& fault, bool in_value) : fault_(fault), in_value_(in_value) {}
  [[nodiscard]] std::string_view name() const override { return "faulty"; }
  [[nodiscard]] LabelKind label_kind() const override { return LabelKind::kBinary; }
  double evaluate(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                  bool want_value) const override {
    const double value = logistic_.evaluate(labels, predictions, derivatives, want_value);
    if (fault_.is_armed && !in_value_) {
      derivatives.back() = fault_.value;
    }
    return fault_.is_armed && in_value_ ? fault_.value : value;
  }
  [[nodiscard]] double curvature() const override { return logistic_.curvature(); }

 private:
  const Fault& fault_;
  bool in_value_;
  Logistic logistic_;
};

/// An l1 ball whose oracle and projection have a bad entry once the fault is armed.
class FaultySet final : public WrappedSet {
 public:
  explicit FaultySet(const Fault& fault) : WrappedSet(std::make_unique<L1Ball>(5, 2.0)), fault_(fault) {}
  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<FaultySet>(*this); }
  void linear_minimizer(ConstVectorRef g, VectorRef v) override {
    base().linear_minimizer(g, v);
    spoil(v);
  }
  void project(ConstVectorRef x, VectorRef nearest) override {
    base().project(x, nearest);
    spoil(nearest);
  }

 private:
  void spoil(VectorRef v) const { v[2] = fault_.is_armed ? fault_.value : v[2]; }
  const Fault& fault_;
};

std::unique_ptr<Method> make_method(const std::string& name, Toy& toy) {
  if (name.starts_with("ipds ")) {
    IpdsOptions options;
    options.outer_steps = kSteps;
    options.laplacian_lambda_max = laplacian_spectrum(toy.network->graph()).lambda_max;
    const bool sampled = name == "ipds sampled, cgs";
    options.c = sampled ? std::optional(0.1) : std::nullopt;
    options.inner = sampled ? "cgs" : name.substr(5);
    return std::make_unique<Ipds>(toy.problem, *toy.network, options);
  }
  return make_named(name, toy, kSteps);
}

const std::vector<std::string> kMethods = {
    "ipds", "ipds sampled, cgs", "ipds bpcg", "ipds lazy",      "ipds-restarted",  "ipds-vr",          "defw",
    "dpg",  "pg-extra",          "nids",      "centralized-fw", "centralized-cgs", "centralized-fista"};

/// What a run says whose part goes wrong after its third step; records are too far apart to meet it.
template <class MakeToy>
std::string error_of_run(const std::string& name, Fault& fault, MakeToy&& make) {
  fault.is_armed = false;
  Toy toy = make();
  const auto method = make_method(name, toy);
  RunOptions options;
  options.every = 1000;
  options.on_step = [&](int step, double) { fault.is_armed = step >= 3; };
  return error_text<DataError>([&] { run(*method, toy.problem, *toy.network, options); });
}

Toy toy_with(std::shared_ptr<const Loss> loss, std::shared_ptr<const FeasibleSet> set) {
  return make_toy(make_graph({.kind = "ring", .nodes = kNodes}), toy_rows(), std::move(loss), std::move(set), 0.1);
}

TEST(Guards, ALossWithABadDerivativeIsNamedByStepAndNode) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    Fault fault{false, bad};
    for (const std::string& name : kMethods) {
      const std::string text = error_of_run(name, fault, [&] {
        return toy_with(std::make_shared<FaultyLoss>(fault, false), std::make_shared<L1Ball>(5, 2.0));
      });
      EXPECT_EQ(text, "step 4: node 0: expected a finite gradient, got NaN or infinity") << name;
    }
  }
}

TEST(Guards, ALossWithABadValueIsNamedByStepAndNode) {
  Fault fault;
  for (const char* name : {"ipds", "ipds-restarted", "defw", "dpg", "centralized-fista"}) {
    const std::string text = error_of_run(name, fault, [&] {
      return toy_with(std::make_shared<FaultyLoss>(fault, true), std::make_shared<L1Ball>(5, 2.0));
    });
    EXPECT_EQ(text, "step 4: node 0: expected a finite loss, got NaN or infinity") << name;
  }
}

TEST(Guards, ASetWithABadOracleIsNamedByStepAndNode) {
  for (const double bad : {kNan, kInfinity}) {
    Fault fault{false, bad};
    for (const std::string& name : kMethods) {
      const std::string text = error_of_run(
          name, fault, [&] { return toy_with(std::make_shared<Logistic>(), std::make_shared<FaultySet>(fault)); });
      EXPECT_EQ(text, "step 4: node 0: expected a finite point, got NaN or infinity") << name;
    }
  }
}

/// With a smoothness of nothing the inner problem of a step has no strength, and took for ever.
TEST(Guards, ACheckpointWithASmoothnessThatTheProblemCannotHaveIsRefused) {
  const auto refusal_of = [](const std::string& method_name, const std::string& number, double value) {
    Toy toy = make_toy("ring", 6, 0.0);
    const auto method = make_method(method_name, toy);
    method->step();
    StateKeeper keeper;
    method->visit_state(keeper);
    keeper.forge(number, value);
    keeper.read();
    return error_text<DataError>([&] { method->visit_state(keeper); });
  };
  const std::string refused =
      "checkpoint: expected smoothness constants of this problem, got numbers that it cannot have";
  for (const double value : {0.0, -1.0, 5e-324, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(refusal_of("ipds-restarted", "L", value), refused) << value;
    EXPECT_EQ(refusal_of("ipds-restarted", "bound", value), refused) << value;
    EXPECT_EQ(refusal_of("ipds-vr", "smoothness", value), refused) << value;
    EXPECT_EQ(refusal_of("ipds-vr", "smoothness_found", value), refused) << value;
  }
  EXPECT_EQ(refusal_of("ipds-restarted", "none of that name", 0.0), "no exception");
}

TEST(Guards, ABadRecordIsNamedByItsStep) {
  Fault fault;
  Toy toy = toy_with(std::make_shared<FaultyLoss>(fault, true), std::make_shared<L1Ball>(5, 2.0));
  const auto method = make_method("ipds sampled, cgs", toy);
  RunOptions options;
  options.on_step = [&](int step, double) { fault.is_armed = step >= 3; };
  EXPECT_EQ(error_text<DataError>([&] { run(*method, toy.problem, *toy.network, options); }),
            "step 3: node 0: expected a finite objective, got NaN");
}

}  // namespace
}  // namespace slidemesh::testing

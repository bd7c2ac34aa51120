#include <gtest/gtest.h>

#include <string>

#include "slidemesh/base/errors.h"
#include "slidemesh/sets/registry.h"

namespace slidemesh {
namespace {

/// What `make_set` says about a spec; empty if it is content.
std::string complaint(const SetSpec& spec, Index dimension) {
  try {
    static_cast<void>(make_set(spec, dimension));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

SetSpec spec(std::string kind, std::map<std::string, SetValue> parameters) {
  return SetSpec{.kind = std::move(kind), .parameters = std::move(parameters)};
}

TEST(SetRegistry, MakesAndNamesSets) {
  const auto set = make_set(spec("l1-ball", {{"radius", 10.0}}), 22);
  EXPECT_EQ(set->name(), "l1-ball");
  EXPECT_EQ(set->dimension(), 22);
  EXPECT_EQ(set->diameter(), 20.0);
}

TEST(SetRegistry, NamesTheKeyAndWhatItGot) {
  EXPECT_EQ(complaint(spec("l1-ball", {{"radius", -1.0}}), 3),
            "problem.set.radius: expected a positive number, got -1");
  EXPECT_EQ(complaint(spec("l1-ball", {}), 3), "problem.set.radius: expected a positive number, got nothing");
  EXPECT_EQ(complaint(spec("l1-ball", {{"radius", std::string("big")}}), 3),
            "problem.set.radius: expected a positive number, got \"big\"");
  EXPECT_EQ(complaint(spec("l1-ball", {{"radius", 1.0}, {"raduis", 1.0}}), 3),
            "problem.set.raduis: expected a key of l1-ball, got \"raduis\"; did you mean \"radius\"?");
  EXPECT_EQ(complaint(spec("l1-bal", {{"radius", 1.0}}), 3),
            "problem.set.kind: expected a kind of set, got \"l1-bal\"; did you mean \"l1-ball\"?");
  EXPECT_EQ(complaint(spec("l1-ball", {{"radius", 1.0}, {"weights", std::vector<double>{1.0, 2.0}}}), 3),
            "problem.set.weights: expected a list of 3 numbers, got 2 numbers");
  EXPECT_EQ(complaint(spec("box", {{"lower", 0.0}, {"upper", std::vector<double>{1.0, -2.0}}}), 2),
            "problem.set.upper: expected no less than lower at position 1, got -2");
}

TEST(SetRegistry, CentresABall) {
  const auto set = make_set(spec("l2-ball", {{"radius", 1.0}, {"center", std::vector<double>{5.0, 0.0}}}), 2);
  EXPECT_TRUE(set->contains(Vector{{5.5, 0.5}}));
  EXPECT_FALSE(set->contains(Vector{{0.0, 0.0}}));
  Vector v(2);
  set->linear_minimizer(Vector{{1.0, 0.0}}, v);
  EXPECT_EQ(v, (Vector{{4.0, 0.0}}));
}

TEST(SetRegistry, DescribesEveryKey) {
  for (const SetKind& kind : set_kinds()) {
    EXPECT_FALSE(kind.description.empty()) << kind.name;
    for (const SetKey& key : kind.keys) {
      EXPECT_FALSE(key.meaning.empty()) << kind.name << "." << key.name;
    }
  }
}

}  // namespace
}  // namespace slidemesh

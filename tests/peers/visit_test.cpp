#include "slidemesh/network/peers/visit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "mesh_fixture.h"
#include "raw_peer.h"

/// What parties find when they compare, and how they come to do so.

namespace slidemesh::peers {
namespace {

using testing::eventually;
using ::testing::HasSubstr;
using testing::MeshPair;
using Kind = Finding::Kind;

constexpr double kSeconds = 10.0;  ///< to wait at most; a visit ends when all have answered

Facts facts_of(const std::string& party, const std::string& shared, const std::vector<std::string>& names) {
  Facts facts;
  facts.party = party;
  facts.shared = shared;
  facts.problem = sha256(shared);
  set_columns(facts, names, "label");
  return facts;
}

Visit visit_of(const Facts& facts, double ahead_seconds = 0.0) {
  return {facts.party, facts, ahead_seconds, 0.01, false, ""};
}

/// The finding with that piece in it.
Finding find(const std::vector<Finding>& findings, const std::string& piece) {
  for (const Finding& finding : findings) {
    if (finding.words.find(piece) != std::string::npos) {
      return finding;
    }
  }
  ADD_FAILURE() << "nothing about " << piece;
  return {};
}

const Facts kOwn = facts_of("a", "problem.loss = \"logistic\"\nproblem.mu = 0.1\n", {"age", "sex"});

TEST(Facts, TheSameOnBothSidesAreGood) {
  Facts theirs = kOwn;
  theirs.party = "b";
  for (const Finding& finding : compare_facts(kOwn, visit_of(theirs))) {
    EXPECT_EQ(finding.kind, Kind::kGood) << finding.words;
  }
}

TEST(Facts, ClocksThatAreFarApartSayWhichIsAhead) {
  EXPECT_EQ(find(compare_facts(kOwn, visit_of(kOwn, 30.0)), "clock").kind, Kind::kGood);
  const Finding ahead = find(compare_facts(kOwn, visit_of(kOwn, 3600.0)), "clock");
  EXPECT_EQ(ahead.kind, Kind::kWrong);
  EXPECT_THAT(ahead.words, HasSubstr("3600 s ahead of this machine's"));
  EXPECT_THAT(find(compare_facts(kOwn, visit_of(kOwn, -90.0)), "clock").words, HasSubstr("90 s behind this machine's"));
}

TEST(Facts, AnotherConfigSaysWhichKeysDiffer) {
  const Facts theirs = facts_of("b", "problem.loss = \"logistic\"\nproblem.mu = 0.5\nseed = 2\n", {"age", "sex"});
  const Finding finding = find(compare_facts(kOwn, visit_of(theirs)), "shared config");
  EXPECT_EQ(finding.kind, Kind::kWrong);
  EXPECT_EQ(
      finding.words,
      "b has another shared config: 'problem.mu' is '0.1' here and '0.5' there, 'seed' is none here and '2' there");
}

TEST(Facts, ColumnsThatOneSideLacksAreNamedWithTheSide) {
  const Facts theirs = facts_of("b", kOwn.shared, {"age", "weight"});
  const auto findings = compare_facts(kOwn, visit_of(theirs));
  EXPECT_THAT(find(findings, "b lacks columns that this party has").words, HasSubstr("'sex'"));
  EXPECT_THAT(find(findings, "this party lacks columns that b has").words, HasSubstr("'weight'"));
}

TEST(Facts, AnotherOrderOfTheSameColumnsIsNoFault) {
  const Facts theirs = facts_of("b", kOwn.shared, {"sex", "age"});
  EXPECT_EQ(find(compare_facts(kOwn, visit_of(theirs)), "in another order").kind, Kind::kGood);
}

TEST(Facts, AnotherLabelIsOne) {
  Facts theirs = kOwn;
  theirs.label = "outcome";
  EXPECT_EQ(find(compare_facts(kOwn, visit_of(theirs)), "the label's column").kind, Kind::kWrong);
}

TEST(Facts, WhatASideCannotTellIsNoFault) {
  Facts theirs = kOwn;
  theirs.knows_columns = false;
  theirs.problem.clear();
  const auto findings = compare_facts(kOwn, visit_of(theirs));
  EXPECT_EQ(find(findings, "columns").kind, Kind::kUnknown);
  EXPECT_EQ(find(findings, "named no problem").kind, Kind::kUnknown);
}

TEST(Visit, ARunAnswersWithWhatItHasAndGoesOn) {
  MeshPair pair;
  auto& a = pair.a;
  auto& b = pair.b;
  a.options.facts = [] { return facts_of("a", "seed = 1\n", {"age"}); };
  pair.start();
  const auto epoch = pair.epoch();
  const auto visits = visit_neighbours(b.trust(), "", kOwn, kSeconds);
  ASSERT_EQ(visits.size(), 1U);
  ASSERT_TRUE(visits.front().facts) << visits.front().trouble;
  EXPECT_EQ(visits.front().facts->party, "a");
  EXPECT_EQ(visits.front().facts->problem, a.options.problem);
  EXPECT_EQ(visits.front().facts->names, std::vector<std::string>{"age"});
  EXPECT_LT(std::abs(visits.front().ahead_seconds), 1.0 + visits.front().within_seconds);
  EXPECT_TRUE(eventually([&] { return a.log.has("its doctor asked"); })) << a.log.text();
  EXPECT_TRUE(b.mesh->status().front().connected);
  EXPECT_EQ(pair.epoch(), epoch) << "a visit is no new life of a party";
}

TEST(Visit, ARunThatCallsAPartyWhoseDoctorWaitsAnswersToo) {
  testing::MeshParty a(testing::self_signed_party("a"));
  testing::MeshParty b(testing::self_signed_party("b"));
  testing::MeshParty place(testing::self_signed_party("c"));  // for a port that is free
  place.start();
  const std::string address = place.address();
  place.mesh.reset();
  b.list(a.identity, address);
  b.start();
  a.list(b.identity);  // no address: b calls
  const auto visits = visit_neighbours(a.trust(), address, kOwn, kSeconds);
  ASSERT_TRUE(visits.front().facts) << visits.front().trouble;
  EXPECT_EQ(visits.front().facts->party, "b");
}

TEST(Visit, APartyThatIsNotListedThereIsToldSo) {
  testing::MeshParty a(testing::self_signed_party("a"));
  a.list(testing::self_signed_party("c"));
  a.start();
  testing::MeshParty b(testing::self_signed_party("b"));
  b.list(a.identity, a.address());
  const auto visits = visit_neighbours(b.trust(), "", kOwn, kSeconds);
  EXPECT_FALSE(visits.front().facts);
  EXPECT_TRUE(visits.front().was_refused);
  EXPECT_THAT(visits.front().trouble, HasSubstr("refused by the other side: b is not listed as a neighbour"));
}

TEST(Visit, NobodyThereIsNoRefusal) {
  testing::MeshParty b(testing::self_signed_party("b"));
  b.list(testing::self_signed_party("a"), "127.0.0.1:1");
  const auto visits = visit_neighbours(b.trust(), "", kOwn, 0.3);
  EXPECT_FALSE(visits.front().was_refused);
  EXPECT_THAT(visits.front().trouble, HasSubstr("it cannot be reached"));
}

// A link carries a run: who has said hello cannot begin to compare.
TEST(Visit, FactsOverALinkAreABadMessage) {
  MeshPair pair;
  pair.start();
  static_cast<void>(pair.epoch());
  pair.b.mesh.reset();
  testing::RawPeer raw(pair.a.mesh->port(), pair.b.identity);
  FrameHeader header;
  header.type = FrameType::kHello;
  Hello hello;
  hello.party = "b";
  hello.incarnation = testing::next_life();
  hello.problem = pair.a.options.problem;
  raw.send(encode(header, encode(hello)));
  header.type = FrameType::kFacts;
  raw.send(encode(header, encode(kOwn)));
  EXPECT_THAT(raw.refusal(), HasSubstr("frame.type: expected a record, message or pulse over a link, got facts"));
}

}  // namespace
}  // namespace slidemesh::peers

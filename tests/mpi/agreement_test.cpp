// Ranks that were not given the same thing find out before they run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi_fixture.h"
#include "toy_run.h"

namespace slidemesh {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(AgreementTest, TheSameContentIsTheSame) {
  EXPECT_NO_THROW(test::session().require_same("config", "seed = 1"));
  EXPECT_NO_THROW(test::session().require_same("config", ""));
}

TEST(AgreementTest, ADifferentConfigIsFoundOnEveryRank) {
  MpiSession& session = test::session();
  if (session.size() == 1) {
    GTEST_SKIP() << "one rank agrees with itself";
  }
  const int odd_one = session.size() - 1;
  EXPECT_THAT([&] { session.require_same("config", session.rank() == odd_one ? "seed = 2" : "seed = 1"); },
              ThrowsMessage<UsageError>(HasSubstr("rank " + std::to_string(odd_one) +
                                                  ": expected the same config as rank 0's, seed = 1, got seed = 2")));
}

TEST(AgreementTest, ADifferentGraphIsFoundOnEveryRank) {
  MpiSession& session = test::session();
  if (session.size() == 1) {
    GTEST_SKIP() << "one rank agrees with itself";
  }
  EXPECT_THAT(
      [&] { static_cast<void>(make_mpi_network(session, test::toy_graph(session.rank() == 1 ? "ring" : "path"))); },
      ThrowsMessage<UsageError>(HasSubstr("rank 1: expected the same graph as rank 0's")));
  // And the session is as good as before.
  EXPECT_NO_THROW(static_cast<void>(make_mpi_network(session, test::toy_graph("ring"))));
}

TEST(AgreementTest, MoreRanksThanNodesIsAUsageError) {
  MpiSession& session = test::session();
  if (session.size() < 3) {
    GTEST_SKIP() << "needs 3 ranks";
  }
  EXPECT_THAT([&] { static_cast<void>(make_mpi_network(session, test::toy_graph("path", 2))); },
              ThrowsMessage<UsageError>(HasSubstr("expected at least as many nodes as MPI ranks")));
}

TEST(AgreementTest, ATimeOutMustBePositive) {
  for (const double seconds : {0.0, -1.0}) {
    EXPECT_THROW(test::session().set_timeout(seconds), UsageError);
  }
}

}  // namespace
}  // namespace slidemesh

// The claims of support/network_claims.h over both networks of this process: in-process, and MPI at as many ranks as it
// was started with.

#include "slidemesh/network/network.h"

#include <gtest/gtest.h>

#include <memory>
#include <tuple>

#include "mpi_fixture.h"
#include "slidemesh/network/in_process.h"
#include "support/network_claims.h"

namespace slidemesh {
namespace {

using MakeNetwork = std::unique_ptr<Network> (*)(const Graph& graph);

std::unique_ptr<Network> in_process(const Graph& graph) { return std::make_unique<InProcessNetwork>(graph); }
std::unique_ptr<Network> over_mpi(const Graph& graph) { return make_mpi_network(test::session(), graph); }

class NetworkTest : public ::testing::TestWithParam<std::tuple<MakeNetwork, testing::NetworkClaim>> {};

TEST_P(NetworkTest, Holds) {
  const auto [make, claim] = GetParam();
  for (const Graph& graph : testing::claim_graphs()) {
    claim.check(*make(graph));
  }
}

std::string name_of(const ::testing::TestParamInfo<NetworkTest::ParamType>& info) {
  return std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(InProcess, NetworkTest,
                         ::testing::Combine(::testing::Values(in_process),
                                            ::testing::ValuesIn(testing::network_claims())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Mpi, NetworkTest,
                         ::testing::Combine(::testing::Values(over_mpi),
                                            ::testing::ValuesIn(testing::network_claims())),
                         name_of);

}  // namespace
}  // namespace slidemesh

// The claims that every network is held to (support/network_claims.h), over parties: ten meshes, one node each.

#include "slidemesh/network/network.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "mesh_fixture.h"
#include "slidemesh/network/peers/peer_network.h"
#include "support/network_claims.h"

namespace slidemesh::peers {
namespace {

using testing::PartyGroup;

class PeerNetwork : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PeerNetwork, KeepsWhatEveryNetworkMustKeep) {
  const Graph graph = testing::claim_graphs()[GetParam()];
  PartyGroup group(graph);
  std::vector<std::thread> parties;
  for (Index i = 0; i < graph.nodes(); ++i) {
    parties.emplace_back([&group, i] {
      try {
        Mesh& mesh = *group.at(i).mesh;
        const MeshView view = mesh.wait_for_view();
        for (const auto& claim : testing::network_claims()) {
          SCOPED_TRACE(claim.name);
          claim.check(*make_peer_network(mesh, view));
        }
        mesh.drain(5.0);
      } catch (const std::exception& error) {
        ADD_FAILURE() << PartyGroup::name(i) << ": " << error.what() << "\n" << group.at(i).log.text();
      }
    });
  }
  for (auto& party : parties) {
    party.join();
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, PeerNetwork, ::testing::Range(std::size_t{0}, testing::claim_graphs().size()));

}  // namespace
}  // namespace slidemesh::peers

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "mesh_fixture.h"
#include "raw_peer.h"

namespace slidemesh::testing {

/// One party with a neighbour b that a test plays.
class AgainstOneParty : public ::testing::Test {
 protected:
  AgainstOneParty() {
    a.options.end_on_bad_message = false;
    a.list(b);
    a.start();
    hello.party = "b";
    hello.problem = a.options.problem;
    hello.incarnation = next_life();
  }
  static std::string frame(peers::FrameType type, const std::string& payload) {
    peers::FrameHeader header;
    header.type = type;
    return peers::encode(header, payload);
  }
  std::string message(std::uint64_t epoch, std::uint64_t sequence, std::uint64_t ack = 0) {
    peers::FrameHeader header;
    header.type = peers::FrameType::kMessage;
    header.kind = peers::MessageKind::kRound;
    header.epoch = epoch;
    header.sequence = sequence;
    header.ack = ack;
    return peers::encode(header, "12345678");
  }
  void expect_refused(RawPeer& peer, const std::string& reason) {
    EXPECT_THAT(peer.refusal(), ::testing::HasSubstr(reason));
    EXPECT_TRUE(eventually([&] { return a.log.has(reason); })) << a.log.text();
  }
  /// A greeted peer that has made b known to a: the epoch that a is in then.
  std::uint64_t join(RawPeer& peer) {
    peer.send(frame(peers::FrameType::kHello, peers::encode(hello)));
    const peers::Record record{"b", hello.incarnation, 0, {"a"}};
    peer.send(frame(peers::FrameType::kRecord, peers::encode(record)));
    return a.mesh->wait_for_view().epoch;
  }

  Party b = self_signed_party("b");
  MeshParty a{self_signed_party("a")};
  peers::Hello hello;
};

}  // namespace slidemesh::testing

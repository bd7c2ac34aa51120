#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "against_one_party.h"

/// Neighbours that want this party's memory: what they can have of it is bounded.

namespace slidemesh::peers {
namespace {

using testing::AgainstOneParty;
using testing::eventually;
using testing::MeshParty;
using testing::Party;
using testing::RawPeer;

/// Of this process, in bytes.
std::size_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}
constexpr std::size_t kMegabyte = 1U << 20U;

/// A thousand that nobody has, in order: a record of about 60 kB.
std::vector<std::string> long_names() {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) {
    names.emplace_back(50, 'n');
    names.back() += std::to_string(100'000 + i);
  }
  return names;
}

// A header may promise as much as a message may be long, and no more is set aside than a mebibyte or twice what comes.
TEST_F(AgainstOneParty, PromisesOfLongMessagesTakeNoMemory) {
  FrameHeader header;
  header.type = FrameType::kMessage;
  header.kind = MessageKind::kRound;
  header.epoch = 1;
  header.sequence = 1;
  std::string promise = encode(header, std::string(60 * kMegabyte, 'x'));
  promise.resize(kHeaderSize + 1000);
  promise.shrink_to_fit();
  const std::size_t before = resident_memory();
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (int i = 0; i < 20; ++i) {
    peers.push_back(std::make_unique<RawPeer>(a.mesh->port(), b));
    peers.back()->send(frame(FrameType::kHello, encode(hello)));
    peers.back()->send(promise);
  }
  EXPECT_TRUE(eventually([&] { return a.mesh->status().front().connected; }));
  EXPECT_LT(resident_memory(), before + 60 * kMegabyte);
}

// Who makes up parties fills a map, and the map has a size.
TEST_F(AgainstOneParty, MadeUpPartiesTakeLittleMemoryAndAreRefusedInTheEnd) {
  RawPeer peer(a.mesh->port(), b);
  static_cast<void>(join(peer));
  const std::vector<std::string> names = long_names();
  const std::size_t before = resident_memory();
  for (int i = 0; i < 80; ++i) {
    peer.send(frame(FrameType::kRecord,
                    encode(Record{names[static_cast<std::size_t>(i)], {1, 1}, 0, {names.begin() + 100, names.end()}})));
  }
  expect_refused(peer, "record.neighbours: expected at most 65536 over all parties");
  EXPECT_LT(resident_memory(), before + 60 * kMegabyte);
}

// News are passed on to a neighbour that reads nothing until it is plain that it does not.
TEST(Mesh, NewsForANeighbourThatDoesNotReadDoNotPileUp) {
  MeshParty a(testing::self_signed_party("a"));
  const Party b = testing::self_signed_party("b");
  const Party c = testing::self_signed_party("c");
  a.list(b);
  a.list(c);
  a.options.end_on_bad_message = false;
  a.options.silence_seconds = 60.0;
  a.start();
  const auto greeting = [&](const std::string& party) {
    Hello hello;
    hello.party = party;
    hello.problem = a.options.problem;
    hello.incarnation = testing::next_life();
    FrameHeader header;
    header.type = FrameType::kHello;
    return encode(header, encode(hello));
  };
  RawPeer talks(a.mesh->port(), b);
  RawPeer sleeps(a.mesh->port(), c);
  talks.send(greeting("b"));
  sleeps.send(greeting("c"));
  ASSERT_TRUE(eventually([&] { return a.mesh->status().front().connected && a.mesh->status().back().connected; }));
  const std::vector<std::string> names = long_names();
  FrameHeader header;
  header.type = FrameType::kRecord;
  for (std::uint32_t revision = 1; revision < 2000 && !a.log.has("it does not read what is sent to it"); ++revision) {
    talks.send(encode(header, encode(Record{"z", {1, 1}, revision, names})));
  }
  EXPECT_TRUE(eventually([&] { return a.log.has("it does not read what is sent to it"); })) << a.log.text();
}

TEST_F(AgainstOneParty, MoreStrangersThanThereIsRoomForDoNotKeepANeighbourOut) {
  std::vector<std::unique_ptr<RawPeer>> idle;
  for (int i = 0; i < 100; ++i) {
    idle.push_back(std::make_unique<RawPeer>(a.mesh->port()));
  }
  // They are put out after a second each; the neighbour tries again and gets in.
  EXPECT_TRUE(eventually([&] {
    RawPeer peer(a.mesh->port(), b);
    if (!peer.shaken()) {
      return false;
    }
    peer.send(frame(FrameType::kHello, encode(hello)));
    return eventually([&] { return a.mesh->status().front().connected; });
  }));
}

}  // namespace
}  // namespace slidemesh::peers

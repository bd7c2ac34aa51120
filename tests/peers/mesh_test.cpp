#include "slidemesh/network/peers/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "mesh_fixture.h"
#include "slidemesh/base/random.h"

namespace slidemesh::peers {
namespace {

using testing::eventually;
using testing::MeshPair;
using testing::MeshParty;
using testing::PartyGroup;

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

const Graph& path_of_three() {
  static const Graph graph(3, std::vector<Edge>{{0, 1}, {1, 2}});
  return graph;
}

TEST(Mesh, PartiesFindOutTheWholeGraphFromTheirNeighboursAlone) {
  PartyGroup group(path_of_three());
  for (Index i = 0; i < 3; ++i) {
    const MeshView view = group.at(i).mesh->wait_for_view();
    EXPECT_EQ(view.self, i);
    EXPECT_EQ(view.graph.edge_list(), path_of_three().edge_list());
    EXPECT_EQ(view.epoch, group.at(0).mesh->wait_for_view().epoch);
  }
}

TEST(Mesh, MessagesArriveWholeAndInOrderWhateverTheirSize) {
  PartyGroup group(Graph(2, std::vector<Edge>{{0, 1}}));
  const auto epoch = group.at(0).mesh->wait_for_view().epoch;
  ASSERT_TRUE(eventually([&] { return group.at(1).mesh->wait_for_view().epoch == epoch; }));
  std::thread other([&] {
    RandomStream random(4, Purpose::kTest);
    for (int i = 0; i < 60; ++i) {
      const std::string text(static_cast<std::size_t>(random.index(i % 10 == 0 ? 900'000 : 500)), static_cast<char>(i));
      group.at(0).mesh->send(epoch, PartyGroup::name(1), MessageKind::kBytes, bytes(text));
    }
  });
  RandomStream random(4, Purpose::kTest);
  for (int i = 0; i < 60; ++i) {
    const std::string text(static_cast<std::size_t>(random.index(i % 10 == 0 ? 900'000 : 500)), static_cast<char>(i));
    EXPECT_EQ(group.at(1).mesh->receive(epoch, PartyGroup::name(0), MessageKind::kBytes), text) << i;
  }
  other.join();
  EXPECT_TRUE(group.at(0).mesh->drain(5.0));
}

/// Both send `count` numbered messages and check the other's, as a method's rounds do.
void exchange(Mesh& mesh, std::uint64_t epoch, const std::string& neighbour, int count) {
  for (int i = 0; i < count; ++i) {
    mesh.send(epoch, neighbour, MessageKind::kRound, bytes(std::to_string(i)));
    ASSERT_EQ(mesh.receive(epoch, neighbour, MessageKind::kRound), std::to_string(i));
  }
}

TEST(Mesh, NothingIsLostOrDoubledWhenConnectionsAreMadeAnewAllTheTime) {
  MeshPair pair;
  auto& a = pair.a;
  auto& b = pair.b;
  b.options.greatest_age_seconds = 0.02;  // b calls
  pair.start();
  const auto epoch = pair.epoch();
  std::thread other([&] { exchange(*b.mesh, epoch, "a", 3000); });
  exchange(*a.mesh, epoch, "b", 3000);
  other.join();
  EXPECT_TRUE(b.log.has("reached its greatest age"));
}

TEST(Mesh, ACertificateIsReplacedWhileMessagesTravel) {
  MeshPair pair;
  auto& a = pair.a;
  auto& b = pair.b;
  pair.start();
  const auto epoch = pair.epoch();
  std::thread other([&] { exchange(*b.mesh, epoch, "a", 3000); });
  std::thread administrator([&] {
    auto trust = a.trust();
    trust.certificate = make_self_signed(trust.key, "a", valid_for_days(99, std::time(nullptr)));
    a.set_trust(trust);
  });
  exchange(*a.mesh, epoch, "b", 3000);
  EXPECT_TRUE(eventually([&] { return a.log.has("this party's certificate was replaced"); }));
  EXPECT_TRUE(eventually([&] { return a.mesh->status().front().connected; }));
  administrator.join();
  other.join();
}

// Both are cut off at once and both call at once: one of the two connections is refused, which is no bad message.
TEST(Mesh, TwoThatCallEachOtherAtOnceKeepOneConnectionAndGoOn) {
  MeshPair pair;
  auto& a = pair.a;
  auto& b = pair.b;
  pair.start();
  auto trust = a.trust();
  trust.addresses = {b.address()};
  a.set_trust(trust);
  const auto epoch = pair.epoch();
  std::atomic<bool> done = false;
  std::thread administrator([&] {
    for (int days = 30; !done; ++days) {
      trust.certificate = make_self_signed(trust.key, "a", valid_for_days(days, std::time(nullptr)));
      a.set_trust(trust);
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
  });
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  std::thread other([&] { exchange(*b.mesh, epoch, "a", 20'000); });
  exchange(*a.mesh, epoch, "b", 20'000);
  other.join();
  std::this_thread::sleep_until(until);
  done = true;
  administrator.join();
  EXPECT_FALSE(a.log.has("bad message")) << a.log.text();
  EXPECT_FALSE(b.log.has("bad message")) << b.log.text();
}

TEST(Mesh, AKeyThatIsDeniedWhileARunGoesOnIsPutOut) {
  MeshPair pair;
  auto& a = pair.a;
  auto& b = pair.b;
  pair.start();
  static_cast<void>(b.mesh->wait_for_view());
  auto trust = a.trust();
  trust.rules.denied.push_back(b.identity.fingerprint());
  a.set_trust(trust);
  EXPECT_TRUE(eventually([&] { return a.log.has("the key is on the deny list"); }));
  EXPECT_TRUE(eventually([&] { return b.log.has("refused by the other side: the key is on the deny list"); }));
}

TEST(Mesh, ARestartedPartyIsNoticedByAllAndBeginsAnEpoch) {
  PartyGroup group(path_of_three());
  const auto before = group.at(0).mesh->wait_for_view().epoch;
  ASSERT_TRUE(eventually([&] { return group.at(2).mesh->wait_for_view().epoch == before; }));
  std::thread waiting([&] {
    EXPECT_THROW(static_cast<void>(group.at(0).mesh->receive(before, PartyGroup::name(1), MessageKind::kRound)),
                 MeshChanged);
  });
  auto& restarted = group.at(2);  // not even a neighbour of the one that waits
  restarted.mesh.reset();
  restarted.options.incarnation = testing::next_life();
  restarted.start();
  waiting.join();
  const auto after = group.at(0).mesh->wait_for_view().epoch;
  EXPECT_NE(after, before);
  EXPECT_TRUE(eventually([&] { return restarted.mesh->wait_for_view().epoch == after; }));
}

TEST(Mesh, PatienceEndsAndSaysWhomItWaitedFor) {
  MeshParty a(testing::self_signed_party("a"));
  a.options.patience_seconds = 0.2;
  a.list(testing::self_signed_party("b"), "127.0.0.1:1");
  a.start();
  try {
    static_cast<void>(a.mesh->wait_for_view());
    FAIL();
  } catch (const PeerLostError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("b has not been heard of"));
  }
  EXPECT_THAT(a.mesh->status().front().trouble, ::testing::HasSubstr("it cannot be reached"));
}

/// A port at which connections neither come about nor are refused, as behind a firewall that drops them: nobody accepts
/// and the queue is full.
class SilentPort {
 public:
  SilentPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    sockets_.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(::bind(sockets_.front(), raw, size), 0);
    EXPECT_EQ(::listen(sockets_.front(), 0), 0);
    EXPECT_EQ(::getsockname(sockets_.front(), raw, &size), 0);
    port_ = ntohs(address.sin_port);
    for (int i = 0; i < 4; ++i) {
      sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
      static_cast<void>(::connect(sockets_.back(), raw, size));
    }
  }
  ~SilentPort() {
    for (const int socket : sockets_) {
      ::close(socket);
    }
  }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  std::vector<int> sockets_;
  int port_ = 0;
};

TEST(Mesh, AMachineThatDoesNotAnswerIsGivenUpInTimeAndCalledAgain) {
  const SilentPort silent;
  MeshParty a(testing::self_signed_party("a"));
  a.list(testing::self_signed_party("b"), silent.address());
  a.start();
  EXPECT_TRUE(testing::eventually([&] { return a.log.has("it cannot be reached: no answer in time"); }))
      << a.log.text();
}

TEST(Mesh, WaitingCanBeInterrupted) {
  MeshParty a(testing::self_signed_party("a"));
  a.options.interrupted = [] { return true; };
  a.list(testing::self_signed_party("b"));
  a.start();
  EXPECT_THROW(static_cast<void>(a.mesh->wait_for_view()), WaitInterrupted);
}

TEST(Mesh, AMessageOfAnotherKindOrSizeNamesThePeerAndWhatWasWrong) {
  PartyGroup group(Graph(2, std::vector<Edge>{{0, 1}}));
  const auto epoch = group.at(0).mesh->wait_for_view().epoch;
  ASSERT_EQ(group.at(1).mesh->wait_for_view().epoch, epoch);
  group.at(0).mesh->send(epoch, PartyGroup::name(1), MessageKind::kRound, bytes("12345678"));
  group.at(0).mesh->send(epoch, PartyGroup::name(1), MessageKind::kRound, bytes("12345678"));
  try {
    static_cast<void>(group.at(1).mesh->receive(epoch, PartyGroup::name(0), MessageKind::kAlong));
    FAIL();
  } catch (const PeerLostError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("p100, message 1: expected an agreement, got a round"));
  }
  std::string wanted(16, ' ');
  try {
    group.at(1).mesh->receive(epoch, PartyGroup::name(0), MessageKind::kRound,
                              std::as_writable_bytes(std::span(wanted.data(), wanted.size())));
    FAIL();
  } catch (const PeerLostError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("expected 16 bytes, got 8"));
  }
}

TEST(Mesh, TwoProcessesUnderOneNameDoNotFightForEver) {
  MeshPair pair;
  auto& a = pair.a;
  auto& b = pair.b;
  pair.start();
  static_cast<void>(a.mesh->wait_for_view());
  MeshParty rival(b.identity);
  rival.list(a.identity, a.address());
  rival.start();
  EXPECT_TRUE(eventually(
      [&] { return b.log.has("a newer process of b is known") || a.log.has("a newer process of b is known"); }));
}

}  // namespace
}  // namespace slidemesh::peers

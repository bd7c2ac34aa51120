#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "against_one_party.h"

/// Connections that must not come about. Each case: why, said on both sides, and nobody crashes or hangs.

namespace slidemesh::peers {
namespace {

using testing::AgainstOneParty;
using testing::Authority;
using testing::eventually;
using testing::MeshParty;
using testing::Party;
using testing::RawPeer;

constexpr std::time_t kDay = 86'400;

/// What a test says of two parties, a that listens and b that calls, before they meet.
struct Meeting {
  MeshParty a{testing::self_signed_party("a")};
  MeshParty b{testing::self_signed_party("b")};

  void show(MeshParty& party, const Party& identity) {
    auto trust = party.trust();
    trust.key = identity.key;
    trust.certificate = identity.certificate;
    party.set_trust(trust);
  }
  /// Both start; `reason` must be on record with the one that refuses, and with the other as the other side's word.
  void expect_refused_by(MeshParty& judge, MeshParty& refused, const std::string& reason) {
    if (a.trust().rules.neighbours.empty()) {
      a.list(b.identity);
    }
    a.start();
    auto trust = b.trust();
    if (trust.rules.neighbours.empty()) {
      b.list(a.identity, a.address());
    } else {
      trust.addresses = {a.address()};
      b.set_trust(trust);
    }
    b.start();
    EXPECT_TRUE(eventually([&] { return judge.log.has("refused: " + reason); })) << judge.log.text();
    EXPECT_TRUE(eventually([&] { return refused.log.has("refused by the other side: " + reason); }))
        << refused.log.text();
    EXPECT_TRUE(judge.log.has("sha256:") || judge.log.has("no certificate")) << judge.log.text();
    EXPECT_FALSE(a.mesh->status().front().connected);
    EXPECT_FALSE(b.mesh->status().front().connected);
  }
};

TEST(Refused, APartyThatIsNotListed) {
  Meeting m;
  m.a.list(testing::self_signed_party("c"));
  m.expect_refused_by(m.a, m.b, "b is not listed as a neighbour");
}

TEST(Refused, AnotherKeyUnderAListedName) {
  Meeting m;
  m.show(m.b, testing::self_signed_party("b"));
  m.expect_refused_by(m.a, m.b, "the key is not one of those listed for b");
}

TEST(Refused, AnotherPartysCertificate) {
  Meeting m;
  const Party c = testing::self_signed_party("c");
  m.a.list(m.b.identity);
  m.show(m.b, c);
  m.expect_refused_by(m.a, m.b, "c is not listed as a neighbour");
}

TEST(Refused, AnExpiredCertificate) {
  Meeting m;
  Party old = m.b.identity;
  old.certificate = make_self_signed(old.key, "b", {std::time(nullptr) - 2 * kDay, std::time(nullptr) - kDay});
  m.show(m.b, old);
  m.expect_refused_by(m.a, m.b, "the certificate expired on ");
}

TEST(Refused, ACertificateThatIsNotYetValid) {
  Meeting m;
  Party early = m.b.identity;
  early.certificate = make_self_signed(early.key, "b", {std::time(nullptr) + kDay, std::time(nullptr) + 2 * kDay});
  m.show(m.b, early);
  m.expect_refused_by(m.a, m.b, "the certificate is not valid before ");
}

TEST(Refused, ADeniedKey) {
  Meeting m;
  m.a.list(m.b.identity);
  auto trust = m.a.trust();
  trust.rules.denied = {m.b.identity.fingerprint()};
  m.a.set_trust(trust);
  m.expect_refused_by(m.a, m.b, "the key is on the deny list");
}

TEST(Refused, AServerWhoseKeyIsNotListed) {
  Meeting m;
  m.b.list(testing::self_signed_party("a"));
  m.expect_refused_by(m.b, m.a, "the key is not one of those listed for a");
}

TEST(Refused, AServerOfAnotherName) {
  Meeting m;
  m.b.list(testing::self_signed_party("c"));
  m.expect_refused_by(m.b, m.a, "the certificate is a's, and c was expected");
}

TEST(Refused, AServerWhoseCertificateHasExpired) {
  Meeting m;
  Party old = m.a.identity;
  old.certificate = make_self_signed(old.key, "a", {std::time(nullptr) - 2 * kDay, std::time(nullptr) - kDay});
  m.show(m.a, old);
  m.expect_refused_by(m.b, m.a, "the certificate expired on ");
}

TEST(Refused, AServerWhoseCertificateIsNotYetValid) {
  Meeting m;
  Party early = m.a.identity;
  early.certificate = make_self_signed(early.key, "a", {std::time(nullptr) + kDay, std::time(nullptr) + 2 * kDay});
  m.show(m.a, early);
  m.expect_refused_by(m.b, m.a, "the certificate is not valid before ");
}

TEST(Refused, ADeniedServer) {
  Meeting m;
  m.b.list(m.a.identity);
  auto trust = m.b.trust();
  trust.rules.denied = {m.a.identity.fingerprint()};
  m.b.set_trust(trust);
  m.expect_refused_by(m.b, m.a, "the key is on the deny list");
}

TEST(Refused, AnotherAuthority) {
  Meeting m;
  m.a.list_identity({"b", {}, Authority("trust").certificate()}, "");
  m.show(m.b, Authority("other").party("b"));
  m.expect_refused_by(m.a, m.b, "the certificate is not signed by the authority listed for this party");
}

TEST(Refused, ASelfSignedCertificateWhereAnAuthorityIsListed) {
  Meeting m;
  m.a.list_identity({"b", {}, Authority("trust").certificate()}, "");
  m.expect_refused_by(m.a, m.b, "the certificate is not signed by the authority listed for this party");
}

TEST(Refused, ARevokedCertificate) {
  Meeting m;
  const Authority authority("trust");
  const Party b = authority.party("b");
  m.a.list_identity({"b", {}, authority.certificate()}, "");
  auto trust = m.a.trust();
  trust.rules.revocations = authority.revoke({b.certificate}, std::time(nullptr));
  m.a.set_trust(trust);
  m.show(m.b, b);
  m.expect_refused_by(m.a, m.b, "the certificate was revoked by its authority");
}

TEST(Refused, AnExpiredRevocationList) {
  Meeting m;
  const Authority authority("trust");
  m.a.list_identity({"b", {}, authority.certificate()}, "");
  auto trust = m.a.trust();
  trust.rules.revocations = authority.revoke({}, std::time(nullptr) - kDay);
  m.a.set_trust(trust);
  m.show(m.b, authority.party("b"));
  m.expect_refused_by(m.a, m.b, "the revocation list of the certificate's authority has expired");
}

TEST(Refused, AnotherPartyOfTheSameAuthority) {
  Meeting m;
  const Authority authority("trust");
  m.a.list_identity({"b", {}, authority.certificate()}, "");
  m.show(m.b, authority.party("c"));
  m.expect_refused_by(m.a, m.b, "c is not listed as a neighbour");
}

TEST(Refused, TheAuthoritysCertificateForAnotherKeyThanTheListedOne) {
  Meeting m;
  const Authority authority("trust");
  m.a.list_identity({"b", {m.b.identity.fingerprint()}, authority.certificate()}, "");
  m.show(m.b, authority.party("b"));
  m.expect_refused_by(m.a, m.b, "the key is not one of those listed for b");
}

TEST(Refused, AnotherProblem) {
  Meeting m;
  m.b.options.problem = sha256("another problem");
  m.a.list(m.b.identity);
  m.a.start();
  m.b.list(m.a.identity, m.a.address());
  m.b.start();
  for (MeshParty* party : {&m.a, &m.b}) {
    EXPECT_TRUE(eventually([&] { return party->log.has("the shared config of "); })) << party->log.text();
  }
  EXPECT_FALSE(m.a.mesh->status().front().connected);
}

// ---- someone who speaks TLS, or does not, and has b's certificate, or none ----

TEST_F(AgainstOneParty, NoCertificate) {
  RawPeer peer(a.mesh->port(), b, {.newest_version = TLS1_3_VERSION, .shows_certificate = false});
  expect_refused(peer, "no certificate was shown");
}

TEST_F(AgainstOneParty, OlderTls) {
  const RawPeer peer(a.mesh->port(), b, {.newest_version = TLS1_2_VERSION, .shows_certificate = true});
  EXPECT_FALSE(peer.shaken());
  EXPECT_TRUE(eventually([&] { return a.log.has("does not use TLS 1.3"); })) << a.log.text();
}

TEST_F(AgainstOneParty, PlainText) {
  RawPeer peer(a.mesh->port());
  peer.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return a.log.has("what arrived is not TLS"); })) << a.log.text();
}

TEST_F(AgainstOneParty, Noise) {
  RawPeer peer(a.mesh->port());
  peer.send(std::string(3000, '\x7f'));
  EXPECT_TRUE(eventually([&] { return a.log.has("what arrived is not TLS"); })) << a.log.text();
}

TEST_F(AgainstOneParty, Silence) {
  const RawPeer peer(a.mesh->port());
  EXPECT_TRUE(eventually([&] { return a.log.has("no greeting came in time"); })) << a.log.text();
}

TEST_F(AgainstOneParty, SilenceAfterTheHandshake) {
  const RawPeer peer(a.mesh->port(), b);
  EXPECT_TRUE(eventually([&] { return a.log.has("no greeting came in time"); })) << a.log.text();
}

TEST_F(AgainstOneParty, NoHello) {
  RawPeer peer(a.mesh->port(), b);
  peer.send(frame(FrameType::kPulse, ""));
  expect_refused(peer, "frame.type: expected a hello first");
}

TEST_F(AgainstOneParty, AnotherVersionOfTheProtocol) {
  RawPeer peer(a.mesh->port(), b);
  hello.oldest_protocol = 7;
  hello.newest_protocol = 9;
  peer.send(frame(FrameType::kHello, encode(hello)));
  expect_refused(peer, "hello.protocol: expected a range with 1 to 1, got 7 to 9");
}

TEST_F(AgainstOneParty, AnotherByteOrder) {
  RawPeer peer(a.mesh->port(), b);
  std::string bytes = encode(hello);
  std::swap(bytes[4], bytes[7]);
  std::swap(bytes[5], bytes[6]);
  peer.send(frame(FrameType::kHello, bytes));
  expect_refused(peer, "hello.byte_order: expected this machine's, got another");
}

TEST_F(AgainstOneParty, AHelloInAnothersName) {
  RawPeer peer(a.mesh->port(), b);
  hello.party = "c";
  peer.send(frame(FrameType::kHello, encode(hello)));
  expect_refused(peer, "the hello is c's, and the certificate b's");
}

TEST_F(AgainstOneParty, AnotherDigest) {
  RawPeer peer(a.mesh->port(), b);
  hello.problem = std::string(64, '0');
  peer.send(frame(FrameType::kHello, encode(hello)));
  expect_refused(peer, "the shared config of a has the digest");
}

TEST_F(AgainstOneParty, AnOlderLife) {
  RawPeer newer(a.mesh->port(), b);
  static_cast<void>(join(newer));
  hello.incarnation.started -= 1;
  RawPeer older(a.mesh->port(), b);
  older.send(frame(FrameType::kHello, encode(hello)));
  expect_refused(older, "a newer process of b is known");
}

TEST_F(AgainstOneParty, ASecondHello) {
  RawPeer peer(a.mesh->port(), b);
  static_cast<void>(join(peer));
  peer.send(frame(FrameType::kHello, encode(hello)));
  expect_refused(peer, "frame.type: expected one hello, got a second");
}

TEST_F(AgainstOneParty, AChangedByte) {
  RawPeer peer(a.mesh->port(), b);
  std::string bytes = message(join(peer), 1);
  bytes[20] = static_cast<char>(bytes[20] ^ 1);
  peer.send(bytes);
  expect_refused(peer, "frame.checksum: expected the header's, got another");
}

TEST_F(AgainstOneParty, AFrameThatIsTooLong) {
  a.options.largest_message = 1000;
  a.options.incarnation = testing::next_life();
  a.mesh.reset();
  a.start();
  RawPeer peer(a.mesh->port(), b);
  FrameHeader header;
  header.type = FrameType::kMessage;
  header.kind = MessageKind::kRound;
  header.epoch = join(peer);
  header.sequence = 1;
  peer.send(encode(header, std::string(1001, 'x')));
  expect_refused(peer, "frame.length: expected at most 1000, got 1001");
}

TEST_F(AgainstOneParty, AReorderedStream) {
  RawPeer peer(a.mesh->port(), b);
  peer.send(message(join(peer), 2));
  expect_refused(peer, "frame.sequence: expected 1, got 2");
}

TEST_F(AgainstOneParty, AReplayedMessage) {
  RawPeer peer(a.mesh->port(), b);
  const std::string bytes = message(join(peer), 1);
  peer.send(bytes + bytes);
  expect_refused(peer, "frame.sequence: expected 2, got 1");
}

TEST_F(AgainstOneParty, MoreThanTheWindow) {
  RawPeer peer(a.mesh->port(), b);
  const auto epoch = join(peer);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    peer.send(message(epoch, i));
  }
  expect_refused(peer, "messages ahead of this party, got more");
}

TEST_F(AgainstOneParty, AnAcknowledgementOfWhatWasNeverSent) {
  RawPeer peer(a.mesh->port(), b);
  peer.send(message(join(peer), 1, 77));
  expect_refused(peer, "frame.ack: expected at most 0, got 77");
}

TEST_F(AgainstOneParty, ARecordThatCannotBe) {
  RawPeer peer(a.mesh->port(), b);
  static_cast<void>(join(peer));
  peer.send(frame(FrameType::kRecord, encode(Record{"z", {1, 1}, 0, {"y", "x"}})));
  expect_refused(peer, "record.neighbours: expected ascending names");
}

TEST_F(AgainstOneParty, ABadMessageEndsTheRunByPolicy) {
  a.options.end_on_bad_message = true;
  a.options.incarnation = testing::next_life();
  a.mesh.reset();
  a.start();
  RawPeer peer(a.mesh->port(), b);
  const auto epoch = join(peer);
  peer.send(message(epoch, 3));
  try {
    static_cast<void>(a.mesh->receive(epoch, "b", MessageKind::kRound));
    FAIL();
  } catch (const PeerLostError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("b, step 0: frame.sequence: expected 1, got 3"));
  }
}

}  // namespace
}  // namespace slidemesh::peers

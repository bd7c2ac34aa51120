#include "slidemesh/network/peers/identity.h"

#include <gtest/gtest.h>

#include "certificates.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/network/peers/invitation.h"

namespace slidemesh::peers {
namespace {

constexpr std::time_t kNow = 1'800'000'000;

TEST(Identity, APartysCertificateSaysItsNameKeyAndTime) {
  const std::string key = make_key();
  const auto facts = read_certificate(make_self_signed(key, "clinic-a", valid_for_days(30, kNow)), "test");
  EXPECT_EQ(facts.party, "clinic-a");
  EXPECT_EQ(facts.fingerprint, fingerprint_of_key(key));
  EXPECT_EQ(facts.validity.from, kNow - 300);
  EXPECT_EQ(facts.validity.until, kNow + 30 * 86'400);
  EXPECT_TRUE(facts.self_signed);
}

TEST(Identity, RenewingACertificateKeepsTheFingerprintAndANewKeyDoesNot) {
  const std::string key = make_key();
  const auto old = read_certificate(make_self_signed(key, "a", valid_for_days(1, kNow)), "test");
  const auto renewed = read_certificate(make_self_signed(key, "a", valid_for_days(400, kNow)), "test");
  const auto other = read_certificate(make_self_signed(make_key(), "a", valid_for_days(1, kNow)), "test");
  EXPECT_EQ(old.fingerprint, renewed.fingerprint);
  EXPECT_NE(old.fingerprint, other.fingerprint);
}

TEST(Identity, ARequestSignedByAnAuthorityKeepsNameAndKey) {
  const testing::Authority authority("hospital trust");
  const std::string key = make_key();
  const auto facts = read_certificate(authority.sign(make_request(key, "clinic-a"), valid_for_days(5, kNow)), "test");
  EXPECT_EQ(facts.party, "clinic-a");
  EXPECT_EQ(facts.fingerprint, fingerprint_of_key(key));
  EXPECT_EQ(facts.issuer, "CN=hospital trust");
  EXPECT_FALSE(facts.self_signed);
}

TEST(Identity, ACertificateForAnotherKeyIsFoundBeforeAnyConnection) {
  const std::string key = make_key();
  EXPECT_NO_THROW(require_same_key(key, make_self_signed(key, "a", valid_for_days(1, kNow))));
  EXPECT_THROW(require_same_key(key, make_self_signed(make_key(), "a", valid_for_days(1, kNow))), UsageError);
}

TEST(Identity, NamesThatCouldConfuseAreRefused) {
  for (const char* good : {"a", "clinic-a", "site.example.org", "0", "a-0.b"}) {
    EXPECT_NO_THROW(require_party_name(good)) << good;
  }
  for (const char* bad : {"", "A", "-a", "a-", ".a", "a b", "a/b", "a\n", "\xC3\xA4", "a,URI:slidemesh:party/b"}) {
    EXPECT_THROW(require_party_name(bad), UsageError) << bad;
  }
  EXPECT_THROW(require_party_name(std::string(64, 'a')), UsageError);
}

TEST(Identity, WhatIsNoKeyOrCertificateIsRefusedInOneLine) {
  EXPECT_THROW(static_cast<void>(fingerprint_of_key("no key")), UsageError);
  EXPECT_THROW(static_cast<void>(read_certificate("no certificate", "file.pem")), DataError);
  EXPECT_THROW(static_cast<void>(require_fingerprint("sha256:12", "x")), UsageError);
  EXPECT_EQ(require_fingerprint("SHA256:" + std::string(64, 'A'), "x"), "sha256:" + std::string(64, 'a'));
}

TEST(Invitation, ComesBackAsItWasWritten) {
  const testing::Authority authority("trust");
  const Invitation written{"clinic-a", "[::1]:7000", "sha256:" + std::string(64, '1'), authority.certificate(),
                           sha256("problem")};
  const Invitation read = parse_invitation(to_json(written), "file");
  EXPECT_EQ(read.party, written.party);
  EXPECT_EQ(read.address, written.address);
  EXPECT_EQ(read.key, written.key);
  EXPECT_EQ(read.authority, written.authority);
  EXPECT_EQ(read.problem, written.problem);
}

TEST(Invitation, AnythingElseIsRefused) {
  const std::string digest(64, 'a');
  for (const std::string& bad : {
           std::string(""),
           std::string("[]"),
           std::string("{}"),
           std::string(70'000, '['),
           R"({"slidemesh_invitation": 2, "party": "a"})" + std::string(),
           R"({"slidemesh_invitation": 1, "party": "A", "key": "sha256:)" + digest + R"(", "problem": ")" + digest +
               "\"}",
           R"({"slidemesh_invitation": 1, "party": "a", "problem": ")" + digest + "\"}",
           R"({"slidemesh_invitation": 1, "party": "a", "key": 3, "problem": ")" + digest + "\"}",
           R"({"slidemesh_invitation": 1, "party": "a", "key": "sha256:12", "problem": ")" + digest + "\"}",
           R"({"slidemesh_invitation": 1, "party": "a", "authority": "x", "problem": ")" + digest + "\"}",
           R"({"slidemesh_invitation": 1, "party": "a", "key": "sha256:)" + digest + R"(", "problem": "short"})",
           R"({"slidemesh_invitation": 1, "party": "a", "address": "nowhere", "key": "sha256:)" + digest +
               R"(", "problem": ")" + digest + "\"}",
       }) {
    EXPECT_THROW(static_cast<void>(parse_invitation(bad, "file")), DataError) << bad.substr(0, 100);
  }
}

TEST(Address, HostsAndPorts) {
  EXPECT_EQ(parse_address("host.example:7000", "x"), (Address{"host.example", "7000"}));
  EXPECT_EQ(parse_address("[fe80::1]:7000", "x"), (Address{"fe80::1", "7000"}));
  EXPECT_EQ(to_text(parse_address("[fe80::1]:7000", "x")), "[fe80::1]:7000");
  for (const char* bad : {"", "host", "host:", ":7000", "host:port", "host:70000", "fe80::1:7000", "a b:1", "u@h:1"}) {
    EXPECT_THROW(static_cast<void>(parse_address(bad, "x")), UsageError) << bad;
  }
}

TEST(Digest, IsSha256) { EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); }

}  // namespace
}  // namespace slidemesh::peers

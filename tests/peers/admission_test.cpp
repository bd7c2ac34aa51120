#include "slidemesh/network/peers/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certificates.h"
#include "slidemesh/base/errors.h"

namespace slidemesh::peers {
namespace {

using ::testing::HasSubstr;

std::time_t now() { return std::time(nullptr); }

AdmissionRules listing(const testing::Party& party) { return {{{party.name, {party.fingerprint()}, ""}}, {}, ""}; }

void expect_refused(const Verdict& verdict, const std::string& reason) {
  EXPECT_FALSE(verdict.admitted);
  EXPECT_THAT(verdict.reason, HasSubstr(reason));
  EXPECT_EQ(verdict.reason.find('\n'), std::string::npos);
}

TEST(Admission, AListedKeyUnderItsNameIsAdmitted) {
  const auto party = testing::self_signed_party("clinic-a");
  const Verdict verdict = judge(party.certificate, listing(party), now(), "clinic-a");
  EXPECT_TRUE(verdict.admitted) << verdict.reason;
  EXPECT_EQ(verdict.party, "clinic-a");
  EXPECT_EQ(verdict.fingerprint, party.fingerprint());
  EXPECT_TRUE(judge(party.certificate, listing(party), now(), "").admitted);
}

TEST(Admission, ARenewedCertificateOfAListedKeyIsAdmitted) {
  auto party = testing::self_signed_party("clinic-a");
  const auto rules = listing(party);
  party.certificate = make_self_signed(party.key, "clinic-a", valid_for_days(700, now()));
  EXPECT_TRUE(judge(party.certificate, rules, now(), "").admitted);
}

TEST(Admission, TwoKeysAreListedWhileOneReplacesTheOther) {
  const auto old = testing::self_signed_party("clinic-a");
  const auto replacement = testing::self_signed_party("clinic-a");
  auto rules = listing(old);
  expect_refused(judge(replacement.certificate, rules, now(), ""), "the key is not one of those listed for clinic-a");
  rules.neighbours[0].keys.push_back(replacement.fingerprint());
  EXPECT_TRUE(judge(replacement.certificate, rules, now(), "").admitted);
  EXPECT_TRUE(judge(old.certificate, rules, now(), "").admitted);
}

TEST(Admission, EachKindOfWrongSelfSignedCertificateIsRefusedWithItsReason) {
  const auto party = testing::self_signed_party("clinic-a");
  const auto rules = listing(party);
  expect_refused(judge("", rules, now(), ""), "no certificate was shown");
  expect_refused(judge(testing::self_signed_party("clinic-b").certificate, rules, now(), ""),
                 "clinic-b is not listed as a neighbour");
  expect_refused(judge(party.certificate, rules, now() + 3 * 86'400, ""), "the certificate expired on ");
  expect_refused(judge(party.certificate, rules, now() - 86'400, ""), "the certificate is not valid before ");
  expect_refused(judge(party.certificate, rules, now(), "clinic-c"),
                 "the certificate is clinic-a's, and clinic-c was expected");
  auto denied = rules;
  denied.denied = {party.fingerprint()};
  expect_refused(judge(party.certificate, denied, now(), ""), "the key is on the deny list");
  const AdmissionRules nothing{{{"clinic-a", {}, ""}}, {}, ""};
  expect_refused(judge(party.certificate, nothing, now(), ""), "neither a key nor an authority is listed");
}

TEST(Admission, AnotherPartysKeyUnderAListedNameIsRefused) {
  const auto a = testing::self_signed_party("clinic-a");
  const auto impostor = testing::self_signed_party("clinic-a");
  expect_refused(judge(impostor.certificate, listing(a), now(), "clinic-a"), "the key is not one of those listed");
}

TEST(Admission, AListedKeyWithAForgedSignatureIsRefused) {
  // The certificate's bytes changed after it was signed: its name is not what the key's owner signed.
  auto party = testing::self_signed_party("clinic-a");
  auto at = party.certificate.find('\n', 40) + 200;
  party.certificate[at] = party.certificate[at] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(judge(party.certificate, listing(party), now(), "").admitted);
}

class AuthorityRules : public ::testing::Test {
 protected:
  testing::Authority authority{"trust"};
  testing::Party party = authority.party("clinic-a");
  AdmissionRules rules{{{"clinic-a", {}, authority.certificate()}}, {}, ""};
};

TEST_F(AuthorityRules, ACertificateOfTheAuthorityIsAdmitted) {
  const Verdict verdict = judge(party.certificate, rules, now(), "clinic-a");
  EXPECT_TRUE(verdict.admitted) << verdict.reason;
}

TEST_F(AuthorityRules, AnotherAuthoritysIsRefused) {
  const testing::Authority other("trust");  // even under the same name
  expect_refused(judge(other.party("clinic-a").certificate, rules, now(), ""), "");
  const testing::Authority stranger("stranger");
  expect_refused(judge(stranger.party("clinic-a").certificate, rules, now(), ""),
                 "not signed by the authority listed for this party");
  expect_refused(judge(testing::self_signed_party("clinic-a").certificate, rules, now(), ""),
                 "not signed by the authority listed for this party");
}

TEST_F(AuthorityRules, AnotherPartyOfTheSameAuthorityIsRefused) {
  expect_refused(judge(authority.party("clinic-b").certificate, rules, now(), ""), "clinic-b is not listed");
}

TEST_F(AuthorityRules, ARevokedCertificateIsRefusedAndOthersAreNot) {
  rules.revocations = authority.revoke({party.certificate}, now());
  expect_refused(judge(party.certificate, rules, now(), ""), "the certificate was revoked by its authority");
  EXPECT_TRUE(judge(authority.party("clinic-a").certificate, rules, now(), "").admitted);
}

TEST_F(AuthorityRules, AnExpiredRevocationListRefusesRatherThanGuesses) {
  rules.revocations = authority.revoke({}, now() - 86'400);
  expect_refused(judge(party.certificate, rules, now(), ""),
                 "the revocation list of the certificate's authority has expired");
}

TEST_F(AuthorityRules, ARevocationListOfAnotherAuthorityDoesNotMatter) {
  rules.revocations = testing::Authority("other").revoke({}, now());
  EXPECT_TRUE(judge(party.certificate, rules, now(), "").admitted);
}

TEST_F(AuthorityRules, ExpiredAndNotYetValid) {
  const auto late = authority.sign(make_request(party.key, "clinic-a"), {now() - 900'000, now() - 60});
  expect_refused(judge(late, rules, now(), ""), "expired on");
  const auto early = authority.sign(make_request(party.key, "clinic-a"), {now() + 60, now() + 900'000});
  expect_refused(judge(early, rules, now(), ""), "not valid before");
}

TEST_F(AuthorityRules, KeyAndAuthorityMustBothHoldWhereBothAreListed) {
  rules.neighbours[0].keys = {testing::self_signed_party("clinic-a").fingerprint()};
  expect_refused(judge(party.certificate, rules, now(), ""), "the key is not one of those listed");
  rules.neighbours[0].keys = {party.fingerprint()};
  EXPECT_TRUE(judge(party.certificate, rules, now(), "").admitted);
}

TEST(DenyList, OneFingerprintALine) {
  const std::string one = "sha256:" + std::string(64, '1');
  EXPECT_EQ(parse_fingerprints("# gone\n\n " + one + "  # clinic-b\r\n", "denied"), std::vector<std::string>{one});
  EXPECT_THROW(static_cast<void>(parse_fingerprints(one + "\nnonsense\n", "denied")), UsageError);
}

}  // namespace
}  // namespace slidemesh::peers

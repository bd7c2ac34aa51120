#include "slidemesh/network/peers/home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "certificates.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"
#include "support/temp_dir.h"

namespace slidemesh::peers {
namespace {

class Homes : public ::testing::Test {
 protected:
  Home create(const std::string& name) {
    return Home::create(directory.path() / name, name, "127.0.0.1:0", "127.0.0.1:7000", 30, std::time(nullptr));
  }
  testing::TempDir directory;
  std::string problem = sha256("problem");
};

TEST_F(Homes, TheKeyIsForItsOwnerAloneAndIsNeverReplaced) {
  const Home home = create("a");
  struct stat facts {};
  ASSERT_EQ(::stat((home.directory() / "party.key").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_THROW(create("a"), UsageError);
  EXPECT_EQ(Home(home.directory()).fingerprint(), home.fingerprint());
}

TEST_F(Homes, TwoPartiesAcceptEachOthersInvitationsAndWouldAdmitEachOther) {
  const Home a = create("a");
  const Home b = create("b");
  b.accept(parse_invitation(to_json(a.invitation(problem, "")), "a"));
  a.accept(parse_invitation(to_json(b.invitation(problem, "")), "b"));
  EXPECT_TRUE(judge(a.trust().certificate, b.trust().rules, std::time(nullptr), "a").admitted);
  EXPECT_TRUE(judge(b.trust().certificate, a.trust().rules, std::time(nullptr), "b").admitted);
  EXPECT_EQ(b.trust().addresses, std::vector<std::string>{"127.0.0.1:7000"});
  a.renew(90, std::time(nullptr));
  EXPECT_TRUE(judge(a.trust().certificate, b.trust().rules, std::time(nullptr), "a").admitted);
  b.drop("a");
  EXPECT_FALSE(judge(a.trust().certificate, b.trust().rules, std::time(nullptr), "a").admitted);
  EXPECT_THROW(b.drop("a"), UsageError);
  EXPECT_THROW(b.drop("../a"), UsageError);
}

TEST_F(Homes, ASecondInvitationAddsAKeyAndDenyingTheFirstEndsTheChange) {
  const Home b = create("b");
  const auto old = testing::self_signed_party("a");
  const auto next = testing::self_signed_party("a");
  b.accept({"a", "", old.fingerprint(), "", problem});
  b.accept({"a", "", next.fingerprint(), "", problem});
  EXPECT_TRUE(judge(old.certificate, b.trust().rules, std::time(nullptr), "").admitted);
  EXPECT_TRUE(judge(next.certificate, b.trust().rules, std::time(nullptr), "").admitted);
  atomic_write(b.directory() / "denied", old.fingerprint() + "\n");
  EXPECT_FALSE(judge(old.certificate, b.trust().rules, std::time(nullptr), "").admitted);
  EXPECT_TRUE(judge(next.certificate, b.trust().rules, std::time(nullptr), "").admitted);
}

TEST_F(Homes, AnAuthoritysCertificateIsInstalledOnlyForThisKeyAndName) {
  const Home a = create("a");
  const testing::Authority authority("trust");
  const auto validity = valid_for_days(5, std::time(nullptr));
  a.install(authority.sign(a.request(), validity));
  EXPECT_EQ(a.certificate().issuer, "CN=trust");
  EXPECT_THROW(a.install(authority.party("a").certificate), UsageError);
  const std::string key = read_text(a.directory() / "party.key");
  EXPECT_THROW(a.install(authority.sign(make_request(key, "b"), validity)), UsageError);
  EXPECT_THROW(a.renew(30, std::time(nullptr)), UsageError);  // neighbours may ask for the authority's
  EXPECT_EQ(a.certificate().issuer, "CN=trust");
}

TEST_F(Homes, AnAddressThatNobodyCanCallIsNotTold) {
  for (const char* address : {"0.0.0.0:7400", "[::]:7400", "a.example:0"}) {
    EXPECT_THROW(Home::create(directory.path() / "z", "z", "0.0.0.0:7400", address, 30, std::time(nullptr)),
                 UsageError);
  }
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "z"));
}

TEST_F(Homes, APartyMovesAndKeepsItsKey) {
  Home a = create("a");
  const std::string key = a.fingerprint();
  a.move_to("127.0.0.1:7411", "");
  EXPECT_EQ(a.listen(), "127.0.0.1:7411");
  EXPECT_EQ(a.address(), "127.0.0.1:7411");
  a.move_to("", "a.example:7411");
  EXPECT_EQ(Home(a.directory()).listen(), "127.0.0.1:7411");
  EXPECT_EQ(Home(a.directory()).invitation(problem, "").address, "a.example:7411");
  EXPECT_THROW(a.move_to("0.0.0.0:7411", ""), UsageError);
  EXPECT_EQ(a.fingerprint(), key);
}

TEST_F(Homes, LivesFollowOneAnotherWhateverTheClockDoes) {
  const Home a = create("a");
  const auto first = a.begin_life();
  EXPECT_LT(first, a.begin_life());
  atomic_write(a.directory() / "incarnation", "99999999999999999\n");
  EXPECT_EQ(a.begin_life().started, 100000000000000000U);
}

TEST_F(Homes, AHomeThatIsNoneOrIsBrokenIsSaidSo) {
  EXPECT_THROW(Home(directory.path()), UsageError);
  const Home a = create("a");
  atomic_write(a.directory() / "neighbours" / "b.json", "{}");
  EXPECT_THROW(static_cast<void>(a.trust()), DataError);
}

}  // namespace
}  // namespace slidemesh::peers

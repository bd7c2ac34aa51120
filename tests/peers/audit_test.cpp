#include "slidemesh/network/peers/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"
#include "support/temp_dir.h"

namespace slidemesh::peers {
namespace {

FrameHeader message(std::uint64_t epoch, std::uint64_t sequence) {
  FrameHeader header;
  header.type = FrameType::kMessage;
  header.kind = MessageKind::kRound;
  header.epoch = epoch;
  header.sequence = sequence;
  header.step = static_cast<std::uint32_t>(2 * sequence);
  return header;
}

class Audit : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& party) { return directory.path() / (party + ".jsonl"); }
  std::vector<AuditEntry> read(const std::string& party) { return read_audit(read_text(path(party)), party); }

  testing::TempDir directory;
};

TEST_F(Audit, WhatOneSentTheOtherReceived) {
  {
    AuditWriter a(path("a"), "a");
    AuditWriter b(path("b"), "b");
    for (std::uint64_t i = 1; i <= 5; ++i) {
      a.note(true, "b", message(1, i), "from a " + std::to_string(i));
      b.note(true, "a", message(1, i), "from b " + std::to_string(i));
      a.note(false, "b", message(1, i), "from b " + std::to_string(i));
      b.note(false, "a", message(1, i), "from a " + std::to_string(i));
    }
    a.note(true, "c", message(1, 1), "for someone else");
    a.note(true, "b", message(1, 6), "never consumed");
  }
  const auto result = compare_audits(read("a"), read("b"));
  EXPECT_EQ(result.agreed, 10U);
  EXPECT_EQ(result.under_way, 1U);
  EXPECT_THAT(result.differences, ::testing::IsEmpty());
}

TEST_F(Audit, AMessageThatIsNotTheSameIsNamedOnBothSides) {
  {
    AuditWriter a(path("a"), "a");
    AuditWriter b(path("b"), "b");
    a.note(true, "b", message(1, 1), "one thing");
    b.note(false, "a", message(1, 1), "another");
    b.note(false, "a", message(1, 2), "out of nowhere");
  }
  const auto result = compare_audits(read("a"), read("b"));
  ASSERT_EQ(result.differences.size(), 2U);
  EXPECT_THAT(result.differences[0], ::testing::HasSubstr("a's entry 1"));
  EXPECT_THAT(result.differences[0], ::testing::HasSubstr("b's entry 1"));
  EXPECT_THAT(result.differences[1], ::testing::HasSubstr("a has not sent it"));
}

TEST_F(Audit, EveryChangeOfALineShows) {
  {
    AuditWriter a(path("a"), "a");
    for (std::uint64_t i = 1; i <= 3; ++i) {
      a.note(true, "b", message(1, i), std::to_string(i));
    }
  }
  const std::string good = read_text(path("a"));
  EXPECT_EQ(read_audit(good, "a").size(), 3U);
  const std::size_t second = good.find('\n') + 1;
  EXPECT_THROW(static_cast<void>(read_audit(good.substr(second), "a")), DataError);  // the first taken out
  std::string changed = good;
  const auto at = changed.find("\"sequence\":2");
  changed.replace(at, 12, "\"sequence\":9");
  EXPECT_THROW(static_cast<void>(read_audit(changed, "a")), DataError);
}

TEST_F(Audit, GoesOnWhereAKillCutItShort) {
  {
    AuditWriter a(path("a"), "a");
    a.note(true, "b", message(1, 1), "x");
    a.note(true, "b", message(1, 2), "y");
  }
  const std::string whole = read_text(path("a"));
  atomic_write(path("a"), whole.substr(0, whole.size() - 10));
  {
    AuditWriter a(path("a"), "a");
    a.note(true, "b", message(2, 1), "z");
  }
  const auto entries = read("a");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1].epoch, "2");
  EXPECT_THROW(AuditWriter(path("a"), "b"), DataError);
}

}  // namespace
}  // namespace slidemesh::peers

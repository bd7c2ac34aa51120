#include "slidemesh/network/peers/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/random.h"

namespace slidemesh::peers {
namespace {

constexpr std::uint32_t kLargest = 1U << 20U;

Hello sample_hello() {
  Hello hello;
  hello.party = "clinic-a";
  hello.incarnation = {123, 456};
  hello.problem = std::string(64, 'f');
  hello.epoch = 7;
  hello.received = 9;
  hello.received_from = {1, 2};
  return hello;
}

std::string random_bytes(RandomStream& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& c : bytes) {
    c = static_cast<char>(random.index(256));
  }
  return bytes;
}

Frame random_message(RandomStream& random, std::uint64_t sequence) {
  FrameHeader header;
  header.type = FrameType::kMessage;
  header.kind = static_cast<MessageKind>(1 + random.index(5));
  header.epoch = random.bits();
  header.step = static_cast<std::uint32_t>(random.bits());
  header.sequence = sequence;
  header.ack = random.bits();
  return {header, random_bytes(random, static_cast<std::size_t>(random.index(3000)))};
}

std::vector<Frame> read_in_pieces(FrameReader& reader, std::string_view bytes, RandomStream& random) {
  std::vector<Frame> frames;
  while (!bytes.empty()) {
    const auto piece = std::min<std::size_t>(bytes.size(), 1 + static_cast<std::size_t>(random.index(200)));
    reader.feed(bytes.substr(0, piece), [&](Frame&& frame) { frames.push_back(std::move(frame)); });
    bytes.remove_prefix(piece);
  }
  return frames;
}

TEST(Wire, AnyStreamOfFramesComesBackWhateverThePieces) {
  for (std::uint32_t trial = 0; trial < 50; ++trial) {
    RandomStream random(1, Purpose::kTest, trial);
    std::vector<Frame> sent;
    std::string stream;
    for (std::uint64_t i = 1; i <= 20; ++i) {
      sent.push_back(random_message(random, i));
      stream += encode(sent.back().header, sent.back().payload);
    }
    FrameReader reader(kLargest);
    const auto received = read_in_pieces(reader, stream, random);
    ASSERT_EQ(received.size(), sent.size());
    EXPECT_TRUE(reader.is_between_frames());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(received[i].payload, sent[i].payload);
      EXPECT_EQ(received[i].header.kind, sent[i].header.kind);
      EXPECT_EQ(received[i].header.epoch, sent[i].header.epoch);
      EXPECT_EQ(received[i].header.step, sent[i].header.step);
      EXPECT_EQ(received[i].header.sequence, sent[i].header.sequence);
      EXPECT_EQ(received[i].header.ack, sent[i].header.ack);
    }
  }
}

TEST(Wire, EveryChangedByteIsNoticed) {
  RandomStream random(2, Purpose::kTest);
  const Frame frame = random_message(random, 3);
  const std::string good = encode(frame.header, frame.payload);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 + random.index(255)));
    FrameReader reader(kLargest);
    EXPECT_THROW(reader.feed(bad, [](Frame&&) {}), DataError) << "byte " << at;
  }
}

TEST(Wire, AHeaderThatPromisesTooMuchIsRefusedBeforeAnythingElseArrives) {
  FrameHeader header;
  header.type = FrameType::kMessage;
  header.kind = MessageKind::kRound;
  header.sequence = 1;
  const std::string bytes = encode(header, std::string(5000, 'x')).substr(0, kHeaderSize);
  FrameReader reader(4999);
  EXPECT_THROW(reader.feed(bytes, [](Frame&&) {}), DataError);
  FrameReader enough(5000);
  EXPECT_NO_THROW(enough.feed(bytes, [](Frame&&) {}));
  EXPECT_FALSE(enough.is_between_frames());
}

TEST(Wire, FieldsThatCannotBeMeantAreNamed) {
  const auto refused = [](FrameHeader header, std::string_view payload) -> std::string {
    try {
      static_cast<void>(decode_header(encode(header, payload), kLargest));
    } catch (const DataError& error) {
      return error.what();
    }
    return "accepted";
  };
  FrameHeader message;
  message.type = FrameType::kMessage;
  message.kind = MessageKind::kRound;
  message.sequence = 1;
  EXPECT_EQ(refused(message, "abc"), "accepted");
  FrameHeader bad = message;
  bad.type = static_cast<FrameType>(9);
  EXPECT_THAT(refused(bad, ""), ::testing::StartsWith("frame.type"));
  bad = message;
  bad.kind = static_cast<MessageKind>(6);
  EXPECT_THAT(refused(bad, ""), ::testing::StartsWith("frame.kind"));
  bad.kind = MessageKind::kNone;
  EXPECT_THAT(refused(bad, ""), ::testing::StartsWith("frame.kind"));
  bad = message;
  bad.sequence = 0;
  EXPECT_THAT(refused(bad, ""), ::testing::StartsWith("frame.sequence"));
  FrameHeader pulse;
  EXPECT_EQ(refused(pulse, ""), "accepted");
  EXPECT_THAT(refused(pulse, "x"), ::testing::StartsWith("frame.length"));
}

TEST(Hello, ComesBackAsItWasSaid) {
  const Hello read = decode_hello(encode(sample_hello()));
  EXPECT_EQ(read.party, "clinic-a");
  EXPECT_EQ(read.incarnation, (Incarnation{123, 456}));
  EXPECT_EQ(read.problem, std::string(64, 'f'));
  EXPECT_EQ(read.epoch, 7U);
  EXPECT_EQ(read.received, 9U);
  EXPECT_EQ(read.received_from, (Incarnation{1, 2}));
}

TEST(Hello, OneThatIsCutOrTooLongIsRefused) {
  const std::string good = encode(sample_hello());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(static_cast<void>(decode_hello(good.substr(0, size))), DataError) << size;
  }
  EXPECT_THROW(static_cast<void>(decode_hello(good + "x")), DataError);
}

TEST(Hello, VersionByteOrderNameAndDigestAreChecked) {
  Hello bad = sample_hello();
  bad.oldest_protocol = 2;
  bad.newest_protocol = 3;
  EXPECT_THROW(static_cast<void>(decode_hello(encode(bad))), DataError);
  bad = sample_hello();
  bad.party = "No Name";
  EXPECT_THROW(static_cast<void>(decode_hello(encode(bad))), DataError);
  bad = sample_hello();
  bad.problem = "abc";
  EXPECT_THROW(static_cast<void>(decode_hello(encode(bad))), DataError);
  bad = sample_hello();
  bad.incarnation = {};
  EXPECT_THROW(static_cast<void>(decode_hello(encode(bad))), DataError);
  std::string swapped = encode(sample_hello());
  std::swap(swapped[4], swapped[7]);
  std::swap(swapped[5], swapped[6]);
  EXPECT_THROW(static_cast<void>(decode_hello(swapped)), DataError);
}

TEST(Record, ComesBackAndIsChecked) {
  const Record record{"b", {5, 6}, 2, {"a", "c", "d"}};
  EXPECT_EQ(decode_record(encode(record)), record);
  EXPECT_THROW(static_cast<void>(decode_record(encode(Record{"b", {5, 6}, 2, {"c", "a"}}))), DataError);
  EXPECT_THROW(static_cast<void>(decode_record(encode(Record{"b", {5, 6}, 2, {"a", "a"}}))), DataError);
  EXPECT_THROW(static_cast<void>(decode_record(encode(Record{"b", {5, 6}, 2, {"a", "b"}}))), DataError);
}

TEST(Refusal, IsPrintableAndShort) {
  EXPECT_EQ(decode_refusal("no\x1b[31m\nway"), "no?[31m?way");
  EXPECT_EQ(decode_refusal(std::string(5000, 'x')).size(), kLongestRefusal);
}

Facts sample_facts() {
  Facts facts;
  facts.party = "clinic-a";
  facts.clock = 1'790'000'000'000'000;
  facts.problem = std::string(64, 'a');
  facts.shared = "problem.mu = 0.1\n";
  facts.knows_columns = true;
  facts.columns = 2;
  facts.label = "label";
  facts.digest = std::string(64, 'b');
  facts.names = {"age", "sex"};
  return facts;
}

TEST(Wire, FactsComeBackAsTheyWere) {
  EXPECT_EQ(decode_facts(encode(sample_facts())), sample_facts());
  EXPECT_EQ(decode_facts(encode([] {
              Facts few;
              few.party = "b";
              return few;
            }()))
                .party,
            "b");
}

TEST(Wire, FactsThatAreTooLongAreToldWithoutThePartsThatAre) {
  Facts facts = sample_facts();
  facts.shared = std::string(kLongestShared + 1, 'x');
  facts.names.assign(2, std::string(kLongestName + 1, 'y'));
  const Facts received = decode_facts(encode(facts));
  EXPECT_TRUE(received.shared.empty());
  EXPECT_TRUE(received.names.empty());
  EXPECT_EQ(received.columns, 2U);
  EXPECT_EQ(received.digest, facts.digest);
}

TEST(Wire, EveryShorteningOfFactsIsRefused) {
  const std::string whole = encode(sample_facts());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(static_cast<void>(decode_facts(whole.substr(0, size))), DataError) << size;
  }
  EXPECT_THROW(static_cast<void>(decode_facts(whole + "x")), DataError);
}

}  // namespace
}  // namespace slidemesh::peers

#include "slidemesh/session/checkpoint_seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "slidemesh/base/atomic_file.h"
#include "support/error_text.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::error_text;
using ::testing::HasSubstr;

class Seal : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path key(const std::string& name, const std::string& text) const {
    atomic_write(directory_ / name, text);
    return directory_ / name;
  }
  testing::TempDir directory_;
};

// HMAC-SHA-256 of "what do ya want for nothing?" under a key, by Python's hmac module.
TEST_F(Seal, IsHmacSha256) {
  const CheckpointSeal seal(key("k", "0123456789abcdef"));
  const std::string sealed = seal.sealed("what do ya want for nothing?");
  std::string code;
  for (const char c : sealed.substr(sealed.size() - 32)) {
    constexpr std::string_view kHex = "0123456789abcdef";
    code += kHex[static_cast<unsigned char>(c) >> 4U];
    code += kHex[static_cast<unsigned char>(c) & 15U];
  }
  EXPECT_EQ(code, "e9265dc1bf18d4ec36915d9e82226c7ea0fa4e7f8077f611515bd5e29ec9988c");
}

TEST_F(Seal, GivesBackWhatWasSealed) {
  const CheckpointSeal seal(key("k", "a key of some length"));
  for (const std::string& text : {std::string(), std::string("state\0with a zero", 17), std::string(100'000, 'x')}) {
    EXPECT_EQ(seal.opened(seal.sealed(text), "f"), text);
    EXPECT_TRUE(CheckpointSeal::is_sealed(seal.sealed(text)));
  }
  EXPECT_FALSE(CheckpointSeal::is_sealed("short"));
}

TEST_F(Seal, EveryChangedByteIsNoticed) {
  const CheckpointSeal seal(key("k", "a key of some length"));
  const std::string sealed = seal.sealed("twenty bytes of state");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THAT(error_text<DataError>([&] { static_cast<void>(seal.opened(changed, "f")); }), HasSubstr("f: expected"))
        << i;
  }
}

TEST_F(Seal, AnotherKeysIsNotTaken) {
  const CheckpointSeal mine(key("mine", "a key of some length"));
  const CheckpointSeal theirs(key("theirs", "a key of some other length"));
  EXPECT_THAT(error_text<DataError>([&] { static_cast<void>(mine.opened(theirs.sealed("state"), "f")); }),
              HasSubstr("another key"));
  EXPECT_THAT(error_text<DataError>([&] { static_cast<void>(mine.opened("state", "f")); }),
              HasSubstr("without a seal"));
}

TEST_F(Seal, AKeyMustBeThereAndLongEnough) {
  EXPECT_THAT(error_text<UsageError>([&] { CheckpointSeal(directory_ / "none"); }),
              HasSubstr("output.checkpoint_key: "));
  EXPECT_THAT(error_text<UsageError>([&] { CheckpointSeal(key("k", "short")); }),
              HasSubstr("at least 16 bytes, got 5"));
}

}  // namespace
}  // namespace slidemesh

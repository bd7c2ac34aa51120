#include "slidemesh/session/checkpoint_seal.h"

#include <fmt/format.h>

#include <sodium.h>

#include <utility>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

constexpr std::string_view kMark = "SLMSEAL1";
constexpr std::size_t kCode = crypto_auth_hmacsha256_BYTES;
constexpr std::size_t kSeal = kMark.size() + kCode;
constexpr std::size_t kShortestKey = 16;
constexpr std::size_t kLongestKey = 4096;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());  // NOLINT: what libsodium reads
}

}  // namespace

CheckpointSeal::CheckpointSeal(const std::filesystem::path& key_file) : key_file_(key_file.string()) {
  if (sodium_init() < 0) {
    throw UsageError("output.checkpoint_key: libsodium cannot be used on this machine");
  }
  try {
    key_ = read_text(key_file, kLongestKey);
  } catch (const DataError& error) {
    throw UsageError(std::string("output.checkpoint_key: ") + error.what());
  }
  require<UsageError>(key_.size() >= kShortestKey, fmt::format("output.checkpoint_key: {}", key_file_),
                      fmt::format("a key of at least {} bytes", kShortestKey), std::to_string(key_.size()));
}

std::string CheckpointSeal::code_of(std::string_view bytes) const {
  std::string code(kCode, '\0');
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, raw(key_), key_.size());
  crypto_auth_hmacsha256_update(&state, raw(bytes), bytes.size());
  crypto_auth_hmacsha256_final(&state, reinterpret_cast<unsigned char*>(code.data()));  // NOLINT: as above
  return code;
}

bool CheckpointSeal::is_sealed(std::string_view bytes) {
  return bytes.size() >= kSeal && bytes.substr(bytes.size() - kSeal, kMark.size()) == kMark;
}

std::string CheckpointSeal::sealed(std::string bytes) const {
  const std::string code = code_of(bytes);
  return std::move(bytes.append(kMark).append(code));
}

std::string CheckpointSeal::opened(std::string bytes, const std::string& name) const {
  require<DataError>(is_sealed(bytes), name, fmt::format("a checkpoint sealed with the key in {}", key_file_),
                     "one without a seal");
  const std::string code = code_of(std::string_view(bytes).substr(0, bytes.size() - kSeal));
  require<DataError>(sodium_memcmp(code.data(), bytes.data() + bytes.size() - kCode, kCode) == 0, name,
                     fmt::format("the seal of the key in {}", key_file_),
                     "another: the file was changed, or sealed with another key");
  bytes.resize(bytes.size() - kSeal);
  return bytes;
}

}  // namespace slidemesh

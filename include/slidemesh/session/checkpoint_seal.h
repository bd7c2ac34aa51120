#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace slidemesh {

/// Tells checkpoints that were written by whoever has a key from all others. A seal is HMAC-SHA-256 over the whole
/// file, at its end. It does not tell an old checkpoint of the same run from the last one.
class CheckpointSeal {
 public:
  /// The key is all that the file has. UsageError where it cannot be read or is too short to be one.
  explicit CheckpointSeal(const std::filesystem::path& key_file);

  [[nodiscard]] std::string sealed(std::string bytes) const;
  /// What was sealed. DataError with `name` where there is no seal, or not this key's.
  [[nodiscard]] std::string opened(std::string bytes, const std::string& name) const;

  [[nodiscard]] static bool is_sealed(std::string_view bytes);

 private:
  [[nodiscard]] std::string code_of(std::string_view bytes) const;

  std::string key_file_;
  std::string key_;
};

}  // namespace slidemesh

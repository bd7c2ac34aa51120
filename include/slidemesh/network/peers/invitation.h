#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slidemesh::peers {

/// host:port of a party. `host` may be a name, an IPv4 address or an IPv6 address in brackets.
struct Address {
  std::string host;
  std::string port;

  friend bool operator==(const Address&, const Address&) = default;
};
/// UsageError naming `source`.
[[nodiscard]] Address parse_address(const std::string& text, const std::string& source);
[[nodiscard]] std::string to_text(const Address& address);

/// The one small file that a party gives to a neighbour-to-be: who it is, where it listens and which problem it means.
/// Nothing in it is secret, but it must arrive unchanged: whoever changes the key on the way becomes the neighbour. So
/// both sides compare the fingerprint over another channel.
struct Invitation {
  std::string party;
  std::string address;    ///< empty: this party does not listen, and will call
  std::string key;        ///< fingerprint; may be empty where an authority vouches
  std::string authority;  ///< PEM; may be empty
  std::string problem;    ///< digest of the shared part of the config
};

[[nodiscard]] std::string to_json(const Invitation& invitation);
/// DataError naming `source` for anything but a whole, consistent invitation.
[[nodiscard]] Invitation parse_invitation(const std::string& text, const std::string& source);

/// SHA-256 in hex: of the shared config, of what leaves the machine.
[[nodiscard]] std::string sha256(std::string_view bytes);
inline constexpr std::size_t kDigestDigits = 64;
[[nodiscard]] bool is_digest(std::string_view text);

}  // namespace slidemesh::peers

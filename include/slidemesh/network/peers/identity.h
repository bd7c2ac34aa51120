#pragma once

#include <ctime>
#include <string>
#include <string_view>

/// Who a party is: a key that never leaves its machine, and a certificate that binds it to a name. docs/peers-admin.md
/// tells how an administrator handles them.

namespace slidemesh::peers {

/// A party's name: 1 to 63 of a-z, 0-9, '-' and '.', beginning and ending with a letter or digit. UsageError otherwise.
void require_party_name(std::string_view name);

/// The name as certificates carry it, in a subject alternative name of type URI: "slidemesh:party/clinic-a".
[[nodiscard]] std::string party_uri(std::string_view name);

/// When a certificate is good, in seconds since 1970.
struct Validity {
  std::time_t from = 0;
  std::time_t until = 0;
};
/// From five minutes ago (clocks differ) for `days` days.
[[nodiscard]] Validity valid_for_days(int days, std::time_t now);

/// A new private key on P-256, as PEM: the curve that every authority signs for.
[[nodiscard]] std::string make_key();

/// A certificate for `key`, signed with it, as PEM. The same key with a new validity is the same identity.
[[nodiscard]] std::string make_self_signed(const std::string& key, std::string_view name, Validity validity);

/// A request for an organisation's own authority to sign, as PEM.
[[nodiscard]] std::string make_request(const std::string& key, std::string_view name);

/// What one certificate says.
struct CertificateFacts {
  std::string party;        ///< from its URI name; empty if it has no name of ours, or several
  std::string fingerprint;  ///< of its key
  std::string issuer;
  Validity validity;
  bool self_signed = false;
};
/// Of the first certificate in `pem`; DataError naming `source` if there is none.
[[nodiscard]] CertificateFacts read_certificate(const std::string& pem, const std::string& source);

/// "sha256:" and 64 hex digits of the public key's SubjectPublicKeyInfo: the same for a key, its request and all its
/// certificates, so that renewing a certificate changes nothing for those who listed the key.
[[nodiscard]] std::string fingerprint_of_key(const std::string& key);

/// Lower case, with the prefix. UsageError naming `source` if it is none.
[[nodiscard]] std::string require_fingerprint(std::string_view text, const std::string& source);

/// UsageError unless the certificate is for that key: what TLS would find out only at the first connection.
void require_same_key(const std::string& key, const std::string& certificate);

}  // namespace slidemesh::peers

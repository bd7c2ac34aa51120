#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "slidemesh/network/peers/identity.h"

/// An organisation's certificate authority, as tests need it: OpenSSL's own calls, none of slidemesh's.

namespace slidemesh::testing {

struct Party {
  std::string name;
  std::string key;
  std::string certificate;  ///< PEM; with the chain behind it where there is one
  [[nodiscard]] std::string fingerprint() const { return peers::fingerprint_of_key(key); }
};
[[nodiscard]] Party self_signed_party(const std::string& name, peers::Validity validity);
/// Good for a day around now.
[[nodiscard]] Party self_signed_party(const std::string& name);

class Authority {
 public:
  explicit Authority(const std::string& name);

  [[nodiscard]] const std::string& certificate() const { return certificate_; }
  /// For a request of `peers::make_request`; takes its names over.
  [[nodiscard]] std::string sign(const std::string& request, peers::Validity validity) const;
  [[nodiscard]] Party party(const std::string& name) const;
  /// A revocation list, PEM, good for an hour around `now`.
  [[nodiscard]] std::string revoke(const std::vector<std::string>& certificates, std::time_t now) const;

 private:
  std::string key_;
  std::string certificate_;
};

}  // namespace slidemesh::testing

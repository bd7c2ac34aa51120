#pragma once

#include <ctime>
#include <string>
#include <vector>

/// Who may be at the other end of a connection. A pure function of a certificate chain, the rules and the time, so that
/// every refusal can be tested without a connection.

namespace slidemesh::peers {

/// A neighbour as this party's administrator listed it. Its certificate must carry the name, and either one of the keys
/// or a chain to the authority; where both are given, both must hold.
struct ListedIdentity {
  std::string party;
  std::vector<std::string> keys;  ///< fingerprints: several while a key is replaced
  std::string authority;          ///< PEM of a certificate authority, empty if the keys alone decide

  friend bool operator==(const ListedIdentity&, const ListedIdentity&) = default;
};

struct AdmissionRules {
  std::vector<ListedIdentity> neighbours;
  std::vector<std::string> denied;  ///< fingerprints that are refused whoever vouches for them
  std::string revocations;          ///< certificate revocation lists, PEM; each authority's, where it has one

  friend bool operator==(const AdmissionRules&, const AdmissionRules&) = default;
};

/// What was decided, in words for both sides' logs. `reason` never says more than the other side's own certificate
/// does.
struct Verdict {
  bool admitted = false;
  std::string party;        ///< the neighbour it is, if admitted; else the name that was claimed
  std::string fingerprint;  ///< of the key that was shown; empty if none was
  std::string reason;       ///< why it was refused
};

/// `chain` is PEM, the party's own certificate first. `expected` is the party that was called, empty for one that
/// called here.
[[nodiscard]] Verdict judge(const std::string& chain, const AdmissionRules& rules, std::time_t now,
                            const std::string& expected);

/// One fingerprint per line, '#' begins a comment. UsageError names `source` and the line.
[[nodiscard]] std::vector<std::string> parse_fingerprints(const std::string& text, const std::string& source);

}  // namespace slidemesh::peers

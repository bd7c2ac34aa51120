#include "slidemesh/network/peers/admission.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "openssl.h"
#include "slidemesh/network/peers/identity.h"

namespace slidemesh::peers {
namespace {

std::string day(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text.data(), size};
}

/// What X509_verify_cert found, in words for someone who does not know OpenSSL's.
std::string in_words(int error, X509* certificate) {
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the certificate expired on " + day(to_time(X509_get0_notAfter(certificate)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the certificate is not valid before " + day(to_time(X509_get0_notBefore(certificate)));
    case X509_V_ERR_CERT_REVOKED:
      return "the certificate was revoked by its authority";
    case X509_V_ERR_UNABLE_TO_GET_CRL:
      return "there is no revocation list of the certificate's authority";
    case X509_V_ERR_CRL_HAS_EXPIRED:
      return "the revocation list of the certificate's authority has expired";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "the certificate is not signed by the authority listed for this party";
    default:
      return std::string("the certificate does not verify: ") + X509_verify_cert_error_string(error);
  }
}

/// Those of the authority that signed the certificate: another authority may have none, and needs none.
void add_revocations(X509_STORE* store, const std::string& pem, X509* certificate) {
  const Bio bio = reading(pem);
  bool any = false;
  while (X509_CRL* one = PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr)) {
    const Revocations owner(one);
    if (X509_NAME_cmp(X509_CRL_get_issuer(one), X509_get_issuer_name(certificate)) == 0) {
      require_openssl(X509_STORE_add_crl(store, one) == 1, "a revocation list");
      any = true;
    }
  }
  ERR_clear_error();
  if (any) {
    X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
  }
}

/// Empty if `chain` leads to one of the anchors at that time.
std::string verify(const std::vector<X509*>& chain, const std::vector<X509*>& anchors, const std::string& revocations,
                   std::time_t now) {
  const Store store(X509_STORE_new());
  for (X509* anchor : anchors) {
    require_openssl(X509_STORE_add_cert(store.get(), anchor) == 1, "a trust anchor");
  }
  // An intermediate authority, or the certificate itself where its key is listed, may be where trust ends.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  add_revocations(store.get(), revocations, chain.front());
  const Stack others(sk_X509_new_null());
  for (std::size_t i = 1; i < chain.size(); ++i) {
    sk_X509_push(others.get(), chain[i]);
  }
  const StoreContext context(X509_STORE_CTX_new());
  require_openssl(X509_STORE_CTX_init(context.get(), store.get(), chain.front(), others.get()) == 1, "verification");
  X509_VERIFY_PARAM* rules = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time(rules, now);
  constexpr int kDeepest = 6;
  X509_VERIFY_PARAM_set_depth(rules, kDeepest);
  const bool good = X509_verify_cert(context.get()) == 1;
  const int error = X509_STORE_CTX_get_error(context.get());
  X509* at = X509_STORE_CTX_get_current_cert(context.get());
  const std::string reason = good ? std::string() : in_words(error, at != nullptr ? at : chain.front());
  ERR_clear_error();
  return reason;
}

bool contains(const std::vector<std::string>& list, const std::string& what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

std::vector<X509*> borrowed(const std::vector<Certificate>& certificates) {
  std::vector<X509*> all;
  for (const auto& one : certificates) {
    all.push_back(one.get());
  }
  return all;
}

/// Empty if the chain's first certificate is that neighbour's.
std::string why_not(const std::vector<X509*>& chain, const ListedIdentity& neighbour, const std::string& shown,
                    const AdmissionRules& rules, std::time_t now) {
  if (!neighbour.keys.empty() && !contains(neighbour.keys, shown)) {
    return "the key is not one of those listed for " + neighbour.party;
  }
  if (neighbour.authority.empty()) {
    if (neighbour.keys.empty()) {
      return "neither a key nor an authority is listed for " + neighbour.party;
    }
    // The key is listed, so the certificate only says until when and under which name: it is its own anchor. A list of
    // revocations is an authority's business; a listed key is revoked by the deny list.
    return verify({chain.front()}, {chain.front()}, "", now);
  }
  const auto authority = read_certificates(neighbour.authority);
  return verify(chain, borrowed(authority), rules.revocations, now);
}

/// Empty if who shows that party's name and that key is admitted.
std::string why_refused(const std::vector<X509*>& chain, const Verdict& shown, const AdmissionRules& rules,
                        std::time_t now, const std::string& expected) {
  if (shown.party.empty()) {
    return "the certificate has no name slidemesh:party/NAME, or several";
  }
  if (contains(rules.denied, shown.fingerprint)) {
    return "the key is on the deny list";
  }
  if (!expected.empty() && shown.party != expected) {
    return "the certificate is " + shown.party + "'s, and " + expected + " was expected";
  }
  const auto listed = std::find_if(rules.neighbours.begin(), rules.neighbours.end(),
                                   [&](const ListedIdentity& n) { return n.party == shown.party; });
  return listed == rules.neighbours.end() ? shown.party + " is not listed as a neighbour"
                                          : why_not(chain, *listed, shown.fingerprint, rules, now);
}

}  // namespace

Verdict judge(const std::vector<X509*>& chain, const AdmissionRules& rules, std::time_t now,
              const std::string& expected) {
  Verdict verdict;
  if (chain.empty()) {
    verdict.reason = "no certificate was shown";
    return verdict;
  }
  verdict.fingerprint = fingerprint(chain.front());
  verdict.party = claimed_party(chain.front());
  verdict.reason = why_refused(chain, verdict, rules, now, expected);
  verdict.admitted = verdict.reason.empty();
  return verdict;
}

Verdict judge(const std::string& chain, const AdmissionRules& rules, std::time_t now, const std::string& expected) {
  const auto certificates = read_certificates(chain);
  return judge(borrowed(certificates), rules, now, expected);
}

std::vector<std::string> parse_fingerprints(const std::string& text, const std::string& source) {
  std::vector<std::string> all;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line = line.substr(0, line.find('#'));
    const std::size_t from = line.find_first_not_of(" \t\r");
    if (from == std::string::npos) {
      continue;
    }
    line = line.substr(from, line.find_last_not_of(" \t\r") - from + 1);
    all.push_back(require_fingerprint(line, source + ":" + std::to_string(number)));
  }
  return all;
}

}  // namespace slidemesh::peers

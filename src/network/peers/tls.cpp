#include "tls.h"

#include <ctime>

#include "slidemesh/base/fail.h"
#include "slidemesh/network/peers/identity.h"

namespace slidemesh::peers {
namespace {

int judged_later(X509_STORE_CTX* /*context*/, void* /*unused*/) { return 1; }

void use_certificates(SSL_CTX* context, const std::string& pem) {
  auto chain = read_certificates(pem);
  if (chain.empty()) {
    fail<UsageError>("certificate", "one in PEM", "none");
  }
  require_openssl(SSL_CTX_use_certificate(context, chain.front().get()) == 1, "the certificate");
  for (std::size_t i = 1; i < chain.size(); ++i) {
    require_openssl(SSL_CTX_add1_chain_cert(context, chain[i].get()) == 1, "the certificate's chain");
  }
}

}  // namespace

std::shared_ptr<asio::ssl::context> make_context(const Trust& trust) {
  require_same_key(trust.key, trust.certificate);
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls);
  SSL_CTX* raw = context->native_handle();
  require_openssl(SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION) == 1, "TLS 1.3");
  SSL_CTX_set_max_proto_version(raw, TLS1_3_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  use_certificates(raw, trust.certificate);
  const Key key = read_key(trust.key);
  require_openssl(SSL_CTX_use_PrivateKey(raw, key.get()) == 1 && SSL_CTX_check_private_key(raw) == 1,
                  "the private key");
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(raw, judged_later, nullptr);
  return context;
}

Shown judge_connection(SSL* ssl, const AdmissionRules& rules, const std::string& expected) {
  Shown shown;
  const Certificate own(SSL_get1_peer_certificate(ssl));
  if (own == nullptr) {
    shown.verdict = judge(std::vector<X509*>{}, rules, std::time(nullptr), expected);
    return shown;
  }
  std::vector<X509*> chain{own.get()};
  shown.chain = to_pem(own.get());
  const STACK_OF(X509)* others = SSL_get_peer_cert_chain(ssl);
  constexpr int kMost = 8;
  for (int i = 0; i < sk_X509_num(others) && i < kMost; ++i) {
    X509* one = sk_X509_value(others, i);
    if (X509_cmp(one, own.get()) != 0) {  // a client sees the other side's own certificate in the chain too
      chain.push_back(one);
      shown.chain += to_pem(one);
    }
  }
  shown.verdict = judge(chain, rules, std::time(nullptr), expected);
  return shown;
}

}  // namespace slidemesh::peers

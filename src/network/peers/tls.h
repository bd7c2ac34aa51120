#pragma once

#include <openssl/ssl.h>

#include <asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "openssl.h"
#include "slidemesh/network/peers/mesh.h"

namespace slidemesh::peers {

/// TLS 1.3 and nothing older, both sides show a certificate, no session is resumed. The handshake itself proves that
/// the other side has the key of the certificate that it shows; whether that certificate is welcome is judged after it
/// and before anything that arrives is looked at, so that a refusal can be given in words (TLS's alerts know a few
/// numbers).
[[nodiscard]] std::shared_ptr<asio::ssl::context> make_context(const Trust& trust);

/// The verdict on whoever is at the other end of a finished handshake, and its chain as PEM, to be judged again by new
/// rules.
struct Shown {
  Verdict verdict;
  std::string chain;
};
[[nodiscard]] Shown judge_connection(SSL* ssl, const AdmissionRules& rules, const std::string& expected);

}  // namespace slidemesh::peers

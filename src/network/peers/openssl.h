#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/network/peers/admission.h"

/// OpenSSL's objects with owners, and the few conversions that several files need.

namespace slidemesh::peers {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Request = std::unique_ptr<X509_REQ, Freed<X509_REQ_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using Revocations = std::unique_ptr<X509_CRL, Freed<X509_CRL_free>>;
using Store = std::unique_ptr<X509_STORE, Freed<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>>;
using GeneralNames = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;
struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_free(stack); }  // not the certificates
};
using Stack = std::unique_ptr<STACK_OF(X509), FreeStack>;

/// The oldest of OpenSSL's pending errors in its words, and all of them forgotten.
[[nodiscard]] std::string openssl_reason();

/// An InternalError with OpenSSL's words unless `worked`.
void require_openssl(bool worked, std::string_view what);

[[nodiscard]] Bio reading(const std::string& text);
[[nodiscard]] std::string written(BIO* memory);

/// A private key; UsageError if the PEM has none.
[[nodiscard]] Key read_key(const std::string& pem);
/// All certificates in the PEM, in order.
[[nodiscard]] std::vector<Certificate> read_certificates(const std::string& pem);
[[nodiscard]] std::string to_pem(X509* certificate);

[[nodiscard]] std::string fingerprint(X509* certificate);
/// The one party that its URI names claim; empty if they claim none or several.
[[nodiscard]] std::string claimed_party(X509* certificate);
[[nodiscard]] std::time_t to_time(const ASN1_TIME* time);

/// As the public `judge`, on certificates that a connection has parsed already.
[[nodiscard]] Verdict judge(const std::vector<X509*>& chain, const AdmissionRules& rules, std::time_t now,
                            const std::string& expected);

}  // namespace slidemesh::peers

#include "certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace slidemesh::testing {
namespace {

void require(bool worked) {
  if (!worked) {
    throw std::runtime_error("OpenSSL refused a step of the test's authority");
  }
}

template <class Write>
std::string pem(Write&& write) {
  BIO* bio = BIO_new(BIO_s_mem());
  require(write(bio) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

template <class Read>
auto parse(const std::string& text, Read&& read) {
  BIO* bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  auto* object = read(bio);
  BIO_free(bio);
  require(object != nullptr);
  return object;
}

EVP_PKEY* key_of(const std::string& text) {
  return parse(text, [](BIO* bio) { return PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr); });
}
X509* certificate_of(const std::string& text) {
  return parse(text, [](BIO* bio) { return PEM_read_bio_X509(bio, nullptr, nullptr, nullptr); });
}

long next_serial() {
  static long serial = 1000;
  return ++serial;
}

void set_validity(X509* certificate, peers::Validity validity) {
  ASN1_TIME_set(X509_getm_notBefore(certificate), validity.from);
  ASN1_TIME_set(X509_getm_notAfter(certificate), validity.until);
}

}  // namespace

Party self_signed_party(const std::string& name, peers::Validity validity) {
  Party party{name, peers::make_key(), {}};
  party.certificate = peers::make_self_signed(party.key, name, validity);
  return party;
}

Party self_signed_party(const std::string& name) {
  return self_signed_party(name, peers::valid_for_days(1, std::time(nullptr)));
}

Authority::Authority(const std::string& name) : key_(peers::make_key()) {
  EVP_PKEY* key = key_of(key_);
  X509* certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), next_serial());
  set_validity(certificate, {std::time(nullptr) - 1'000'000, std::time(nullptr) + 1'000'000});
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.data()), static_cast<int>(name.size()), -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  X509_set_pubkey(certificate, key);
  for (const auto& [nid, value] : {std::pair{NID_basic_constraints, "critical,CA:TRUE"},
                                   std::pair{NID_key_usage, "critical,keyCertSign,cRLSign"}}) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  require(X509_sign(certificate, key, EVP_sha256()) > 0);
  certificate_ = pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
  X509_free(certificate);
  EVP_PKEY_free(key);
}

std::string Authority::sign(const std::string& request_pem, peers::Validity validity) const {
  EVP_PKEY* key = key_of(key_);
  X509* own = certificate_of(certificate_);
  X509_REQ* request =
      parse(request_pem, [](BIO* bio) { return PEM_read_bio_X509_REQ(bio, nullptr, nullptr, nullptr); });
  X509* certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), next_serial());
  set_validity(certificate, validity);
  X509_set_subject_name(certificate, X509_REQ_get_subject_name(request));
  X509_set_issuer_name(certificate, X509_get_subject_name(own));
  X509_set_pubkey(certificate, X509_REQ_get0_pubkey(request));
  STACK_OF(X509_EXTENSION)* asked = X509_REQ_get_extensions(request);
  for (int i = 0; i < sk_X509_EXTENSION_num(asked); ++i) {
    X509_add_ext(certificate, sk_X509_EXTENSION_value(asked, i), -1);
  }
  sk_X509_EXTENSION_pop_free(asked, X509_EXTENSION_free);
  require(X509_sign(certificate, key, EVP_sha256()) > 0);
  std::string text = pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
  X509_free(certificate);
  X509_REQ_free(request);
  X509_free(own);
  EVP_PKEY_free(key);
  return text;
}

Party Authority::party(const std::string& name) const {
  Party party{name, peers::make_key(), {}};
  party.certificate = sign(peers::make_request(party.key, name), peers::valid_for_days(1, std::time(nullptr)));
  return party;
}

std::string Authority::revoke(const std::vector<std::string>& certificates, std::time_t now) const {
  EVP_PKEY* key = key_of(key_);
  X509* own = certificate_of(certificate_);
  X509_CRL* list = X509_CRL_new();
  X509_CRL_set_version(list, X509_CRL_VERSION_2);
  X509_CRL_set_issuer_name(list, X509_get_subject_name(own));
  ASN1_TIME* time = ASN1_TIME_set(nullptr, now - 3600);
  X509_CRL_set1_lastUpdate(list, time);
  ASN1_TIME_set(time, now + 3600);
  X509_CRL_set1_nextUpdate(list, time);
  ASN1_TIME_set(time, now - 3600);
  for (const auto& text : certificates) {
    X509* certificate = certificate_of(text);
    X509_REVOKED* entry = X509_REVOKED_new();
    X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(certificate));
    X509_REVOKED_set_revocationDate(entry, time);
    X509_CRL_add0_revoked(list, entry);
    X509_free(certificate);
  }
  ASN1_TIME_free(time);
  require(X509_CRL_sign(list, key, EVP_sha256()) > 0);
  std::string text = pem([&](BIO* bio) { return PEM_write_bio_X509_CRL(bio, list); });
  X509_CRL_free(list);
  X509_free(own);
  EVP_PKEY_free(key);
  return text;
}

}  // namespace slidemesh::testing

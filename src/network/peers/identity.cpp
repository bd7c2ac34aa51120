#include "slidemesh/network/peers/identity.h"

#include <fmt/format.h>

#include <openssl/rand.h>

#include <algorithm>
#include <array>

#include "openssl.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/network/peers/invitation.h"

namespace slidemesh::peers {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

void add_extension(X509* certificate, int nid, const std::string& value) {
  const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str()));
  require_openssl(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, "an extension");
}

void set_subject(X509_NAME* subject, std::string_view name) {
  require_openssl(
      X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.data()),
                                 static_cast<int>(name.size()), -1, 0) == 1,
      "a subject");
}

void set_random_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  require_openssl(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1, "random bytes");
  bytes[0] &= 0x7FU;  // a serial number is positive
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  require_openssl(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr, "a serial number");
}

std::string issuer_of(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_issuer_name(certificate), 0, XN_FLAG_RFC2253);
  return written(bio.get());
}

}  // namespace

void require_party_name(std::string_view name) {
  constexpr std::size_t kLongest = 63;  // so that it could be a host's name too
  const bool right =
      !name.empty() && name.size() <= kLongest && is_letter_or_digit(name.front()) && is_letter_or_digit(name.back()) &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_letter_or_digit(c) || c == '-' || c == '.'; });
  require<UsageError>(right, "party", "a name of 1 to 63 of a-z, 0-9, '-' and '.'",
                      fmt::format("'{}'", name.substr(0, kLongest)));
}

std::string party_uri(std::string_view name) {
  require_party_name(name);
  return "slidemesh:party/" + std::string(name);
}

Validity valid_for_days(int days, std::time_t now) {
  constexpr std::time_t kDay = 86'400;
  constexpr std::time_t kClocksDiffer = 300;
  return {now - kClocksDiffer, now + days * kDay};
}

std::string make_key() {
  const Key key(EVP_EC_gen("P-256"));
  require_openssl(key != nullptr, "a new key");
  const Bio bio(BIO_new(BIO_s_mem()));
  require_openssl(PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
                  "writing a key");
  return written(bio.get());
}

std::string make_self_signed(const std::string& key_pem, std::string_view name, Validity validity) {
  const Key key = read_key(key_pem);
  const Certificate certificate(X509_new());
  require_openssl(X509_set_version(certificate.get(), X509_VERSION_3) == 1, "a certificate");
  set_random_serial(certificate.get());
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), validity.from);
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), validity.until);
  set_subject(X509_get_subject_name(certificate.get()), name);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  X509_set_pubkey(certificate.get(), key.get());
  add_extension(certificate.get(), NID_subject_alt_name, "URI:" + party_uri(name));
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(certificate.get(), NID_ext_key_usage, "clientAuth,serverAuth");
  require_openssl(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "signing a certificate");
  return to_pem(certificate.get());
}

std::string make_request(const std::string& key_pem, std::string_view name) {
  const Key key = read_key(key_pem);
  const Request request(X509_REQ_new());
  set_subject(X509_REQ_get_subject_name(request.get()), name);
  X509_REQ_set_pubkey(request.get(), key.get());
  X509_EXTENSION* raw = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, ("URI:" + party_uri(name)).c_str());
  const Extension names(raw);
  STACK_OF(X509_EXTENSION)* all = sk_X509_EXTENSION_new_null();
  sk_X509_EXTENSION_push(all, raw);
  const bool added = X509_REQ_add_extensions(request.get(), all) == 1;
  sk_X509_EXTENSION_free(all);
  require_openssl(added && X509_REQ_sign(request.get(), key.get(), EVP_sha256()) > 0, "signing a request");
  const Bio bio(BIO_new(BIO_s_mem()));
  require_openssl(PEM_write_bio_X509_REQ(bio.get(), request.get()) == 1, "writing a request");
  return written(bio.get());
}

CertificateFacts read_certificate(const std::string& pem, const std::string& source) {
  const auto all = read_certificates(pem);
  require<DataError>(!all.empty(), source, "a certificate in PEM", "none");
  X509* certificate = all.front().get();
  CertificateFacts facts;
  facts.party = claimed_party(certificate);
  facts.fingerprint = fingerprint(certificate);
  facts.issuer = issuer_of(certificate);
  facts.validity = {to_time(X509_get0_notBefore(certificate)), to_time(X509_get0_notAfter(certificate))};
  facts.self_signed = X509_self_signed(certificate, 1) == 1;
  ERR_clear_error();
  return facts;
}

std::string require_fingerprint(std::string_view text, const std::string& source) {
  static constexpr std::string_view kPrefix = "sha256:";
  std::string lower = text::lower_case(text);
  const bool right = lower.starts_with(kPrefix) && is_digest(std::string_view(lower).substr(kPrefix.size()));
  require<UsageError>(right, source, "a fingerprint, sha256: and 64 hex digits",
                      fmt::format("'{}'", text.substr(0, 80)));
  return lower;
}

void require_same_key(const std::string& key, const std::string& certificate) {
  const std::string own = fingerprint_of_key(key);
  const std::string theirs = read_certificate(certificate, "certificate").fingerprint;
  require<UsageError>(own == theirs, "certificate", fmt::format("one for the key {}", own),
                      fmt::format("one for {}", theirs));
}

}  // namespace slidemesh::peers

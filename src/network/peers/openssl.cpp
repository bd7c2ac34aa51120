#include "openssl.h"

#include <ctime>

#include "slidemesh/base/fail.h"
#include "slidemesh/network/peers/identity.h"
#include "slidemesh/network/peers/invitation.h"

namespace slidemesh::peers {

std::string openssl_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) {
    return "no reason given";
  }
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "error " + std::to_string(code);
}

void require_openssl(bool worked, std::string_view what) {
  if (!worked) {
    throw InternalError("OpenSSL: " + std::string(what) + ": " + openssl_reason());
  }
}

Bio reading(const std::string& text) {
  Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  require_openssl(bio != nullptr, "a buffer in memory");
  return bio;
}

std::string written(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

Key read_key(const std::string& pem) {
  const Bio bio = reading(pem);
  // A passphrase would be asked for on the terminal of a service: an empty one makes that an error instead.
  char no_passphrase[] = "";
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, no_passphrase));
  if (key == nullptr) {
    fail<UsageError>("key", "a private key in PEM without a passphrase", openssl_reason());
  }
  return key;
}

std::vector<Certificate> read_certificates(const std::string& pem) {
  std::vector<Certificate> all;
  const Bio bio = reading(pem);
  while (X509* one = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    all.emplace_back(one);
  }
  ERR_clear_error();
  return all;
}

std::string to_pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  require_openssl(PEM_write_bio_X509(bio.get(), certificate) == 1, "writing a certificate");
  return written(bio.get());
}

namespace {

std::string fingerprint_of(X509_PUBKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_X509_PUBKEY(key, &der);
  require_openssl(size > 0, "the public key's bytes");
  const std::string digest = sha256({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
  OPENSSL_free(der);
  return "sha256:" + digest;
}

}  // namespace

std::string fingerprint(X509* certificate) { return fingerprint_of(X509_get_X509_PUBKEY(certificate)); }

std::string fingerprint_of_key(const std::string& pem) {
  const Key key = read_key(pem);
  X509_PUBKEY* raw = nullptr;
  require_openssl(X509_PUBKEY_set(&raw, key.get()) == 1, "the public half of a key");
  const std::unique_ptr<X509_PUBKEY, Freed<X509_PUBKEY_free>> owner(raw);
  return fingerprint_of(raw);
}

std::string claimed_party(X509* certificate) {
  static constexpr std::string_view kPrefix = "slidemesh:party/";
  const GeneralNames names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::string party;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) {
      continue;
    }
    const ASN1_IA5STRING* text = name->d.uniformResourceIdentifier;
    const std::string_view uri(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                               static_cast<std::size_t>(ASN1_STRING_length(text)));
    if (!uri.starts_with(kPrefix)) {
      continue;
    }
    if (!party.empty()) {
      return {};  // two names: whose it is cannot be known
    }
    party = uri.substr(kPrefix.size());
  }
  try {
    require_party_name(party);
  } catch (const UsageError&) {
    return {};
  }
  return party;
}

std::time_t to_time(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

}  // namespace slidemesh::peers

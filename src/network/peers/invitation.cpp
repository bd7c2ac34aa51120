#include "slidemesh/network/peers/invitation.h"

#include <fmt/format.h>

#include <openssl/sha.h>

#include <array>
#include <nlohmann/json.hpp>

#include "openssl.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/network/peers/identity.h"

namespace slidemesh::peers {
namespace {

using Json = nlohmann::json;

constexpr const char* kMark = "slidemesh_invitation";
constexpr std::size_t kLongestHost = 253;

std::string text_at(const Json& json, const std::string& key, const std::string& source) {
  const auto found = json.find(key);
  if (found == json.end()) {
    return {};
  }
  require<DataError>(found->is_string(), source, fmt::format("{} to be a string", key), found->type_name());
  return found->get<std::string>();
}

void check(const Invitation& invitation, const std::string& source) {
  require_party_name(invitation.party);
  if (!invitation.address.empty()) {
    static_cast<void>(parse_address(invitation.address, source));
  }
  require<DataError>(!invitation.key.empty() || !invitation.authority.empty(), source, "a key or an authority",
                     "neither");
  if (!invitation.key.empty()) {
    static_cast<void>(require_fingerprint(invitation.key, source));
  }
  require<DataError>(invitation.authority.empty() || !read_certificates(invitation.authority).empty(), source,
                     "the authority's certificate in PEM", "none");
  require<DataError>(is_digest(invitation.problem), source, "problem to be a digest of 64 hex digits",
                     fmt::format("'{}'", invitation.problem.substr(0, kDigestDigits)));
}

}  // namespace

Address parse_address(const std::string& text, const std::string& source) {
  const auto colon = text.rfind(':');
  Address address;
  if (colon != std::string::npos) {
    address = {text.substr(0, colon), text.substr(colon + 1)};
  }
  if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
    address.host = address.host.substr(1, address.host.size() - 2);
  } else if (address.host.find(':') != std::string::npos) {
    address.host.clear();  // an IPv6 address without brackets: where the port begins is not known
  }
  constexpr int kLargestPort = 65'535;
  const bool digits = !address.port.empty() && address.port.size() <= 5 &&
                      address.port.find_first_not_of("0123456789") == std::string::npos;
  const bool host = !address.host.empty() && address.host.size() <= kLongestHost &&
                    address.host.find_first_of(" \t\r\n/@") == std::string::npos;
  require<UsageError>(digits && host && std::stoi(address.port) <= kLargestPort, source, "an address HOST:PORT",
                      fmt::format("'{}'", text.substr(0, kLongestHost)));
  return address;
}

std::string to_text(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + address.port;
}

std::string to_json(const Invitation& invitation) {
  check(invitation, "invitation");
  Json json{{kMark, 1}, {"party", invitation.party}, {"problem", invitation.problem}};
  for (const auto& [name, value] :
       {std::pair{"address", &invitation.address}, {"key", &invitation.key}, {"authority", &invitation.authority}}) {
    if (!value->empty()) {
      json[name] = *value;
    }
  }
  return json.dump(2) + "\n";
}

Invitation parse_invitation(const std::string& text, const std::string& source) {
  constexpr std::size_t kLongest = 65'536;
  const Json json = text.size() > kLongest ? Json() : Json::parse(text, nullptr, false);
  require<DataError>(json.is_object() && json.contains(kMark), source, "an invitation that slidemesh peer invite wrote",
                     "something else");
  require<DataError>(json[kMark] == 1, source, "an invitation of version 1",
                     fmt::format("version {}", json[kMark].dump()));
  Invitation invitation{text_at(json, "party", source), text_at(json, "address", source), text_at(json, "key", source),
                        text_at(json, "authority", source), text_at(json, "problem", source)};
  try {
    check(invitation, source);
  } catch (const UsageError& error) {
    throw DataError(error.what());
  }
  return invitation;
}

bool is_digest(std::string_view text) {
  return text.size() == kDigestDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += fmt::format("{:02x}", byte);
  }
  return hex;
}

}  // namespace slidemesh::peers

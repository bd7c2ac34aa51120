#include "slidemesh/network/peers/home.h"

#include <fcntl.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "openssl.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/network/peers/identity.h"

namespace slidemesh::peers {
namespace {

using Json = nlohmann::ordered_json;

/// For its owner alone from the first byte on, and never over a file that is there.
void write_secret(const std::filesystem::path& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool good = file >= 0 && write_all(file, text) && ::fsync(file) == 0;
  const int reason = errno;
  if (file >= 0) {
    ::close(file);
  }
  if (!good) {
    throw UsageError(path.string() + ": cannot be written: " + std::strerror(reason));
  }
}

std::string read_if_there(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? read_text(path) : std::string();
}

template <class Read>
auto read_json(const std::filesystem::path& path, Read&& read) {
  try {
    return read(Json::parse(read_text(path)));
  } catch (const Json::exception&) {
    fail<DataError>(path.string(), "what slidemesh peer wrote there", "something else");
  }
}

ListedNeighbour read_neighbour(const std::filesystem::path& path) {
  return read_json(path, [&](const Json& json) {
    ListedNeighbour neighbour;
    neighbour.identity.party = json.at("party").get<std::string>();
    neighbour.identity.authority = json.value("authority", "");
    neighbour.address = json.value("address", "");
    neighbour.problem = json.value("problem", "");
    require_party_name(neighbour.identity.party);
    for (const auto& key : json.at("keys")) {
      neighbour.identity.keys.push_back(require_fingerprint(key.get<std::string>(), path.string()));
    }
    return neighbour;
  });
}

void require_addresses(const std::string& listen, const std::string& address) {
  if (!listen.empty()) {
    static_cast<void>(parse_address(listen, "--listen"));
  }
  if (address.empty()) {
    return;
  }
  const Address called = parse_address(address, "--address");
  if (called.host == "0.0.0.0" || called.host == "::" ||
      called.port == "0") {  // good to listen at, and nobody's to call
    fail<UsageError>("--address", "a host and a port that neighbours can call", address);
  }
}

void write_party(const std::filesystem::path& directory, const std::string& name, const std::string& listen,
                 const std::string& address) {
  const Json json{{"name", name}, {"listen", listen}, {"address", address}};
  atomic_write(directory / "party.json", json.dump(2) + "\n");
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  require_openssl(RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof(number)) == 1, "random bytes");
  return number;
}

}  // namespace

Home Home::create(const std::filesystem::path& directory, const std::string& name, const std::string& listen,
                  const std::string& address, int days, std::time_t now) {
  require_party_name(name);
  require_addresses(listen, address);
  if (std::filesystem::exists(directory / "party.key")) {
    throw UsageError(directory.string() +
                     ": there is a party here already; its key is its identity and is not replaced");
  }
  make_directory(directory / "neighbours");
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  const std::string key = make_key();
  write_secret(directory / "party.key", key);
  atomic_write(directory / "party.crt", make_self_signed(key, name, valid_for_days(days, now)));
  write_party(directory, name, listen, address);
  return Home(directory);
}

Home::Home(std::filesystem::path directory) : directory_(std::move(directory)) {
  require<UsageError>(std::filesystem::exists(directory_ / "party.json"), directory_.string(), "a party's home",
                      "none (slidemesh peer init makes one)");
  read_json(directory_ / "party.json", [this](const Json& json) {
    name_ = json.at("name").get<std::string>();
    listen_ = json.value("listen", "");
    address_ = json.value("address", "");
    return 0;
  });
  require_party_name(name_);
}

std::string Home::fingerprint() const { return fingerprint_of_key(read_text(directory_ / "party.key")); }

CertificateFacts Home::certificate() const {
  const auto path = directory_ / "party.crt";
  return read_certificate(read_text(path), path.string());
}

void Home::move_to(const std::string& listen, const std::string& address) {
  const std::string& listens = listen.empty() ? listen_ : listen;
  const std::string& called = !address.empty() ? address : !listen.empty() ? listen : address_;
  require_addresses(listens, called);
  write_party(directory_, name_, listens, called);
  *this = Home(directory_);
}

void Home::renew(int days, std::time_t now) const {
  const auto facts = certificate();
  require<UsageError>(facts.self_signed, "--renew", "a self-signed certificate",
                      "one issued by " + facts.issuer + " (peer init --request, and have that signed)");
  const std::string key = read_text(directory_ / "party.key");
  atomic_write(directory_ / "party.crt", make_self_signed(key, name_, valid_for_days(days, now)));
}

std::string Home::request() const { return make_request(read_text(directory_ / "party.key"), name_); }

void Home::install(const std::string& certificate) const {
  require_same_key(read_text(directory_ / "party.key"), certificate);
  const auto facts = read_certificate(certificate, "certificate");
  require<UsageError>(facts.party == name_, "certificate", "the name slidemesh:party/" + name_,
                      facts.party.empty() ? "no such name" : facts.party);
  atomic_write(directory_ / "party.crt", certificate);
}

Invitation Home::invitation(const std::string& problem, const std::string& authority) const {
  return {name_, address_, fingerprint(), authority, problem};
}

void Home::accept(const Invitation& invitation) const {
  require<UsageError>(invitation.party != name_, "invitation", "another party's", "one of " + name_ + " itself");
  const auto path = directory_ / "neighbours" / (invitation.party + ".json");
  auto keys = std::filesystem::exists(path) ? read_neighbour(path).identity.keys : std::vector<std::string>{};
  if (!invitation.key.empty() && std::find(keys.begin(), keys.end(), invitation.key) == keys.end()) {
    keys.push_back(invitation.key);
  }
  const Json json{{"party", invitation.party},
                  {"address", invitation.address},
                  {"keys", keys},
                  {"authority", invitation.authority},
                  {"problem", invitation.problem}};
  atomic_write(path, json.dump(2) + "\n");
}

void Home::drop(const std::string& party) const {
  require_party_name(party);
  const bool was_listed = std::filesystem::remove(directory_ / "neighbours" / (party + ".json"));
  require<UsageError>(was_listed, directory_.string(), "a neighbour that is listed", party);
}

std::vector<ListedNeighbour> Home::neighbours() const {
  std::vector<ListedNeighbour> all;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "neighbours")) {
    if (entry.path().extension() == ".json") {
      all.push_back(read_neighbour(entry.path()));
    }
  }
  std::sort(all.begin(), all.end(),
            [](const ListedNeighbour& a, const ListedNeighbour& b) { return a.identity.party < b.identity.party; });
  return all;
}

Trust Home::trust() const {
  Trust trust;
  trust.key = read_text(directory_ / "party.key");
  trust.certificate = read_text(directory_ / "party.crt");
  for (auto& neighbour : neighbours()) {
    trust.rules.neighbours.push_back(std::move(neighbour.identity));
    trust.addresses.push_back(std::move(neighbour.address));
  }
  const auto denied = directory_ / "denied";
  trust.rules.denied = parse_fingerprints(read_if_there(denied), denied.string());
  trust.rules.revocations = read_if_there(directory_ / "revocations.pem");
  return trust;
}

Incarnation Home::begin_life() const {
  const auto path = directory_ / "incarnation";
  const std::string before = read_if_there(path);
  const auto last = before.find_first_not_of("0123456789\n") == std::string::npos && !before.empty()
                        ? std::strtoull(before.c_str(), nullptr, 10)
                        : 0ULL;
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
  const std::uint64_t started = std::max<std::uint64_t>(static_cast<std::uint64_t>(now.count()), last + 1);
  atomic_write(path, std::to_string(started) + "\n");
  return {started, random_number()};
}

}  // namespace slidemesh::peers

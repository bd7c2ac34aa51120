#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/network/peers/identity.h"
#include "slidemesh/network/peers/invitation.h"
#include "slidemesh/network/peers/mesh.h"

namespace slidemesh::peers {

/// A neighbour as it is listed in a party's home.
struct ListedNeighbour {
  ListedIdentity identity;
  std::string address;  ///< empty: it calls
  std::string problem;  ///< the digest that was agreed to
};

/// A party's directory: its key, its certificate, and whom it lists. Everything about a party's neighbours is in it, so
/// that a new party touches its neighbours' homes and no others.
///
///   party.json                  name, where it listens, the address that it tells others
///   party.key  party.crt        the key never leaves; the certificate may be replaced at any time
///   neighbours/NAME.json        one for each
///   denied                      fingerprints, one per line          (may be missing)
///   revocations.pem             of the authorities                (may be missing)
///   incarnation                 the last one used
class Home {
 public:
  /// Opens one that `create` made; UsageError if there is none.
  explicit Home(std::filesystem::path directory);
  /// Makes key, certificate and the rest. UsageError if there is a party there already.
  static Home create(const std::filesystem::path& directory, const std::string& name, const std::string& listen,
                     const std::string& address, int days, std::time_t now);

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& listen() const { return listen_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] std::string fingerprint() const;
  [[nodiscard]] CertificateFacts certificate() const;

  /// Listens elsewhere from the next run on, and tells others another address; empty: as it was. They must be invited
  /// again. UsageError for an address that nobody can call.
  void move_to(const std::string& listen, const std::string& address);

  /// A new self-signed certificate for the same key: neighbours need do nothing. UsageError where an authority made the
  /// one that there is: neighbours may ask for that authority's.
  void renew(int days, std::time_t now) const;
  /// A request for an authority to sign.
  [[nodiscard]] std::string request() const;
  /// The certificate that the authority made of it, with its chain. UsageError if it is for another key or name.
  void install(const std::string& certificate) const;

  [[nodiscard]] Invitation invitation(const std::string& problem, const std::string& authority) const;
  /// Lists the party; where it is listed already its key is added to those that are good, and the rest replaced.
  void accept(const Invitation& invitation) const;
  /// UsageError if it is not listed.
  void drop(const std::string& party) const;
  [[nodiscard]] std::vector<ListedNeighbour> neighbours() const;

  /// All of the above as a mesh wants it. Read from disk each time.
  [[nodiscard]] Trust trust() const;
  /// One that is later than all before, whatever the clock does.
  [[nodiscard]] Incarnation begin_life() const;

 private:
  std::filesystem::path directory_;
  std::string name_;
  std::string listen_;
  std::string address_;
};

}  // namespace slidemesh::peers

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "slidemesh/core/graph.h"
#include "slidemesh/network/peers/wire.h"

namespace slidemesh::peers {

/// The mesh as all parties in it see it alike.
struct MeshView {
  std::uint64_t epoch = 0;  ///< never 0; differs whenever a party came, left, restarted or changed its neighbours
  std::vector<std::string> parties;  ///< ascending: the order of the nodes
  Graph graph;
  Index self = 0;

  [[nodiscard]] Index index_of(const std::string& party) const;
};

/// Every party's newest record. Records travel from neighbour to neighbour, in any order and more than once; keeping
/// the newest of each party makes all maps equal in the end, whatever the order (a join semilattice), with no one in
/// charge.
///
/// A view's epoch is a hash of the records, so parties in one epoch have seen the same incarnations and build the same
/// graph. A restarted party is a new incarnation, so a new epoch, with no counter that two parties could advance
/// apart.
class MeshMap {
 public:
  MeshMap(std::string self, Incarnation incarnation, std::vector<std::string> neighbours);

  /// Takes a record; true if it is news, which then must be passed on. A record of this party's own that is newer than
  /// its own (an earlier life under a faster clock) makes it outdo that one. DataError if there are too many parties.
  bool update(const Record& record);
  /// This party's neighbours changed.
  bool set_neighbours(std::vector<std::string> neighbours);

  [[nodiscard]] const Record& own() const { return records_.at(self_); }
  [[nodiscard]] std::vector<Record> all() const;
  /// Nothing while some party that another one lists has not been heard of, or two do not list each other.
  [[nodiscard]] std::optional<MeshView> view() const;
  /// What is missing for a view, one line each.
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  /// Those that this party reaches by way of parties that list each other. What else there may be on record is the
  /// past.
  [[nodiscard]] std::vector<const Record*> reachable(std::vector<std::string>& missing) const;

  /// DataError where `record` in place of `known` (null: nothing) would be more than a map takes.
  void require_room(const Record& record, const Record* known) const;

  std::string self_;
  std::map<std::string, Record> records_;
  std::size_t names_ = 0;  ///< of neighbours, over all records
};

/// The most parties that a map takes, and the most names of neighbours in all their records: a few megabytes, whatever
/// a neighbour makes up.
inline constexpr std::size_t kMostParties = 4096;
inline constexpr std::size_t kMostNames = 65'536;

}  // namespace slidemesh::peers

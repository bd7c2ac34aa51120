#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slidemesh/network/peers/mesh.h"

/// Parties that look for what keeps them from a run compare what they have, over connections that are admitted as those
/// of a run are and carry nothing else.

namespace slidemesh::peers {

/// What became of the attempt to ask one neighbour.
struct Visit {
  std::string party;
  std::optional<Facts> facts;
  double ahead_seconds = 0.0;   ///< its clock before this machine's
  double within_seconds = 0.0;  ///< what that may be off by: the time that the answer took
  bool was_refused = false;     ///< by either side; else nobody was there
  std::string trouble;          ///< why there are no facts, in words
};

/// Calls the neighbours that have an address, waits for the others to call at `listen` (empty: they cannot), and is
/// done when all have answered, or after `seconds`. In the order of the trust's neighbours.
[[nodiscard]] std::vector<Visit> visit_neighbours(const Trust& trust, const std::string& listen, const Facts& own,
                                                  double seconds);

/// Why nobody can listen at HOST:PORT on this machine now; empty if one can.
[[nodiscard]] std::string why_not_listening(const std::string& address);

/// One thing that was compared.
struct Finding {
  enum class Kind { kGood, kWrong, kUnknown };
  Kind kind = Kind::kGood;
  std::string words;
};
/// Clock, shared config and columns, in words that say on which side what is missing.
[[nodiscard]] std::vector<Finding> compare_facts(const Facts& own, const Visit& visit);

/// Facts about columns of those names.
void set_columns(Facts& facts, const std::vector<std::string>& names, const std::string& label);

}  // namespace slidemesh::peers

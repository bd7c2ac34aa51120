#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "edge.h"
#include "slidemesh/network/peers/mesh.h"

namespace slidemesh::peers {

/// What the I/O thread and the method's thread share, under one lock.
struct MeshState {
  MeshState(const std::string& party, const Incarnation& incarnation, const std::vector<std::string>& neighbours)
      : map(party, incarnation, neighbours) {}

  /// Draws the consequences of a changed map: true if another epoch began. The lock is held.
  bool refresh() {
    auto now = map.view();
    const std::uint64_t next = now ? now->epoch : 0;
    if (next == epoch) {
      return false;
    }
    epoch = next;
    view = std::move(now);
    for (auto& [party, edge] : edges) {
      edge.begin_epoch(epoch);
    }
    return true;
  }

  std::mutex mutex;
  std::condition_variable changed;
  MeshMap map;
  std::uint64_t epoch = 0;  ///< 0 while the map is not complete
  std::optional<MeshView> view;
  std::map<std::string, EdgeState> edges;
  std::map<std::string, NeighbourStatus> status;
  std::string failure;  ///< what a neighbour sent that ends the run
};

}  // namespace slidemesh::peers

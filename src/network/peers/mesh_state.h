#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "slidemesh/network/peers/mesh.h"
#include "slidemesh/network/peers/wire.h"

namespace slidemesh::peers {

/// Messages that a party may have sent to a neighbour that has not consumed them. Neighbours are at most one round
/// apart, so rounds alone need two; the rest lets short messages down a tree follow one another without waiting for an
/// answer.
inline constexpr std::uint64_t kWindow = 4;

/// Both directions of one edge in one epoch: numbering, what must be sent again if the connection breaks, and what has
/// arrived and waits to be consumed. Knows neither threads nor sockets.
class EdgeState {
 public:
  /// All that was under way belonged to another state of the mesh.
  void begin_epoch(std::uint64_t epoch);
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

  // ---- to the neighbour ----

  [[nodiscard]] bool can_send() const { return outbox_.size() < kWindow; }
  /// Its number.
  std::uint64_t send(MessageKind kind, std::uint32_t step, std::string_view payload);
  /// It has consumed messages up to `ack`. DataError if so many were never sent.
  void acknowledged(std::uint64_t epoch, std::uint64_t ack);
  /// What it has not acknowledged and is numbered above `sequence`: the next to be written to a connection; null if
  /// none.
  struct Outgoing {
    std::uint64_t sequence = 0;
    std::shared_ptr<const std::string> bytes;
  };
  [[nodiscard]] const Outgoing* next_after(std::uint64_t sequence) const;
  /// A connection was made: what to go on with, given what the neighbour says it received of which of our lives.
  [[nodiscard]] std::uint64_t resume_after(const Hello& hello, const Incarnation& own) const;

  // ---- from the neighbour ----

  /// A message arrived. False if it belongs to another epoch and was dropped. DataError for one that cannot be next.
  bool arrived(Frame&& frame);
  [[nodiscard]] bool has_arrived() const { return !inbox_.empty(); }
  [[nodiscard]] Frame consume();
  [[nodiscard]] std::uint64_t received() const { return received_; }
  [[nodiscard]] std::uint64_t consumed() const { return received_ - inbox_.size(); }
  /// Enough was consumed since the last acknowledgement that the neighbour may be waiting for one.
  [[nodiscard]] bool owes_acknowledgement() const { return consumed() - acknowledged_ >= kWindow / 2; }
  /// The acknowledgement to write now.
  [[nodiscard]] std::uint64_t acknowledge();

 private:
  std::uint64_t epoch_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::deque<Outgoing> outbox_;
  std::deque<Frame> inbox_;
};

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

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "slidemesh/base/errors.h"
#include "slidemesh/network/peers/admission.h"
#include "slidemesh/network/peers/mesh_map.h"

namespace slidemesh::peers {

/// What a party shows, and whom it believes. Reloaded now and then, so that certificates, lists and neighbours can
/// be replaced while a run goes on.
struct Trust {
  std::string key;          ///< PEM
  std::string certificate;  ///< PEM, with the chain behind it where there is one
  AdmissionRules rules;
  /// Where to call the neighbours, in the order of rules.neighbours; "": it calls.
  std::vector<std::string> addresses;

  friend bool operator==(const Trust&, const Trust&) = default;
};

struct MeshOptions {
  std::string party;
  std::string problem;  ///< digest of the shared config, 64 hex digits
  std::string listen;   ///< HOST:PORT; port 0 for any; empty: neighbours are called only
  std::function<Trust()> trust;
  Incarnation incarnation;

  double patience_seconds = 86'400.0;  ///< how long a neighbour may be gone: the one time-out of a run
  double pulse_seconds = 1.0;          ///< a word at least so often on a connection, while methods compute
  double silence_seconds = 10.0;       ///< a connection without one for so long is broken
  double greeting_seconds = 10.0;      ///< from connection to hello
  double grace_seconds = 1.0;  ///< before the party whose name comes second calls too, where both have an address
  double greatest_age_seconds = 3'600.0;       ///< a connection is made again, with new keys, after that
  double trust_poll_seconds = 1.0;             ///< how often `trust` is asked for news
  std::uint32_t largest_message = 64U << 20U;  ///< bytes
  bool end_on_bad_message = true;              ///< false: refuse the connection and wait for a better one

  /// What a neighbour's doctor gets, beside name, clock and digest. Asked for then.
  std::function<Facts()> facts;
  std::function<void(const std::string&)> log;  ///< one line each; called from whichever thread runs the I/O
  std::function<bool()> interrupted;            ///< asked while waiting
};

/// What was under way is void: a party restarted, came, left, or changed its neighbours. Whoever catches it waits for a
/// new view and goes back to a step that all have saved.
class MeshChanged : public PeerLostError {
 public:
  using PeerLostError::PeerLostError;
};
/// `interrupted` said so while waiting.
class WaitInterrupted : public StoppedError {
 public:
  using StoppedError::StoppedError;
};

struct NeighbourStatus {
  std::string party;
  bool connected = false;
  std::string trouble;  ///< what last went wrong, in words; empty if nothing has since it connected
};

/// One party's end of all its edges: a thread of its own keeps a connection to each neighbour, answers while methods
/// compute, makes broken connections again and sends again what got lost. The functions below may be called from one
/// other thread, but for `status`, which any may call.
class Mesh {
 public:
  explicit Mesh(MeshOptions options);
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  /// Where it listens; 0 if it does not.
  [[nodiscard]] int port() const;

  /// Waits until every party of the mesh is known. PeerLostError when patience ends, WaitInterrupted.
  MeshView wait_for_view();

  /// All of these throw MeshChanged once `epoch` is over, PeerLostError when patience ends, WaitInterrupted.

  /// Waits only while the neighbour is a whole window behind.
  void send(std::uint64_t epoch, const std::string& neighbour, MessageKind kind, std::span<const std::byte> bytes);
  /// The next message, which must be of that kind and size: a PeerLostError says what it was instead.
  void receive(std::uint64_t epoch, const std::string& neighbour, MessageKind kind, std::span<std::byte> bytes);
  /// One of any size.
  std::string receive(std::uint64_t epoch, const std::string& neighbour, MessageKind kind);
  /// Waits until the neighbours have consumed all that was sent, for at most `seconds`. False if they have not, or if
  /// the epoch ended first.
  bool drain(double seconds);

  /// Ends all connections, and tells the neighbours why in words. They wait for this party's next life.
  void leave(const std::string& reason);

  [[nodiscard]] std::vector<NeighbourStatus> status() const;
  [[nodiscard]] std::vector<std::string> missing() const;

  /// Called for every message of the run with the neighbour, its kind, its step and its bytes: `sent` when it is handed
  /// over, otherwise when it is consumed. For the ledger.
  using Witness =
      std::function<void(bool sent, const std::string& neighbour, const FrameHeader& header, std::string_view payload)>;
  void set_witness(Witness witness);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace slidemesh::peers

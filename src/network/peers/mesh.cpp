#include "slidemesh/network/peers/mesh.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "mesh_io.h"
#include "mesh_state.h"

namespace slidemesh::peers {
namespace {

std::vector<std::string> names_of(const Trust& trust) {
  std::vector<std::string> names;
  for (const auto& neighbour : trust.rules.neighbours) {
    names.push_back(neighbour.party);
  }
  return names;
}

std::string kind_in_words(MessageKind kind) {
  static constexpr const char* kWords[] = {
      "nothing", "a round", "a round of measuring", "an agreement", "an agreement of measuring", "bytes"};
  return kWords[static_cast<std::size_t>(kind)];
}

}  // namespace

class Mesh::Implementation {
 public:
  Implementation(MeshOptions options, Trust trust)
      : options_(std::move(options)),
        state_(options_.party, options_.incarnation, names_of(trust)),
        io_(options_, state_, std::move(trust)) {}

  [[nodiscard]] int port() const { return io_.port(); }

  MeshView wait_for_view() {
    std::unique_lock lock(state_.mutex);
    wait(lock, "the mesh", [&] { return state_.view.has_value(); });
    steps_ = 0;
    return *state_.view;
  }

  void send(std::uint64_t epoch, const std::string& neighbour, MessageKind kind, std::string_view bytes) {
    {
      std::unique_lock lock(state_.mutex);
      wait(lock, neighbour, [&] { return state_.epoch != epoch || edge(neighbour).can_send(); });
      require_epoch(epoch);
      FrameHeader header;
      header.kind = kind;
      header.epoch = epoch;
      header.step = ++steps_;
      header.sequence = edge(neighbour).send(kind, header.step, bytes);
      if (witness_) {
        witness_(true, neighbour, header, bytes);
      }
    }
    io_.wake(neighbour);
  }

  Frame receive(std::uint64_t epoch, const std::string& neighbour, MessageKind kind) {
    Frame frame;
    bool owes_acknowledgement = false;
    {
      std::unique_lock lock(state_.mutex);
      wait(lock, neighbour, [&] { return state_.epoch != epoch || edge(neighbour).has_arrived(); });
      require_epoch(epoch);
      frame = edge(neighbour).consume();
      owes_acknowledgement = edge(neighbour).owes_acknowledgement();
    }
    if (owes_acknowledgement) {
      io_.wake(neighbour);
    }
    if (frame.header.kind != kind) {
      throw PeerLostError(neighbour + ", message " + std::to_string(frame.header.sequence) + ": expected " +
                          kind_in_words(kind) + ", got " + kind_in_words(frame.header.kind));
    }
    if (witness_) {
      witness_(false, neighbour, frame.header, frame.payload);
    }
    return frame;
  }

  bool drain(double seconds) {
    io_.tell_consumed();  // the others may be waiting for just that
    std::unique_lock lock(state_.mutex);
    const std::uint64_t epoch = state_.epoch;
    const auto is_done = [&] {
      return std::all_of(state_.edges.begin(), state_.edges.end(),
                         [](const auto& one) { return one.second.next_after(0) == nullptr; });
    };
    const auto until = std::chrono::duration<double>(seconds);
    state_.changed.wait_for(lock, until, [&] { return state_.epoch != epoch || is_done(); });
    return state_.epoch == epoch && is_done();
  }

  void leave(const std::string& reason) {
    io_.leave(reason);
    std::unique_lock lock(state_.mutex);
    constexpr auto kMost = std::chrono::seconds(2);
    state_.changed.wait_for(lock, kMost, [&] {
      return std::none_of(state_.status.begin(), state_.status.end(),
                          [](const auto& one) { return one.second.connected; });
    });
  }

  [[nodiscard]] std::vector<NeighbourStatus> status() {
    const std::lock_guard lock(state_.mutex);
    std::vector<NeighbourStatus> all;
    for (const auto& [party, status] : state_.status) {
      all.push_back(status);
    }
    return all;
  }

  [[nodiscard]] std::vector<std::string> missing() {
    const std::lock_guard lock(state_.mutex);
    return state_.map.missing();
  }

  void set_witness(Witness witness) { witness_ = std::move(witness); }

 private:
  EdgeState& edge(const std::string& neighbour) {
    const auto found = state_.edges.find(neighbour);
    if (found == state_.edges.end()) {
      throw MeshChanged(neighbour + " is not a neighbour any more");
    }
    return found->second;
  }

  void require_epoch(std::uint64_t epoch) const {
    if (state_.epoch != epoch) {
      throw MeshChanged("the mesh changed: a party restarted, came or left");
    }
  }

  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, const std::string& for_whom, Ready&& ready) {
    const auto until = Clock::now() + duration(options_.patience_seconds);
    // Whatever changes ends a wait; now and then one looks whether someone pressed Ctrl-C.
    constexpr auto kLook = std::chrono::milliseconds(200);
    std::optional<IoTurn> turn;
    while (true) {
      if (!state_.failure.empty()) {
        throw PeerLostError(state_.failure);
      }
      if (options_.interrupted && options_.interrupted()) {
        throw WaitInterrupted("interrupted while waiting for " + for_whom);
      }
      if (ready()) {
        return;
      }
      if (Clock::now() >= until) {
        throw PeerLostError("waited for " + for_whom + " for longer than its patience; " + trouble_of(for_whom));
      }
      if (!turn) {
        turn.emplace(io_, lock);
      }
      if (turn->try_again()) {
        lock.unlock();
        io_.work(kLook);
        lock.lock();
      } else {
        state_.changed.wait_for(lock, kLook);
      }
    }
  }

  [[nodiscard]] std::string trouble_of(const std::string& party) const {
    const auto found = state_.status.find(party);
    if (found != state_.status.end()) {
      return found->second.connected ? "it is connected and sends nothing" : found->second.trouble;
    }
    const auto lines = state_.map.missing();
    return lines.empty() ? "nothing is missing" : lines.front();
  }

  MeshOptions options_;
  MeshState state_;
  MeshIo io_;
  Witness witness_;
  std::uint32_t steps_ = 0;
};

Mesh::Mesh(MeshOptions options) {
  Trust trust = options.trust();
  implementation_ = std::make_unique<Implementation>(std::move(options), std::move(trust));
}
Mesh::~Mesh() = default;

int Mesh::port() const { return implementation_->port(); }

MeshView Mesh::wait_for_view() { return implementation_->wait_for_view(); }

void Mesh::send(std::uint64_t epoch, const std::string& neighbour, MessageKind kind, std::span<const std::byte> bytes) {
  implementation_->send(epoch, neighbour, kind, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void Mesh::receive(std::uint64_t epoch, const std::string& neighbour, MessageKind kind, std::span<std::byte> bytes) {
  const Frame frame = implementation_->receive(epoch, neighbour, kind);
  if (frame.payload.size() != bytes.size()) {
    throw PeerLostError(neighbour + ", step " + std::to_string(frame.header.step) + ": length of " +
                        kind_in_words(kind) + ": expected " + std::to_string(bytes.size()) + " bytes, got " +
                        std::to_string(frame.payload.size()));
  }
  std::memcpy(bytes.data(), frame.payload.data(), bytes.size());
}

std::string Mesh::receive(std::uint64_t epoch, const std::string& neighbour, MessageKind kind) {
  return implementation_->receive(epoch, neighbour, kind).payload;
}

bool Mesh::drain(double seconds) { return implementation_->drain(seconds); }

void Mesh::leave(const std::string& reason) { implementation_->leave(reason); }

std::vector<NeighbourStatus> Mesh::status() const { return implementation_->status(); }

std::vector<std::string> Mesh::missing() const { return implementation_->missing(); }

void Mesh::set_witness(Witness witness) { implementation_->set_witness(std::move(witness)); }

}  // namespace slidemesh::peers

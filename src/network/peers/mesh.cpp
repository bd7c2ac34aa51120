#include "slidemesh/network/peers/mesh.h"
#include "slidemesh/base/fail.h"

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

struct Mesh::Implementation {
  Implementation(MeshOptions given, Trust trust)
      : options(std::move(given)),
        state(options.party, options.incarnation, names_of(trust)),
        io(options, state, std::move(trust)) {}

  EdgeState& edge(const std::string& neighbour) {
    const auto found = state.edges.find(neighbour);
    if (found == state.edges.end()) {
      throw MeshChanged(neighbour + " is not a neighbour any more");
    }
    return found->second;
  }

  void require_epoch(std::uint64_t epoch) const {
    if (state.epoch != epoch) {
      throw MeshChanged("the mesh changed: a party restarted, came or left");
    }
  }

  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, const std::string& for_whom, Ready&& ready) {
    const auto until = Clock::now() + duration(options.patience_seconds);
    // Whatever changes ends a wait; now and then one looks whether someone pressed Ctrl-C.
    constexpr auto kLook = std::chrono::milliseconds(200);
    std::optional<IoTurn> turn;
    while (true) {
      if (!state.failure.empty()) {
        throw PeerLostError(state.failure);
      }
      if (options.interrupted && options.interrupted()) {
        throw WaitInterrupted("interrupted while waiting for " + for_whom);
      }
      if (ready()) {
        return;
      }
      if (Clock::now() >= until) {
        throw PeerLostError("waited for " + for_whom + " for longer than its patience; " + trouble_of(for_whom));
      }
      if (!turn) {
        turn.emplace(io, lock);
      }
      if (turn->try_again()) {
        lock.unlock();
        io.work(kLook);
        lock.lock();
      } else {
        state.changed.wait_for(lock, kLook);
      }
    }
  }

  [[nodiscard]] std::string trouble_of(const std::string& party) const {
    const auto found = state.status.find(party);
    if (found != state.status.end()) {
      return found->second.connected ? "it is connected and sends nothing" : found->second.trouble;
    }
    const auto lines = state.map.missing();
    return lines.empty() ? "nothing is missing" : lines.front();
  }

  Frame receive(std::uint64_t epoch, const std::string& neighbour, MessageKind kind) {
    Frame frame;
    bool owes_acknowledgement = false;
    {
      std::unique_lock lock(state.mutex);
      wait(lock, neighbour, [&] { return state.epoch != epoch || edge(neighbour).has_arrived(); });
      require_epoch(epoch);
      frame = edge(neighbour).consume();
      owes_acknowledgement = edge(neighbour).owes_acknowledgement();
    }
    if (owes_acknowledgement) {
      io.wake(neighbour);
    }
    if (frame.header.kind != kind) {
      fail<PeerLostError>(neighbour + ", message " + std::to_string(frame.header.sequence), kind_in_words(kind),
                          kind_in_words(frame.header.kind));
    }
    if (witness) {
      witness(false, neighbour, frame.header, frame.payload);
    }
    return frame;
  }

  MeshOptions options;
  MeshState state;
  MeshIo io;
  Witness witness;
  std::uint32_t steps = 0;
};

Mesh::Mesh(MeshOptions options) {
  Trust trust = options.trust();
  implementation_ = std::make_unique<Implementation>(std::move(options), std::move(trust));
}
Mesh::~Mesh() = default;

int Mesh::port() const { return implementation_->io.port(); }

MeshView Mesh::wait_for_view() {
  MeshState& state = implementation_->state;
  std::unique_lock lock(state.mutex);
  implementation_->wait(lock, "the mesh", [&] { return state.view.has_value(); });
  implementation_->steps = 0;
  return *state.view;
}

void Mesh::send(std::uint64_t epoch, const std::string& neighbour, MessageKind kind, std::span<const std::byte> bytes) {
  Implementation& i = *implementation_;
  const std::string_view payload(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  {
    std::unique_lock lock(i.state.mutex);
    i.wait(lock, neighbour, [&] { return i.state.epoch != epoch || i.edge(neighbour).can_send(); });
    i.require_epoch(epoch);
    FrameHeader header;
    header.kind = kind;
    header.epoch = epoch;
    header.step = ++i.steps;
    header.sequence = i.edge(neighbour).send(kind, header.step, payload);
    if (i.witness) {
      i.witness(true, neighbour, header, payload);
    }
  }
  i.io.wake(neighbour);
}

void Mesh::receive(std::uint64_t epoch, const std::string& neighbour, MessageKind kind, std::span<std::byte> bytes) {
  const Frame frame = implementation_->receive(epoch, neighbour, kind);
  if (frame.payload.size() != bytes.size()) {
    fail<PeerLostError>(
        neighbour + ", step " + std::to_string(frame.header.step) + ": length of " + kind_in_words(kind),
        std::to_string(bytes.size()) + " bytes", std::to_string(frame.payload.size()));
  }
  std::memcpy(bytes.data(), frame.payload.data(), bytes.size());
}

std::string Mesh::receive(std::uint64_t epoch, const std::string& neighbour, MessageKind kind) {
  return implementation_->receive(epoch, neighbour, kind).payload;
}

bool Mesh::drain(double seconds) {
  implementation_->io.tell_consumed();  // the others may be waiting for just that
  MeshState& state = implementation_->state;
  std::unique_lock lock(state.mutex);
  const std::uint64_t epoch = state.epoch;
  const auto is_done = [&] {
    return std::all_of(state.edges.begin(), state.edges.end(),
                       [](const auto& one) { return one.second.next_after(0) == nullptr; });
  };
  const auto until = std::chrono::duration<double>(seconds);
  state.changed.wait_for(lock, until, [&] { return state.epoch != epoch || is_done(); });
  return state.epoch == epoch && is_done();
}

void Mesh::leave(const std::string& reason) {
  implementation_->io.leave(reason);
  MeshState& state = implementation_->state;
  std::unique_lock lock(state.mutex);
  constexpr auto kMost = std::chrono::seconds(2);
  state.changed.wait_for(lock, kMost, [&] {
    return std::none_of(state.status.begin(), state.status.end(), [](const auto& one) { return one.second.connected; });
  });
}

std::vector<NeighbourStatus> Mesh::status() const {
  MeshState& state = implementation_->state;
  const std::lock_guard lock(state.mutex);
  std::vector<NeighbourStatus> all;
  for (const auto& [party, status] : state.status) {
    all.push_back(status);
  }
  return all;
}

std::vector<std::string> Mesh::missing() const {
  const std::lock_guard lock(implementation_->state.mutex);
  return implementation_->state.map.missing();
}

void Mesh::set_witness(Witness witness) { implementation_->witness = std::move(witness); }

}  // namespace slidemesh::peers

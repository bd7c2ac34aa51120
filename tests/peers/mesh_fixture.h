#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "certificates.h"
#include "slidemesh/network/peers/invitation.h"
#include "slidemesh/network/peers/mesh.h"

namespace slidemesh::testing {

/// A party's log, written by its I/O thread.
class Log {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  [[nodiscard]] std::string text() const {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const auto& line : lines_) {
      all += line + "\n";
    }
    return all;
  }
  [[nodiscard]] bool has(const std::string& piece) const { return text().find(piece) != std::string::npos; }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// True as soon as `ready` is; false after ten seconds.
template <class Ready>
bool eventually(Ready&& ready) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!ready()) {
    if (std::chrono::steady_clock::now() > until) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

inline peers::Incarnation next_life() {
  static std::atomic<std::uint64_t> lives{1};
  return {lives++, 7};
}

/// Options and trust of one party that a test changes at will, before and while a mesh runs on them.
struct MeshParty {
  explicit MeshParty(Party who) : identity(std::move(who)) {
    options.party = identity.name;
    options.problem = peers::sha256("the problem");
    options.listen = "127.0.0.1:0";
    options.patience_seconds = 20.0;
    options.pulse_seconds = 0.05;
    options.silence_seconds = 2.0;
    options.greeting_seconds = 1.0;
    options.grace_seconds = 0.0;
    options.trust_poll_seconds = 0.05;
    options.incarnation = next_life();
    set_trust({identity.key, identity.certificate, {}, {}});
    options.trust = [this] {
      const std::lock_guard lock(*mutex);
      return trust_;
    };
    options.log = [this](const std::string& line) { log.add(line); };
  }
  void list_identity(const peers::ListedIdentity& neighbour, const std::string& address) {
    const std::lock_guard lock(*mutex);
    trust_.rules.neighbours.push_back(neighbour);
    trust_.addresses.push_back(address);
  }
  void list(const Party& neighbour, const std::string& address = "") {
    list_identity({neighbour.name, {neighbour.fingerprint()}, ""}, address);
  }
  [[nodiscard]] peers::Trust trust() const {
    const std::lock_guard lock(*mutex);
    return trust_;
  }
  void set_trust(const peers::Trust& trust) {
    const std::lock_guard lock(*mutex);
    trust_ = trust;
  }
  void start() { mesh = std::make_unique<peers::Mesh>(options); }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(mesh->port()); }

  Party identity;
  peers::MeshOptions options;
  Log log;
  std::unique_ptr<std::mutex> mutex = std::make_unique<std::mutex>();

 private:
  peers::Trust trust_;

 public:
  std::unique_ptr<peers::Mesh> mesh;  ///< the last: its thread uses all of the above until it is gone
};

/// Two parties that list each other: a listens and b calls.
struct MeshPair {
  MeshParty a{self_signed_party("a")};
  MeshParty b{self_signed_party("b")};

  /// What a test wants otherwise is said before.
  void start() {
    a.list(b.identity);
    a.start();
    b.list(a.identity, a.address());
    b.start();
  }
  /// Waits until both are in one epoch.
  std::uint64_t epoch() {
    const std::uint64_t epoch = a.mesh->wait_for_view().epoch;
    EXPECT_EQ(b.mesh->wait_for_view().epoch, epoch);
    return epoch;
  }
};

/// Parties p0, p1, ... that list each other as the graph says and run in this process; the later of two calls.
class PartyGroup {
 public:
  explicit PartyGroup(const Graph& graph) {
    for (Index i = 0; i < graph.nodes(); ++i) {
      parties_.push_back(std::make_unique<MeshParty>(self_signed_party(name(i))));
    }
    for (Index i = 0; i < graph.nodes(); ++i) {
      for (const Index j : graph.neighbours(i)) {
        at(i).list(at(j).identity, j < i ? at(j).address() : "");
      }
      at(i).start();
    }
  }
  static std::string name(Index i) {
    std::string text = "p";
    text += std::to_string(100 + i);  // in two steps: GCC 12 warns of "p" + ... without reason
    return text;
  }
  MeshParty& at(Index i) { return *parties_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<std::unique_ptr<MeshParty>> parties_;
};

}  // namespace slidemesh::testing

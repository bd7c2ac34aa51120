#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "blocking_call_guard.h"
#include "peers.h"
#include "slidemesh/transport/transport.h"

namespace slidemesh::mpi {

/// Bytes through rank 0. Plain messages and not MPI's collectives: a rank that never comes is then
/// known by name.
class Collectives {
 public:
  Collectives(MPI_Comm world, Peers& peers);
  ~Collectives();
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;

  /// Rank r's bytes into parts[r] at rank 0, which knows their sizes. `parts` is not looked at elsewhere.
  void gather(std::span<const std::byte> mine, std::span<const std::span<std::byte>> parts);
  /// The same for one value per rank, into all[r].
  template <class T>
  void gather_one(const T& mine, std::vector<T>& all) {
    std::vector<std::span<std::byte>> parts;
    parts.reserve(all.size());
    for (T& one : all) {
      parts.push_back(writable_bytes_of(&one, 1));
    }
    gather(bytes_of(&mine, 1), parts);
  }
  /// From rank 0 to all, down a binomial tree.
  void broadcast(std::span<std::byte> data);
  /// Returns when all have called it.
  void barrier();

  [[nodiscard]] MPI_Comm communicator() const { return communicator_; }
  [[nodiscard]] Count messages() const { return messages_; }
  [[nodiscard]] Count bytes() const { return bytes_; }

 private:
  void send(int rank, std::span<const std::byte> data);
  void receive(int rank, std::span<std::byte> data);

  Peers& peers_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  Pending pending_;
  Count messages_ = 0;
  Count bytes_ = 0;
};

/// What an MpiSession is made of.
struct Session {
  bool ours = false;  ///< whether MPI was initialized here
  std::unique_ptr<Peers> peers;
  std::unique_ptr<Collectives> collectives;
};

}  // namespace slidemesh::mpi

#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "peers.h"
#include "slidemesh/core/meters.h"

namespace slidemesh::mpi {

template <class T>
std::span<std::byte> bytes_of(T* data, std::size_t count) {
  return {reinterpret_cast<std::byte*>(data), count * sizeof(T)};
}
template <class T>
std::span<const std::byte> bytes_of(const T* data, std::size_t count) {
  return {reinterpret_cast<const std::byte*>(data), count * sizeof(T)};
}

/// Measuring and stopping over all ranks. Plain messages and not MPI's collectives: a rank that never comes is then
/// known by name.
class Control {
 public:
  Control(MPI_Comm world, Peers& peers);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  /// Rank r's bytes into parts[r] at rank 0, which knows their sizes. `parts` is not looked at elsewhere.
  void gather(std::span<const std::byte> mine, std::span<const std::span<std::byte>> parts);
  /// The same for one value a rank, into all[r].
  template <class T>
  void gather_one(const T& mine, std::vector<T>& all) {
    std::vector<std::span<std::byte>> parts;
    parts.reserve(all.size());
    for (T& one : all) {
      parts.push_back(bytes_of(&one, 1));
    }
    gather(bytes_of(&mine, 1), parts);
  }
  /// From rank 0 to all, down a binomial tree.
  void broadcast(std::span<std::byte> data);

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

}  // namespace slidemesh::mpi

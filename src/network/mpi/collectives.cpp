#include "collectives.h"

#include <cstring>

namespace slidemesh::mpi {

namespace {

constexpr int kTag = 0;

}  // namespace

Collectives::Collectives(MPI_Comm world, Peers& peers) : peers_(peers) {
  MPI_Comm_dup(world, &communicator_);
  name_communicator(communicator_, "slidemesh.control");
}

Collectives::~Collectives() { peers_.release(communicator_); }

void Collectives::send(int rank, std::span<const std::byte> data) {
  messages_ += peers_.send(data, {rank, kTag, communicator_}, pending_);
  bytes_ += static_cast<Count>(data.size());
}

void Collectives::receive(int rank, std::span<std::byte> data) {
  peers_.receive(data, {rank, kTag, communicator_}, pending_);
}

void Collectives::gather(std::span<const std::byte> mine, std::span<const std::span<std::byte>> parts) {
  pending_.clear();
  if (peers_.rank() != 0) {
    send(0, mine);
  } else {
    std::memcpy(parts[0].data(), mine.data(), mine.size());
    for (int rank = 1; rank < peers_.size(); ++rank) {
      receive(rank, parts[static_cast<std::size_t>(rank)]);
    }
  }
  peers_.wait(pending_);
}

void Collectives::broadcast(std::span<std::byte> data) {
  pending_.clear();
  // Rank r hears from r less its lowest set bit, and passes on to r + b for every lower bit b.
  const int rank = peers_.rank();
  int lowest = 1;
  while (lowest < peers_.size() && (rank & lowest) == 0) {
    lowest <<= 1;
  }
  if (rank != 0) {
    receive(rank - lowest, data);
    peers_.wait(pending_);
  }
  for (int bit = lowest >> 1; bit > 0; bit >>= 1) {
    if (rank + bit < peers_.size()) {
      send(rank + bit, data);
    }
  }
  peers_.wait(pending_);
}

void Collectives::barrier() {
  std::byte nothing{};
  std::vector<std::byte> all(static_cast<std::size_t>(peers_.size()));
  gather_one(nothing, all);
  broadcast({&nothing, 1});
}

}  // namespace slidemesh::mpi

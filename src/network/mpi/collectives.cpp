#include "collectives.h"

#include <algorithm>
#include <cstring>

namespace slidemesh::mpi {

namespace {

constexpr int kTag = 0;

}  // namespace

Collectives::Collectives(MPI_Comm world, Peers& peers) : peers_(peers) {
  MPI_Comm_dup(world, &communicator_);
  MPI_Comm_set_name(communicator_, "slidemesh.control");
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
}

Collectives::~Collectives() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && !peers_.failed()) {
    MPI_Comm_free(&communicator_);
  }
}

void Collectives::send(int rank, std::span<const std::byte> data) {
  do {
    const std::size_t piece = std::min(data.size(), kLargestMessage);
    peers_.require(
        MPI_Isend(data.data(), static_cast<int>(piece), MPI_BYTE, rank, kTag, communicator_, pending_.add(rank)), rank);
    ++messages_;
    bytes_ += static_cast<Count>(piece);
    data = data.subspan(piece);
  } while (!data.empty());
}

void Collectives::receive(int rank, std::span<std::byte> data) {
  do {
    const std::size_t piece = std::min(data.size(), kLargestMessage);
    peers_.require(
        MPI_Irecv(data.data(), static_cast<int>(piece), MPI_BYTE, rank, kTag, communicator_, pending_.add(rank)), rank);
    data = data.subspan(piece);
  } while (!data.empty());
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

}  // namespace slidemesh::mpi

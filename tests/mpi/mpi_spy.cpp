#include "mpi_spy.h"

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace slidemesh::spy {

Sent Log::total(const std::string& communicator) const {
  Sent sum;
  if (const auto found = sent.find(communicator); found != sent.end()) {
    for (const auto& [rank, one] : found->second) {
      sum.messages += one.messages;
      sum.bytes += one.bytes;
    }
  }
  return sum;
}

Log& log() {
  static Log log;
  return log;
}

void clear() { log() = {}; }

namespace {

std::string name_of(MPI_Comm communicator) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Comm_get_name(communicator, name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

int world_rank(MPI_Comm communicator, int rank) {
  MPI_Group here = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator, &here);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int translated = MPI_UNDEFINED;
  PMPI_Group_translate_ranks(here, 1, &rank, world, &translated);
  PMPI_Group_free(&here);
  PMPI_Group_free(&world);
  return translated;
}

void note_send(int count, MPI_Datatype type, int destination, MPI_Comm communicator) {
  int size = 0;
  PMPI_Type_size(type, &size);
  Sent& sent = log().sent[name_of(communicator)][world_rank(communicator, destination)];
  ++sent.messages;
  sent.bytes += static_cast<std::int64_t>(count) * size;
}

void write_log() {
  const char* directory = std::getenv("SLIDEMESH_MPI_SPY");
  if (directory == nullptr) {
    return;
  }
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ofstream file(std::string(directory) + "/rank-" + std::to_string(rank) + ".json");
  file << "{\"sent\": [";
  const char* comma = "";
  for (const auto& [communicator, receivers] : log().sent) {
    for (const auto& [receiver, sent] : receivers) {
      file << comma << "\n {\"communicator\": \"" << communicator << "\", \"to\": " << receiver
           << ", \"messages\": " << sent.messages << ", \"bytes\": " << sent.bytes << "}";
      comma = ",";
    }
  }
  file << "],\n \"others\": [";
  comma = "";
  for (const std::string& call : log().others) {
    file << comma << "\"" << call << "\"";
    comma = ", ";
  }
  file << "]}\n";
}

}  // namespace

}  // namespace slidemesh::spy

// NOLINTBEGIN(readability-identifier-naming): MPI's names
extern "C" {

#define SLIDEMESH_SPY_SEND(call)                                                                           \
  int MPI_##call(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) { \
    slidemesh::spy::note_send(count, type, to, communicator);                                              \
    return PMPI_##call(data, count, type, to, tag, communicator);                                          \
  }
#define SLIDEMESH_SPY_ISEND(call)                                                                        \
  int MPI_##call(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator, \
                 MPI_Request* request) {                                                                 \
    slidemesh::spy::note_send(count, type, to, communicator);                                            \
    return PMPI_##call(data, count, type, to, tag, communicator, request);                               \
  }
#define SLIDEMESH_SPY_OTHER(call, parameters, arguments) \
  int MPI_##call parameters {                            \
    slidemesh::spy::log().others.emplace_back(#call);    \
    return PMPI_##call arguments;                        \
  }

SLIDEMESH_SPY_SEND(Send)
SLIDEMESH_SPY_SEND(Ssend)
SLIDEMESH_SPY_SEND(Bsend)
SLIDEMESH_SPY_SEND(Rsend)
SLIDEMESH_SPY_ISEND(Isend)
SLIDEMESH_SPY_ISEND(Issend)
SLIDEMESH_SPY_ISEND(Ibsend)
SLIDEMESH_SPY_ISEND(Irsend)

#define BUFFERS const void *s, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt
#define V_BUFFERS const void *s, int sn, MPI_Datatype st, void *r, const int *rn, const int *rd, MPI_Datatype rt
#define VV_BUFFERS \
  const void *s, const int *sn, const int *sd, MPI_Datatype st, void *r, const int *rn, const int *rd, MPI_Datatype rt

SLIDEMESH_SPY_OTHER(Send_init, (const void* s, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q),
                    (s, n, t, to, tag, c, q))
SLIDEMESH_SPY_OTHER(Sendrecv,
                    (const void* s, int sn, MPI_Datatype st, int to, int stag, void* r, int rn, MPI_Datatype rt,
                     int from, int rtag, MPI_Comm c, MPI_Status* status),
                    (s, sn, st, to, stag, r, rn, rt, from, rtag, c, status))
SLIDEMESH_SPY_OTHER(Barrier, (MPI_Comm c), (c))
SLIDEMESH_SPY_OTHER(Ibarrier, (MPI_Comm c, MPI_Request* q), (c, q))
SLIDEMESH_SPY_OTHER(Bcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
SLIDEMESH_SPY_OTHER(Ibcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request* q),
                    (b, n, t, root, c, q))
SLIDEMESH_SPY_OTHER(Reduce, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c),
                    (s, r, n, t, o, root, c))
SLIDEMESH_SPY_OTHER(Ireduce,
                    (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c, MPI_Request* q),
                    (s, r, n, t, o, root, c, q))
SLIDEMESH_SPY_OTHER(Allreduce, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
                    (s, r, n, t, o, c))
SLIDEMESH_SPY_OTHER(Iallreduce, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request* q),
                    (s, r, n, t, o, c, q))
SLIDEMESH_SPY_OTHER(Scan, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (s, r, n, t, o, c))
SLIDEMESH_SPY_OTHER(Exscan, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (s, r, n, t, o, c))
SLIDEMESH_SPY_OTHER(Gather, (BUFFERS, int root, MPI_Comm c), (s, sn, st, r, rn, rt, root, c))
SLIDEMESH_SPY_OTHER(Igather, (BUFFERS, int root, MPI_Comm c, MPI_Request* q), (s, sn, st, r, rn, rt, root, c, q))
SLIDEMESH_SPY_OTHER(Gatherv, (V_BUFFERS, int root, MPI_Comm c), (s, sn, st, r, rn, rd, rt, root, c))
SLIDEMESH_SPY_OTHER(Igatherv, (V_BUFFERS, int root, MPI_Comm c, MPI_Request* q), (s, sn, st, r, rn, rd, rt, root, c, q))
SLIDEMESH_SPY_OTHER(Scatter, (BUFFERS, int root, MPI_Comm c), (s, sn, st, r, rn, rt, root, c))
SLIDEMESH_SPY_OTHER(Allgather, (BUFFERS, MPI_Comm c), (s, sn, st, r, rn, rt, c))
SLIDEMESH_SPY_OTHER(Iallgather, (BUFFERS, MPI_Comm c, MPI_Request* q), (s, sn, st, r, rn, rt, c, q))
SLIDEMESH_SPY_OTHER(Allgatherv, (V_BUFFERS, MPI_Comm c), (s, sn, st, r, rn, rd, rt, c))
SLIDEMESH_SPY_OTHER(Iallgatherv, (V_BUFFERS, MPI_Comm c, MPI_Request* q), (s, sn, st, r, rn, rd, rt, c, q))
SLIDEMESH_SPY_OTHER(Alltoall, (BUFFERS, MPI_Comm c), (s, sn, st, r, rn, rt, c))
SLIDEMESH_SPY_OTHER(Alltoallv, (VV_BUFFERS, MPI_Comm c), (s, sn, sd, st, r, rn, rd, rt, c))
SLIDEMESH_SPY_OTHER(Neighbor_allgather, (BUFFERS, MPI_Comm c), (s, sn, st, r, rn, rt, c))
SLIDEMESH_SPY_OTHER(Neighbor_alltoall, (BUFFERS, MPI_Comm c), (s, sn, st, r, rn, rt, c))
SLIDEMESH_SPY_OTHER(Neighbor_alltoallv, (VV_BUFFERS, MPI_Comm c), (s, sn, sd, st, r, rn, rd, rt, c))
SLIDEMESH_SPY_OTHER(Ineighbor_alltoallv, (VV_BUFFERS, MPI_Comm c, MPI_Request* q), (s, sn, sd, st, r, rn, rd, rt, c, q))
SLIDEMESH_SPY_OTHER(Comm_dup, (MPI_Comm c, MPI_Comm* n), (c, n))
SLIDEMESH_SPY_OTHER(Win_create, (void* b, MPI_Aint n, int unit, MPI_Info i, MPI_Comm c, MPI_Win* w),
                    (b, n, unit, i, c, w))
SLIDEMESH_SPY_OTHER(Win_allocate, (MPI_Aint n, int unit, MPI_Info i, MPI_Comm c, void* b, MPI_Win* w),
                    (n, unit, i, c, b, w))

int MPI_Finalize() {
  slidemesh::spy::write_log();
  return PMPI_Finalize();
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

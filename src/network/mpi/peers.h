#pragma once

#include <poll.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "late_mpi.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh::mpi {

/// Which ranks run on this machine, and whether their processes still do. Linux tells of a process's end through a
/// descriptor, whoever's child it is; ranks of other machines can only be waited for.
class Liveness {
 public:
  explicit Liveness(MPI_Comm world);
  ~Liveness();
  Liveness(const Liveness&) = delete;
  Liveness& operator=(const Liveness&) = delete;

  /// The lowest rank of this machine whose process has ended, if any has.
  [[nodiscard]] std::optional<int> ended();
  [[nodiscard]] bool has_ended(int rank) const;
  [[nodiscard]] const std::string& host(int rank) const { return hosts_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::string> hosts_;
  std::vector<pollfd> watched_;  ///< descriptor -1, which poll skips, for those that cannot be watched
};

/// MPI counts in int; a longer message goes in pieces.
constexpr std::size_t kLargestMessage = std::size_t{1} << 30;

/// Requests under way, and for each the rank at its other end.
struct Pending {
  std::vector<MPI_Request> requests;
  std::vector<int> ranks;

  MPI_Request* add(int rank) {
    ranks.push_back(rank);
    return &requests.emplace_back(MPI_REQUEST_NULL);
  }
  void clear() {
    requests.clear();
    ranks.clear();
  }
};

/// Whom a message goes to or comes from.
struct Address {
  int rank = 0;
  int tag = 0;
  MPI_Comm communicator = MPI_COMM_NULL;
};

/// For tools that watch MPI; and errors come back instead of ending the process.
void name_communicator(MPI_Comm communicator, const char* name);

/// What ranks tell one another beside the run itself. Sent as bytes.
struct Notice {
  enum Kind : std::int32_t {
    kAsk,      ///< I have waited for you beyond the time-out: are you there?
    kWaiting,  ///< I am, and wait for another; in `seconds` I shall give it up
    kFailure,  ///< the run is over for me
  };
  Kind kind = kAsk;
  std::int32_t error_kind = 0;
  std::int32_t lost_rank = -1;  ///< of a failure: the rank that was lost, or -1
  std::int32_t origin = -1;     ///< of a failure: the rank that found it, not one that heard of it
  double seconds = 0.0;
  std::array<char, 480> text{};
};

/// The other ranks: who they are, and waiting for them without ever waiting for ever.
///
/// A wait polls, and yields the core while it does. It ends when the requests are done, or by an exception: when
/// another rank tells of a failure, when a rank of this machine has ended, or when a rank at the other end of
/// an unfinished request has not answered within the time-out. A rank that waits itself answers when asked, so
/// that the one that holds up the others is named and not the one that passes its delay on.
class Peers {
 public:
  explicit Peers(MPI_Comm world);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] double timeout_seconds() const { return timeout_seconds_; }
  void set_timeout(double seconds);
  /// How many nodes are spread over the ranks, for messages; 0 while that is not known.
  void set_nodes(Index nodes) { nodes_ = nodes; }

  /// Returns when all are complete, and empties `pending`. Otherwise throws as said above.
  void wait(Pending& pending);

  /// Begins to send bytes, or to receive them, in as many pieces as it returns: none is longer than MPI can count.
  Count send(std::span<const std::byte> bytes, const Address& to, Pending& pending);
  void receive(std::span<std::byte> bytes, const Address& from, Pending& pending);

  /// Frees a communicator, unless MPI has ended or a call may not come back after a failure.
  void release(MPI_Comm& communicator) const;

  /// Throws unless an MPI call that concerned `rank` returned MPI_SUCCESS.
  void require(int result, int rank);

  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  /// Called with a failure as soon as this rank is found to be the one to print it.
  void set_reporter(std::function<void(const Error&)> reporter) { reporter_ = std::move(reporter); }
  /// See MpiSession::is_error_reporter.
  [[nodiscard]] bool is_error_reporter(const Error& error);
  /// After a failure: returns when the rank that prints has ended, or has had time to. Makes no MPI call.
  void let_the_reporter_go_first() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Wait;

  void tend(Wait& wait);
  void hear(Wait* wait);
  void answer(int asker, const Wait& wait);
  void give_up_on_silent(Wait& wait);
  void check_liveness();
  [[noreturn]] void lose(int rank, const std::string& how);
  void fail(const Notice& notice);
  void send(int rank, const Notice& notice);
  [[nodiscard]] bool all_heard() const;
  [[nodiscard]] int error_reporter() const;
  [[nodiscard]] std::string describe(int rank) const;

  MPI_Comm notices_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  Index nodes_ = 0;
  double timeout_seconds_ = 60.0;
  Liveness liveness_;
  std::function<void(const Error&)> reporter_;
  std::optional<Notice> failure_;             ///< why the run is over
  std::vector<std::optional<Notice>> heard_;  ///< each rank's own failure notice
  struct Outgoing {
    Notice notice;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::list<Outgoing> outgoing_;  ///< kept where they are until sent
};

}  // namespace slidemesh::mpi

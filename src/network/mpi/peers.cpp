#include "peers.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <thread>

#include "slidemesh/base/fail.h"
#include "slidemesh/network/mpi_network.h"

namespace slidemesh::mpi {

namespace {

using std::chrono::duration;
using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Most waits end within these polls, which look at no clock.
constexpr int kEagerPolls = 64;
/// A wait that has taken this long may as well sleep between polls: others may need the core.
constexpr milliseconds kDrowsyAfter{5};
constexpr microseconds kNap{50};
constexpr milliseconds kHearEvery{1};
constexpr milliseconds kCheckLivenessEvery{20};
/// What a rank has, beyond the time-out, to say that it is itself waiting for another.
constexpr milliseconds kGrace{1500};
/// What failing ranks give one another to agree on who prints.
constexpr milliseconds kSettle{250};
constexpr int kLastCalls = 20;
/// What the others give the one that prints. Once a first process has ended badly, mpirun soon ends the rest.
constexpr milliseconds kSpeech{1500};

steady_clock::duration seconds_to_duration(double seconds) {
  return duration_cast<steady_clock::duration>(duration<double>(seconds));
}

bool is_complete(MPI_Request request) {
  int complete = 0;
  MPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE);
  return complete != 0;
}

Notice failure_notice(const Error& error, int origin, int lost_rank) {
  Notice notice{Notice::kFailure, static_cast<std::int32_t>(error.kind()), lost_rank, origin};
  const std::string_view text = error.what();
  std::copy_n(text.data(), std::min(text.size(), notice.text.size() - 1), notice.text.data());
  return notice;
}

[[noreturn]] void throw_failure(const Notice& notice) {
  if (notice.lost_rank >= 0) {
    throw PeerLostError(notice.text.data());
  }
  throw Error(static_cast<ErrorKind>(notice.error_kind), notice.text.data());
}

}  // namespace

void name_communicator(MPI_Comm communicator, const char* name) {
  MPI_Comm_set_name(communicator, name);
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
}

/// One call of `wait` that did not end at once.
struct Peers::Wait {
  Pending& pending;
  Clock::time_point begin = Clock::now();
  Clock::time_point now = begin;
  Clock::time_point next_hearing = begin;
  Clock::time_point next_liveness = begin + kCheckLivenessEvery;
  std::map<int, Clock::time_point> give_up_at{};  ///< of the ranks that were asked

  /// Ranks at the other end of what is not done.
  [[nodiscard]] std::vector<int> silent_ranks() const {
    std::vector<int> ranks;
    for (std::size_t i = 0; i < pending.requests.size(); ++i) {
      if (!is_complete(pending.requests[i])) {
        ranks.push_back(pending.ranks[i]);
      }
    }
    return ranks;
  }
};

Peers::Peers(MPI_Comm world) : liveness_(world) {
  MPI_Comm_dup(world, &notices_);
  name_communicator(notices_, "slidemesh.notices");
  MPI_Comm_rank(notices_, &rank_);
  MPI_Comm_size(notices_, &size_);
  heard_.resize(static_cast<std::size_t>(size_));
}

Peers::~Peers() { release(notices_); }

void Peers::release(MPI_Comm& communicator) const {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && !failed()) {
    MPI_Comm_free(&communicator);
  }
}

Count Peers::send(std::span<const std::byte> bytes, const Address& to, Pending& pending) {
  Count pieces = 0;
  do {
    const std::size_t piece = std::min(bytes.size(), kLargestMessage);
    require(MPI_Isend(bytes.data(), static_cast<int>(piece), MPI_BYTE, to.rank, to.tag, to.communicator,
                      pending.add(to.rank)),
            to.rank);
    ++pieces;
    bytes = bytes.subspan(piece);
  } while (!bytes.empty());
  return pieces;
}

void Peers::receive(std::span<std::byte> bytes, const Address& from, Pending& pending) {
  do {
    const std::size_t piece = std::min(bytes.size(), kLargestMessage);
    require(MPI_Irecv(bytes.data(), static_cast<int>(piece), MPI_BYTE, from.rank, from.tag, from.communicator,
                      pending.add(from.rank)),
            from.rank);
    bytes = bytes.subspan(piece);
  } while (!bytes.empty());
}

void Peers::set_timeout(double seconds) {
  slidemesh::require<UsageError>(seconds > 0.0 && std::isfinite(seconds), "network.timeout_seconds",
                                 "a positive number", std::to_string(seconds));
  timeout_seconds_ = seconds;
}

void Peers::wait(Pending& pending) {
  if (failure_) {
    throw_failure(*failure_);
  }
  const auto count = static_cast<int>(pending.requests.size());
  std::optional<Wait> wait;
  for (int polls = 1;; ++polls) {
    int done = 0;
    const int result = MPI_Testall(count, pending.requests.data(), &done, MPI_STATUSES_IGNORE);
    if (result != MPI_SUCCESS) {
      const auto silent = Wait{pending}.silent_ranks();
      require(result, silent.empty() ? pending.ranks.front() : silent.front());
    }
    if (done != 0) {
      pending.clear();
      return;
    }
    if (polls >= kEagerPolls) {
      if (!wait) {
        wait.emplace(Wait{pending});
      }
      tend(*wait);
    }
  }
}

void Peers::require(int result, int rank) {
  if (result == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  lose(rank, std::string("expected its messages to come through, got ") + text.data());
}

/// What there is to do while nothing arrives.
void Peers::tend(Wait& wait) {
  wait.now = Clock::now();
  if (wait.now >= wait.next_hearing) {
    hear(&wait);
    wait.next_hearing = wait.now + kHearEvery;
  }
  if (wait.now >= wait.next_liveness) {
    check_liveness();
    give_up_on_silent(wait);
    wait.next_liveness = wait.now + kCheckLivenessEvery;
  }
  if (wait.now - wait.begin < kDrowsyAfter) {
    sched_yield();
  } else {
    std::this_thread::sleep_for(kNap);
  }
}

void Peers::hear(Wait* wait) {
  for (;;) {
    int waiting = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, notices_, &waiting, &status) != MPI_SUCCESS || waiting == 0) {
      break;
    }
    Notice notice;
    MPI_Recv(&notice, sizeof notice, MPI_BYTE, status.MPI_SOURCE, MPI_ANY_TAG, notices_, MPI_STATUS_IGNORE);
    if (notice.kind == Notice::kFailure) {
      heard_[static_cast<std::size_t>(status.MPI_SOURCE)] = notice;
    } else if (notice.kind == Notice::kAsk && wait != nullptr) {
      answer(status.MPI_SOURCE, *wait);
    } else if (notice.kind == Notice::kWaiting && wait != nullptr && wait->give_up_at.contains(status.MPI_SOURCE)) {
      wait->give_up_at[status.MPI_SOURCE] = wait->now + seconds_to_duration(notice.seconds) + kGrace;
    }
  }
  if (failure_) {
    return;
  }
  for (const auto& notice : heard_) {
    if (notice) {
      fail(*notice);
      throw_failure(*notice);
    }
  }
}

void Peers::answer(int asker, const Wait& wait) {
  Clock::time_point end = wait.begin + seconds_to_duration(timeout_seconds_) + kGrace;
  for (const auto& [rank, time] : wait.give_up_at) {
    end = std::max(end, time);
  }
  Notice reply{.kind = Notice::kWaiting};
  reply.seconds = std::max(0.0, duration<double>(end - wait.now).count());
  send(asker, reply);
}

void Peers::give_up_on_silent(Wait& wait) {
  if (wait.now - wait.begin < seconds_to_duration(timeout_seconds_)) {
    return;
  }
  for (const int rank : wait.silent_ranks()) {
    if (const auto asked = wait.give_up_at.find(rank); asked == wait.give_up_at.end()) {
      wait.give_up_at[rank] = wait.now + kGrace;
      send(rank, Notice{});
    } else if (wait.now > asked->second) {
      std::string limit = std::to_string(timeout_seconds_);
      limit.erase(limit.find_last_not_of('0') + 1);
      lose(rank, "expected an answer within " + limit + (limit.back() == '.' ? "0" : "") + " s, got none");
    }
  }
}

void Peers::check_liveness() {
  if (const auto ended = liveness_.ended()) {
    lose(*ended, "expected its process to run to the end, it is gone");
  }
}

void Peers::lose(int rank, const std::string& how) {
  // It may have said why before it went, or another may have found it first. Again and again, since a probe of Open MPI
  // that finds nothing fetches what has just come, and leaves it to the next one.
  for (int i = 0; i < kLastCalls; ++i) {
    hear(nullptr);
    std::this_thread::sleep_for(kNap);
  }
  const Notice notice = failure_notice(PeerLostError("lost " + describe(rank) + ": " + how), rank_, rank);
  fail(notice);
  throw_failure(notice);
}

/// From here on the run is over. All hear of it at once, so that all can save what they have, and who prints is settled
/// here: requests may be pending on buffers that the stack below owns, so no MPI call may follow once it unwinds.
void Peers::fail(const Notice& notice) {
  failure_ = notice;
  for (int rank = 0; rank < size_; ++rank) {
    if (rank != rank_ && !liveness_.has_ended(rank)) {
      send(rank, notice);  // to the lost one too: it may only have slept
    }
  }
  const auto end = Clock::now() + kSettle;
  for (hear(nullptr); !all_heard() && Clock::now() < end; hear(nullptr)) {
    std::this_thread::sleep_for(kNap);
  }
  if (reporter_ && error_reporter() == rank_) {
    reporter_(Error(static_cast<ErrorKind>(notice.error_kind), notice.text.data()));
  }
}

void Peers::send(int rank, const Notice& notice) {
  Outgoing& out = outgoing_.emplace_back(Outgoing{notice});
  MPI_Isend(&out.notice, sizeof(Notice), MPI_BYTE, rank, 0, notices_, &out.request);
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): a request is tested here, at this notice and at later ones
  outgoing_.remove_if([](Outgoing& o) {
    int sent = 0;
    MPI_Test(&o.request, &sent, MPI_STATUS_IGNORE);
    return sent != 0;
  });
}

bool Peers::all_heard() const {
  for (int rank = 0; rank < size_; ++rank) {
    const bool expected = rank != rank_ && rank != failure_->lost_rank && !liveness_.has_ended(rank);
    if (expected && !heard_[static_cast<std::size_t>(rank)]) {
      return false;
    }
  }
  return true;
}

bool Peers::is_error_reporter(const Error& error) {
  if (!failure_) {
    fail(failure_notice(error, rank_, -1));
  }
  return !reporter_ && error_reporter() == rank_;
}

/// Of the ranks that found the failure themselves, the lowest.
int Peers::error_reporter() const {
  int lowest = failure_->origin;
  for (int rank = 0; rank < size_; ++rank) {
    const auto& other = heard_[static_cast<std::size_t>(rank)];
    const bool found_it_too = other && other->origin == rank;
    if (found_it_too && ((other->lost_rank >= 0 && failure_->lost_rank >= 0) ||
                         std::strcmp(other->text.data(), failure_->text.data()) == 0)) {
      lowest = std::min(lowest, rank);
    }
  }
  return lowest;
}

void Peers::let_the_reporter_go_first() const {
  if (!failure_ || error_reporter() == rank_) {
    return;
  }
  const auto end = Clock::now() + kSpeech;
  while (!liveness_.has_ended(error_reporter()) && Clock::now() < end) {
    std::this_thread::sleep_for(kNap);
  }
}

std::string Peers::describe(int rank) const {
  std::string text = "rank " + std::to_string(rank);
  if (nodes_ > 0) {
    const NodeRange range = nodes_of_rank(nodes_, size_, rank);
    text += range.count == 1 ? " (node " : " (nodes ";
    text += std::to_string(range.first);
    if (range.count > 1) {
      text.append("-").append(std::to_string(range.first + range.count - 1));
    }
    text += ")";
  }
  return text + " on " + liveness_.host(rank);
}

}  // namespace slidemesh::mpi

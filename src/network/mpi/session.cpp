#include "session.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>

#include "slidemesh/base/hash.h"
#include "slidemesh/network/mpi_session.h"

namespace slidemesh {

namespace mpi {

Session::Session(double start_seconds) {
  const BlockingCallGuard guard(start_seconds);
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) {
    int provided = 0;
    // Threads work on nodes; only the main thread talks.
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
      throw UsageError("MPI: expected MPI_Init to succeed under mpirun, got an error");
    }
    ours_ = true;
  }
  peers_ = std::make_unique<Peers>(MPI_COMM_WORLD);
  peers_->set_timeout(start_seconds);
  collectives_ = std::make_unique<Collectives>(MPI_COMM_WORLD, *peers_);
}

Session::~Session() {
  if (!peers_ || peers_->failed()) {
    return;
  }
  try {
    finish();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): there is nobody left to tell
  }
}

void Session::require_same(std::string_view what, std::string_view content) {
  const std::uint64_t mine = hash_of(content);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(peers_->size()));
  collectives_->gather_one(mine, all);
  int different = -1;
  for (std::size_t r = all.size(); peers_->rank() == 0 && r-- > 1;) {
    different = all[r] != all[0] ? static_cast<int>(r) : different;
  }
  collectives_->broadcast(writable_bytes_of(&different, 1));
  if (different > 0) {
    const auto [first, other] = excerpts(content, different);
    throw UsageError("rank " + std::to_string(different) + ": expected the same " + std::string(what) + " as rank 0's" +
                     (first == other ? ", got another" : ", " + first + ", got " + other));
  }
}

/// What to show of rank 0's content and of rank `other`'s: all of it where it is one short line, and else nothing. The
/// fingerprints come first and alone, so that a rank of another version, which may not know of this, is named too.
std::pair<std::string, std::string> Session::excerpts(std::string_view content, int other) {
  using Excerpt = std::array<char, 256>;
  Excerpt mine{};
  if (content.size() < mine.size() && content.find('\n') == std::string_view::npos) {
    std::copy(content.begin(), content.end(), mine.begin());
  }
  std::vector<Excerpt> all(static_cast<std::size_t>(peers_->size()));
  collectives_->gather_one(mine, all);
  std::array<Excerpt, 2> both{all.front(), all[static_cast<std::size_t>(other)]};
  collectives_->broadcast(writable_bytes_of(both.data(), both.size()));
  return {both[0].data(), both[1].data()};
}

void Session::barrier() {
  std::byte nothing{};
  std::vector<std::byte> all(static_cast<std::size_t>(peers_->size()));
  collectives_->gather_one(nothing, all);
  collectives_->broadcast({&nothing, 1});
}

void Session::finish() {
  barrier();
  const BlockingCallGuard guard(peers_->timeout_seconds());
  collectives_.reset();
  peers_.reset();
  if (ours_) {
    MPI_Finalize();
  }
}

}  // namespace mpi

MpiSession::MpiSession(double start_seconds) : session_(std::make_unique<mpi::Session>(start_seconds)) {}

MpiSession::~MpiSession() = default;

int MpiSession::rank() const { return session_->peers().rank(); }

int MpiSession::size() const { return session_->peers().size(); }

void MpiSession::set_timeout(double seconds) { session_->peers().set_timeout(seconds); }

void MpiSession::require_same(std::string_view what, std::string_view content) {
  session_->require_same(what, content);
}

void MpiSession::set_reporter(std::function<void(const Error&)> reporter) {
  session_->peers().set_reporter(std::move(reporter));
}

bool MpiSession::is_error_reporter(const Error& error) { return session_->peers().is_error_reporter(error); }

void MpiSession::abandon(int exit_code) {
  std::fflush(nullptr);
  session_->peers().let_the_reporter_go_first();
  _exit(exit_code);
}

void MpiSession::finish() { session_->finish(); }

}  // namespace slidemesh

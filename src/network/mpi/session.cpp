#include "collectives.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/network/mpi_session.h"

namespace slidemesh {

namespace {

/// What to show of rank 0's content and of rank `other`'s: all of it where it is one short line, and else nothing. The
/// fingerprints come first and alone, so that a rank of another version, which may not know of this, is named too.
std::pair<std::string, std::string> excerpts(const mpi::Session& parts, std::string_view content, int other) {
  using Excerpt = std::array<char, 256>;
  Excerpt mine{};
  if (content.size() < mine.size() && content.find('\n') == std::string_view::npos) {
    std::copy(content.begin(), content.end(), mine.begin());
  }
  std::vector<Excerpt> all(static_cast<std::size_t>(parts.peers->size()));
  parts.collectives->gather_one(mine, all);
  std::array<Excerpt, 2> both{all.front(), all[static_cast<std::size_t>(other)]};
  parts.collectives->broadcast(writable_bytes_of(both.data(), both.size()));
  return {both[0].data(), both[1].data()};
}

}  // namespace

MpiSession::MpiSession(double start_seconds) : parts_(std::make_unique<mpi::Session>()) {
  const mpi::BlockingCallGuard guard(start_seconds);
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) {
    int provided = 0;
    // Threads work on nodes; only the main thread talks.
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
      fail<UsageError>("MPI", "MPI_Init to succeed under mpirun", "an error");
    }
    parts_->ours = true;
  }
  parts_->peers = std::make_unique<mpi::Peers>(MPI_COMM_WORLD);
  parts_->peers->set_timeout(start_seconds);
  parts_->collectives = std::make_unique<mpi::Collectives>(MPI_COMM_WORLD, *parts_->peers);
}

MpiSession::~MpiSession() {
  if (!parts_->peers || parts_->peers->failed()) {
    return;
  }
  try {
    finish();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): there is nobody left to tell
  }
}

int MpiSession::rank() const { return parts_->peers->rank(); }

int MpiSession::size() const { return parts_->peers->size(); }

void MpiSession::set_timeout(double seconds) { parts_->peers->set_timeout(seconds); }

void MpiSession::require_same(std::string_view what, std::string_view content) {
  const std::uint64_t mine = hash_of(content);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size()));
  parts_->collectives->gather_one(mine, all);
  int different = -1;
  for (std::size_t r = all.size(); is_root() && r-- > 1;) {
    different = all[r] != all[0] ? static_cast<int>(r) : different;
  }
  parts_->collectives->broadcast(writable_bytes_of(&different, 1));
  if (different > 0) {
    const auto [first, other] = excerpts(*parts_, content, different);
    fail<UsageError>(fmt::format("rank {}", different),
                     fmt::format("the same {} as rank 0's{}", what, first == other ? "" : ", " + first),
                     first == other ? "another" : other);
  }
}

void MpiSession::set_reporter(std::function<void(const Error&)> reporter) {
  parts_->peers->set_reporter(std::move(reporter));
}

bool MpiSession::is_error_reporter(const Error& error) { return parts_->peers->is_error_reporter(error); }

void MpiSession::abandon(int exit_code) {
  std::fflush(nullptr);
  parts_->peers->let_the_reporter_go_first();
  _exit(exit_code);
}

void MpiSession::finish() {
  parts_->collectives->barrier();
  const mpi::BlockingCallGuard guard(parts_->peers->timeout_seconds());
  parts_->collectives.reset();
  parts_->peers.reset();
  if (parts_->ours) {
    MPI_Finalize();
  }
}

}  // namespace slidemesh

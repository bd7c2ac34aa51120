// Runs on every rank; mpirun fails if any of them does. `--ranks=N` is what the test was declared with.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "mpi_fixture.h"

namespace slidemesh::test {

namespace {
MpiSession* the_session = nullptr;
}

MpiSession& session() { return *the_session; }

}  // namespace slidemesh::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int ranks = -1;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--ranks=", 8) == 0) {
      ranks = std::atoi(argv[i] + 8);
    }
  }
  slidemesh::MpiSession session;
  slidemesh::test::the_session = &session;
  if (session.size() != ranks) {
    std::fprintf(stderr, "expected %d ranks (--ranks), got %d\n", ranks, session.size());
    session.abandon(EXIT_FAILURE);
  }
  if (!session.is_root()) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  try {
    const int failed = RUN_ALL_TESTS();
    if (failed != 0 && !session.is_root()) {
      std::fprintf(stderr, "rank %d: tests failed\n", session.rank());
    }
    session.finish();
    return failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", session.rank(), error.what());
    session.abandon(EXIT_FAILURE);
  }
}

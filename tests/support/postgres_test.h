#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "slidemesh/data/store/postgres.h"
#include "support/postgres_server.h"

namespace slidemesh::testing {

/// Tests that share one throwaway server, and are skipped where there can be none.
class PostgresTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (has_postgres()) {
      server_ = PostgresServer::start_one();
    }
  }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    if (!server_) {
      GTEST_SKIP() << "this build has no libpq, or no PostgreSQL server is installed";
    }
  }

  inline static std::unique_ptr<PostgresServer> server_;
};

}  // namespace slidemesh::testing

// Sampled rows from PostgreSQL against bare libpq that does the same and no more: one prepared
// statement by key, binary, numbers decoded.
//
//   PGHOST=... PGUSER=... slidemesh_postgres_fetch [ROWS] [BATCH]
//
// It makes the table slidemesh_benchmark in the database that the PG* variables name, and drops it.

#include <libpq-fe.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/data/store/postgres.h"

namespace {

using namespace slidemesh;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 21;
constexpr int kFetches = 500;
constexpr const char* kTable = "slidemesh_benchmark";

void load(Index rows) {
  const auto file = std::filesystem::temp_directory_path() / "slidemesh-postgres-fetch.libsvm";
  {
    std::ofstream out(file);
    write_libsvm(out, make_synthetic({.rows = rows}));
  }
  const auto reader = open_libsvm(file);
  load_postgres(*reader, {.table = kTable, .replace = true});
  std::filesystem::remove(file);
}

std::uint64_t swapped(const char* data) {
  std::uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  return __builtin_bswap64(word);
}

/// The least that libpq allows.
class Bare {
 public:
  Bare() : session_(PQconnectdb("")) {
    std::string sql = "SELECT id, label";
    for (int j = 1; j <= 22; ++j) {
      sql.append(", f").append(std::to_string(j));
    }
    sql.append(" FROM ").append(kTable).append(" WHERE id = ANY($1)");
    constexpr Oid kInt8Array = 1016;
    PQclear(PQprepare(session_, "bare", sql.c_str(), 1, &kInt8Array));
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;
  ~Bare() { PQfinish(session_); }

  double fetch(const std::vector<Index>& numbers) {
    std::string question;
    const auto put32 = [&](std::uint32_t word) {
      word = __builtin_bswap32(word);
      question.append(reinterpret_cast<const char*>(&word), 4);
    };
    for (const std::uint32_t word : {1U, 0U, 20U, static_cast<std::uint32_t>(numbers.size()), 1U}) {
      put32(word);
    }
    for (const Index number : numbers) {
      put32(8);
      const std::uint64_t key = __builtin_bswap64(static_cast<std::uint64_t>(number + 1));
      question.append(reinterpret_cast<const char*>(&key), 8);
    }
    const char* value = question.data();
    const int length = static_cast<int>(question.size());
    const int binary = 1;
    PGresult* answer = PQexecPrepared(session_, "bare", 1, &value, &length, &binary, 1);
    double sum = 0.0;
    for (int r = 0; r < PQntuples(answer); ++r) {
      for (int c = 1; c < PQnfields(answer); ++c) {
        sum += std::bit_cast<double>(swapped(PQgetvalue(answer, r, c)));
      }
    }
    PQclear(answer);
    return sum;
  }

 private:
  PGconn* session_;
};

template <class Fetch>
double microseconds_a_fetch(Index rows, Index batch, int round, Fetch&& fetch) {
  RandomStream random(static_cast<std::uint64_t>(round), Purpose::kTest);
  std::vector<Index> numbers(static_cast<std::size_t>(batch));
  const auto begin = Clock::now();
  for (int i = 0; i < kFetches; ++i) {
    for (Index& number : numbers) {
      number = random.index(rows);
    }
    fetch(numbers);
  }
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / kFetches;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const Index rows = argc > 1 ? std::atol(argv[1]) : 50000;
  const Index batch = argc > 2 ? std::atol(argv[2]) : 16;
  load(rows);
  const auto table = open_postgres({.table = kTable});
  const auto source = table->sources(split_rows(table->labels(), 1)).front();
  Bare bare;
  std::vector<double> ours;
  std::vector<double> least;
  for (int round = 0; round < kRounds; ++round) {  // in turn, so that both see the same machine
    least.push_back(microseconds_a_fetch(rows, batch, round, [&](const std::vector<Index>& n) { bare.fetch(n); }));
    ours.push_back(microseconds_a_fetch(
        rows, batch, round, [&](const std::vector<Index>& n) { source->fetch(AccessPurpose::kGradient, n); }));
  }
  std::printf("%ld rows of %ld by key: bare libpq %.1f us, slidemesh %.1f us, ratio %.2f (limit 1.5)\n",
              static_cast<long>(batch), static_cast<long>(rows), median(least), median(ours),
              median(ours) / median(least));
  PGconn* session = PQconnectdb("");
  PQclear(PQexec(session, (std::string("DROP TABLE ") + kTable).c_str()));
  PQfinish(session);
  return median(ours) <= 1.5 * median(least) ? 0 : 1;
}

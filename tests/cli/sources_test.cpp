// Data where it lives: the same rows from every kind of store give one answer, and a store that goes away costs nothing
// but time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "program.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/data/store/postgres.h"
#include "support/postgres_test.h"
#include "support/row_tables.h"

namespace slidemesh {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::run_program;
using testing::slurp;
using testing::TempDir;

constexpr const char* kMethods =
    "[[method]]\nname = \"ipds\"\nlabel = \"exact\"\nouter_steps = 6\n"
    "[[method]]\nname = \"ipds\"\nlabel = \"sampled\"\nouter_steps = 8\ngradients = \"sampled\"\nc = 0.2\n"
    "[[method]]\nname = \"defw\"\nouter_steps = 12\ngradients = \"sampled\"\nbatch = 7\n"
    "[[method]]\nname = \"ipds-vr\"\nouter_steps = 40\n"
    "[[method]]\nname = \"newton-sliding\"\nouter_steps = 20\n"
    "[output]\nreference = false\nevery = 3\n";

class Sources : public testing::PostgresTest {
 protected:
  /// The same table in three files and a database.
  void store(const Rows& rows) {
    const auto write = [&](const char* name, void (*writer)(std::ostream&, const Rows&)) {
      std::ofstream file(directory_ / name);
      writer(file, rows);
    };
    write("rows.svm", write_libsvm);
    write("rows.csv", write_csv);
    write("rows.mtx", write_matrix_market);
    const Outcome load =
        run_program(directory_, "data load rows.svm --replace --table rows --dsn '" + server_->dsn() + "'");
    ASSERT_EQ(load.exit_code, 0) << load.error;
  }

  [[nodiscard]] static std::string from_postgres() {
    return "source = \"postgres\"\ntable = \"rows\"\nretry_seconds = 1.0\ndsn = \"" + server_->dsn() + "\"\n";
  }

  /// Model and trace, times aside, of a run with this [data].
  [[nodiscard]] std::string answer(const std::string& data, const std::string& methods, const std::string& out) {
    static_cast<void>(
        directory_.write("c.toml", "seed = 5\n[data]\n" + data + "[network]\ngraph = \"ring\"\nnodes = 5\n" + methods));
    const Outcome run = run_program(directory_, "run c.toml --quiet --overwrite --out " + out);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    return result(out);
  }

  [[nodiscard]] std::string result(const std::string& out) const {
    std::istringstream lines(slurp(directory_ / (out + "/trace.jsonl")));
    json model = json::parse(slurp(directory_ / (out + "/model.json")));
    for (json& one : model["models"]) {  // a file without names numbers its columns: that differs, and nothing else
      one.erase("feature_names");
      one["data"].erase("columns");
      one["data"].erase("label");
    }
    std::string all = model.dump();
    for (std::string line; std::getline(lines, line);) {
      json parsed = json::parse(line);
      parsed.erase("seconds");
      all += parsed.dump() + '\n';
    }
    return all;
  }

  [[nodiscard]] json summary(const std::string& out) const {
    return json::parse(slurp(directory_ / (out + "/summary.json")))["runs"];
  }

  TempDir directory_;
};

TEST_F(Sources, GiveOneAnswerExactAndSampled) {
  for (const bool sparse : {false, true}) {
    store(sparse ? testing::sparse_table(200, 150) : make_synthetic({.rows = 203}));
    for (const std::string more : {"", "split = \"by-label\"\nscaling = \"max-abs\"\nintercept = true\n"}) {
      const std::string expected = answer("path = \"rows.svm\"\n" + more, kMethods, "svm");
      EXPECT_THAT(expected, HasSubstr("\"label\":\"ipds-vr\""));
      EXPECT_THAT(expected, HasSubstr("\"label\":\"newton-sliding\""));
      EXPECT_EQ(answer("path = \"rows.csv\"\n" + more, kMethods, "csv"), expected);
      EXPECT_EQ(answer("path = \"rows.mtx\"\n" + more, kMethods, "mtx"), expected);
      EXPECT_EQ(answer("path = \"rows.svm\"\nrows = \"streamed\"\n" + more, kMethods, "streamed"), expected);
      const std::string indices = sparse ? "indices = \"indices\"\n" : "";
      EXPECT_EQ(answer(from_postgres() + indices + more, kMethods, "sql"), expected);
      EXPECT_EQ(answer(from_postgres() + indices + "prefetch = false\n" + more, kMethods, "waits"), expected);
    }
  }
}

TEST_F(Sources, GiveOneAnswerWithSparseModels) {
  const std::string method =
      "[[method]]\nname = \"newton-sliding\"\nfavour = \"data\"\nouter_steps = 12\n[output]\nreference = false\n";
  store(testing::sparse_table(100, 700));
  for (const std::string more : {"", "split = \"by-label\"\nscaling = \"max-abs\"\nintercept = true\n"}) {
    const std::string expected = answer("path = \"rows.svm\"\n" + more, method, "svm");
    EXPECT_EQ(answer("path = \"rows.csv\"\n" + more, method, "csv"), expected);
    EXPECT_EQ(answer("path = \"rows.svm\"\nrows = \"streamed\"\n" + more, method, "streamed"), expected);
    EXPECT_EQ(answer(from_postgres() + "indices = \"indices\"\n" + more, method, "sql"), expected);
  }
}

TEST_F(Sources, TheLedgerOfADatabaseAddsUpToTheMeters) {
  store(make_synthetic({.rows = 203}));
  static_cast<void>(answer(from_postgres() + "ledger = \"ledger.jsonl\"\n", kMethods, "out"));
  std::map<std::string, Count> rows;
  std::map<std::string, Count> accesses;
  std::istringstream lines(slurp(directory_ / "out/ledger.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const json entry = json::parse(line);
    const std::string purpose = entry["purpose"];
    if (purpose == "gradient" || purpose == "certificate" || purpose == "smoothness") {
      const std::string whose = purpose == "smoothness" ? "everyone" : entry["method"].get<std::string>();
      rows[whose] += entry["rows"].get<Count>();
      ++accesses[whose];
    }
  }
  const auto charged = [](std::map<std::string, Count>& counts, const json& run) {  // smoothness to all who go by it
    const bool goes_by_it = run["method"].get<std::string>().starts_with("ipds");
    return counts[run["label"]] + (goes_by_it ? counts["everyone"] : 0);
  };
  for (const json& run : summary("out")) {
    EXPECT_EQ(charged(rows, run), run["data_oracle_calls"]) << run["label"];
    EXPECT_EQ(charged(accesses, run), run["data_oracle_accesses"]) << run["label"];
  }
}

/// The server counts what it reads of a table, whoever asks. Nothing that the program reads may be missing in the
/// ledger, and nothing may be in it that was not read: not where a batch has a row twice, nor where rows are asked for
/// ahead, nor while the data is opened and scaled.
TEST_F(Sources, TheLedgerIsWhatTheServerSaysThatItRead) {
  store(make_synthetic({.rows = 203}));
  const auto read_by_server = [] {
    return std::stol(
        server_->query("SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) "
                       "FROM pg_stat_user_tables WHERE relname = 'rows'"));
  };
  for (const std::string more :
       {"", "scaling = \"max-abs\"\n", "scaling = \"standard\"\nintercept = true\nsplit = \"by-label\"\n",
        "scaling = \"standard\"\nprefetch = false\nsplit = \"shuffled\"\n"}) {
    const Count before = read_by_server();
    static_cast<void>(answer(from_postgres() + "ledger = \"ledger.jsonl\"\n" + more, kMethods, "out"));
    Count recorded = 0;
    std::set<std::string> purposes;
    std::istringstream lines(slurp(directory_ / "out/ledger.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const json entry = json::parse(line);
      recorded += entry["read"].get<Count>();
      purposes.insert(entry["purpose"]);
    }
    EXPECT_TRUE(purposes.contains("load"));
    EXPECT_EQ(purposes.contains("preparation"), !more.empty());
    // A session tells what it counted when it ends, which may be a moment after the program does.
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (read_by_server() - before != recorded && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(read_by_server() - before, recorded) << more;
  }
}

TEST_F(Sources, AskTheServerForNothingThatItHasNot) {
  store(make_synthetic({.rows = 203}));
  const std::string log = server_->log();
  static_cast<void>(answer(from_postgres() + "scaling = \"standard\"\n", kMethods, "out"));
  EXPECT_THAT(server_->log().substr(log.size()), Not(HasSubstr("ERROR")));
  const Outcome again = run_program(directory_, "data load rows.svm --table rows --dsn '" + server_->dsn() + "'");
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_THAT(again.error,
              HasSubstr("postgres table \"rows\": expected no table of this name, got one (--replace drops "
                        "it first)"));
}

/// Nothing is asked for that a budget does not allow, not even ahead of time.
TEST_F(Sources, ABudgetIsNotOverspentByAskingAhead) {
  store(make_synthetic({.rows = 203}));
  static_cast<void>(
      directory_.write("c.toml", "seed = 5\n[stop]\ndata_oracle_calls = 300\n[data]\nledger = \"ledger.jsonl\"\n" +
                                     from_postgres() + "[network]\nnodes = 5\n" + kMethods));
  EXPECT_EQ(run_program(directory_, "run c.toml --quiet --out out").exit_code, 4);
  EXPECT_THAT(slurp(directory_ / "out/ledger.jsonl"), Not(HasSubstr("\"purpose\":\"prefetch\"")));
  for (const json& run : summary("out")) {
    EXPECT_LE(run["data_oracle_calls"], 300) << run["label"];
  }
}

/// A long run whose server goes, and comes back for the run that goes on.
TEST_F(Sources, AServerThatIsGoneStopsTheRunAndCostsNothing) {
  store(make_synthetic({.rows = 203}));
  const std::string methods =
      "[[method]]\nname = \"defw\"\nouter_steps = 5000\ngradients = \"sampled\"\nbatch = 7\n"
      "[output]\nreference = false\nevery = 1000\ncheckpoint_every = 10\n";
  const std::string expected = answer("path = \"rows.svm\"\n", methods, "whole");
  const std::string config = from_postgres();
  static_cast<void>(
      directory_.write("c.toml", "seed = 5\n[data]\n" + config + "[network]\ngraph = \"ring\"\nnodes = 5\n" + methods));

  auto run = std::async(std::launch::async, [&] { return run_program(directory_, "run c.toml --quiet --out out"); });
  const auto checkpoints = directory_ / "out/checkpoints";
  while (!std::filesystem::exists(checkpoints) || std::filesystem::is_empty(checkpoints)) {
    ASSERT_EQ(run.wait_for(std::chrono::milliseconds(10)), std::future_status::timeout) << "it ended by itself";
  }
  server_->kill();
  const Outcome stopped = run.get();
  server_->start();
  EXPECT_EQ(stopped.exit_code, 4);
  EXPECT_THAT(stopped.error, HasSubstr("postgres table \"rows\": expected the server to come back within "
                                       "data.retry_seconds, got: "));
  EXPECT_EQ(std::count(stopped.error.begin(), stopped.error.end(), '\n'), 1) << stopped.error;
  EXPECT_EQ(summary("out")[0]["status"], "failed");

  const Outcome resumed = run_program(directory_, "run c.toml --quiet --out out --resume");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_EQ(summary("out")[0]["status"], "finished");
  EXPECT_EQ(result("out"), expected);
}

TEST_F(Sources, PasswordsReachNoFileAndNoMessage) {
  store(make_synthetic({.rows = 203}));
  const std::string secret = "hunter2secret";
  std::string data = from_postgres();
  data.insert(data.rfind('"'), " password=" + secret);
  static_cast<void>(answer(data + "ledger = \"ledger.jsonl\"\n", kMethods, "out"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_ / "out")) {
    if (entry.is_regular_file()) {
      EXPECT_THAT(slurp(entry.path()), Not(HasSubstr(secret))) << entry.path();
    }
  }
  const Outcome away =
      run_program(directory_, "run c.toml --out away --set 'data.dsn=\"host=/no/such/place password=" + secret + "\"'");
  EXPECT_NE(away.exit_code, 0);
  EXPECT_THAT(away.error, HasSubstr("expected"));
  EXPECT_THAT(away.error + away.out, Not(HasSubstr(secret)));
  const Outcome load =
      run_program(directory_, "data load rows.svm --table rows --dsn 'postgresql://bob:" + secret + "@localhost:1/db'");
  EXPECT_NE(load.exit_code, 0);
  EXPECT_THAT(load.error + load.out, Not(HasSubstr(secret)));
}

}  // namespace
}  // namespace slidemesh

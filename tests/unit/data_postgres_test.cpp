#include "slidemesh/data/store/postgres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/variance_reduction.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/data/ledger.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/losses/least_squares.h"
#include "slidemesh/network/in_process.h"
#include "support/error_text.h"
#include "support/postgres_test.h"
#include "support/row_tables.h"

namespace slidemesh {
namespace {

using testing::collect;
using testing::copy_of;
using ::testing::ElementsAre;
using testing::error_text;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::sparse_table;
using testing::TempDir;

class Postgres : public testing::PostgresTest {
 protected:
  static DatabaseOptions options(const std::string& table) { return {.dsn = {server_->dsn()}, .table = table}; }

  static Index load(const Rows& rows, const std::string& table) {
    const TempDir dir;
    std::ostringstream text;
    write_libsvm(text, rows);
    const auto reader = open_libsvm(dir.write("t", text.str()));
    return load_postgres(*reader, {.dsn = server_->dsn(), .table = table, .replace = true});
  }

  static std::shared_ptr<RowSource> whole(RowStore& table) {
    return table.sources(split_rows(table.labels(), 1)).front();
  }

  static std::string open_error(const DatabaseOptions& o) {
    return error_text<Error>([&] { (void)open_postgres(o); });
  }

  /// For two splits and these scalings: rows that the server says it read of table `counted`, whose key this is.
  static void expect_ledger_of_server(const std::string& key, const std::vector<Scaling>& scalings) {
    const auto read_by_server = [] {
      return std::stol(
          server_->query("SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables "
                         "WHERE relname = 'counted'"));
    };
    for (const SplitRule rule : {SplitRule::kContiguous, SplitRule::kShuffled}) {
      for (const Scaling scaling : scalings) {
        Count before = -1;
        for (Count now = read_by_server(); now != before; now = read_by_server()) {
          before = now;  // what sessions that are closed have yet to tell
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        Count recorded = 0;
        {
          InProcessNetwork network(Graph(3, std::vector<Edge>{{0, 1}, {1, 2}}));
          Ledger ledger({}, 0, 3);
          DataSpec spec = {.source = DataSourceKind::kPostgres, .database = options("counted")};
          spec.database.key = key;
          spec.split.rule = rule;
          spec.preparation.scaling = scaling;
          const Dataset data = load_dataset(spec, LabelKind::kBinary, network, &ledger);
          for (const auto& node : data.nodes) {
            collect(*node, AccessPurpose::kGradient);
            (void)node->fetch(AccessPurpose::kGradient, std::vector<Index>{7, 7, 3});
            node->prefetch(AccessPurpose::kGradient, std::vector<Index>{1, 2, 1, 9, 9});
            (void)node->fetch(AccessPurpose::kGradient, std::vector<Index>{1, 2});
            (void)node->fetch(AccessPurpose::kGradient, std::vector<Index>{4, 5});
          }
          recorded = ledger.rows_read_in_opening() + ledger.rows_read();
        }
        // A session tells what it counted when it ends, which may be a moment after it is closed.
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (read_by_server() - before != recorded && std::chrono::steady_clock::now() < give_up) {
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        EXPECT_EQ(read_by_server() - before, recorded) << to_string(scaling) << ' ' << to_string(rule);
      }
    }
    EXPECT_THAT(server_->log(), Not(HasSubstr("prepared statement")));
  }
};

TEST_F(Postgres, GivesTheSameBitsAsMemoryUnderEverySplit) {
  for (const bool sparse : {false, true}) {
    const auto memory = std::make_shared<const Rows>(sparse ? sparse_table(900, 300) : make_synthetic({.rows = 900}));
    EXPECT_EQ(load(*memory, "same"), 900);
    DatabaseOptions o = options("same");
    o.indices = sparse ? "indices" : "";
    const auto table = open_postgres(o);
    EXPECT_EQ(table->features(), memory->features);
    EXPECT_EQ(table->nonzeros(), memory->nonzeros());
    EXPECT_EQ(table->labels(), memory->labels);
    EXPECT_EQ(table->key(0), RowKey(1));
    for (const SplitRule rule :
         {SplitRule::kContiguous, SplitRule::kShuffled, SplitRule::kByLabel, SplitRule::kDirichlet}) {
      const Partition partition = split_rows(memory->labels, 3, {.rule = rule});
      const auto expected = node_sources(memory, partition, 0, 3);
      const auto actual = table->sources(partition);
      for (std::size_t i = 0; i < 3; ++i) {
        expected[i]->scan(AccessPurpose::kValue,
                          [&](const RowBlock& block, Index) { EXPECT_EQ(block.offsets != nullptr, sparse); });
        actual[i]->scan(AccessPurpose::kValue,
                        [&](const RowBlock& block, Index) { EXPECT_EQ(block.offsets != nullptr, sparse); });
        EXPECT_EQ(collect(*actual[i]).values, collect(*expected[i]).values);
        EXPECT_EQ(collect(*actual[i]).labels, collect(*expected[i]).labels);
        const std::vector<Index> numbers = {7, 0, 7, 3, actual[i]->rows() - 1};
        for (const bool ahead : {false, true}) {
          if (ahead) {
            actual[i]->prefetch(AccessPurpose::kGradient, numbers);
          }
          EXPECT_EQ(copy_of(actual[i]->fetch(AccessPurpose::kGradient, numbers)).values,
                    copy_of(expected[i]->fetch(AccessPurpose::kGradient, numbers)).values);
        }
      }
    }
  }
}

TEST_F(Postgres, APrefetchThatIsNotUsedDoesNoHarm) {
  load(make_synthetic({.rows = 100}), "prefetch");
  const auto table = open_postgres(options("prefetch"));
  const auto source = whole(*table);
  const std::vector<Index> first = {1, 2};
  const std::vector<Index> second = {3};
  source->prefetch(AccessPurpose::kGradient, first);
  EXPECT_EQ(source->fetch(AccessPurpose::kGradient, second).count, 1);
  source->prefetch(AccessPurpose::kGradient, first);
  EXPECT_EQ(collect(*source).labels.size(), 100U);
  source->prefetch(AccessPurpose::kGradient, first);
  source->prefetch(AccessPurpose::kGradient, second);
  EXPECT_EQ(source->fetch(AccessPurpose::kGradient, second).count, 1);
}

TEST_F(Postgres, RowsThatWereAskedForAheadAreServedInTurn) {
  const auto memory = std::make_shared<const Rows>(make_synthetic({.rows = 100}));
  load(*memory, "turns");
  const auto table = open_postgres(options("turns"));
  const auto source = whole(*table);
  MemorySource expected(memory, 0, 100);
  const auto serves = [&](const std::vector<Index>& numbers) {
    EXPECT_EQ(copy_of(source->fetch(AccessPurpose::kGradient, numbers)).values,
              copy_of(expected.fetch(AccessPurpose::kGradient, numbers)).values);
  };
  source->prefetch(AccessPurpose::kGradient, std::vector<Index>{4, 9, 4, 1, 9, 7});
  serves({4, 9});
  server_->sql("ALTER TABLE turns RENAME TO hidden");  // what has arrived is served from here, without a question
  serves({4, 1, 9});
  server_->sql("ALTER TABLE hidden RENAME TO turns");
  serves({8});  // another than was foreseen
  serves({7});
}

Problem problem_of(const std::vector<std::shared_ptr<RowSource>>& sources) {
  Problem problem;
  for (const auto& source : sources) {
    problem.objectives.push_back(std::make_shared<RowObjective>(source, std::make_shared<LeastSquares>()));
  }
  return problem;
}

/// The same rows in memory and in a table, over a path of three nodes each.
struct NearAndFar {
  NearAndFar(const Rows& rows, RowStore& table, const SplitOptions& split)
      : memory(std::make_shared<const Rows>(rows)),
        partition(split_rows(rows.labels, 3, split)),
        in_memory(problem_of(node_sources(memory, partition, 0, 3))),
        in_database(problem_of(table.sources(partition))) {}

  std::shared_ptr<const Rows> memory;
  Partition partition;
  InProcessNetwork near{Graph(3, std::vector<Edge>{{0, 1}, {1, 2}})};
  InProcessNetwork far{Graph(3, std::vector<Edge>{{0, 1}, {1, 2}})};
  Problem in_memory;
  Problem in_database;
  DataOracle expected{in_memory, near.meters(), near.first_node(), 1};
  DataOracle actual{in_database, far.meters(), far.first_node(), 1};
};

TEST_F(Postgres, PrefetchedBatchesChangeNothing) {
  const Rows rows = make_synthetic({.rows = 300});
  load(rows, "ahead");
  const auto table = open_postgres(options("ahead"));
  NearAndFar both(rows, *table, {.rule = SplitRule::kShuffled});
  const Stacked x = Stacked::Ones(22, 3);
  Stacked v(22, 3);
  Stacked w(22, 3);
  constexpr int kLast = 20;
  const auto batch = [](int step) { return Count{step}; };  // several steps a question, then one
  for (int step = 1; step <= kLast; ++step) {
    both.expected.sampled_gradient(x, batch(step), step, true, v);
    both.actual.sampled_gradient(x, batch(step), step, true, w);
    EXPECT_EQ(v, w) << step;
    both.actual.prefetch(batch, step + 1, kLast, true);
    if (step % 2 == 0) {  // a trace comes between
      both.actual.gradient(x, w);
      both.expected.gradient(x, v);
      EXPECT_EQ(v, w);
    }
  }
  EXPECT_EQ(both.near.meters().totals(), both.far.meters().totals());
}

TEST_F(Postgres, PrefetchedCorrectionsChangeNothing) {
  const Rows rows = make_synthetic({.rows = 300});
  load(rows, "ahead");
  const auto table = open_postgres(options("ahead"));
  NearAndFar both(rows, *table, {});
  Stacked x = Stacked::Ones(22, 3);
  Stacked v(22, 3);
  Stacked w(22, 3);
  VarianceReduction expected(both.expected, 1);
  VarianceReduction actual(both.actual, 1);
  expected.snapshot(x, v);
  actual.snapshot(x, w);
  VarianceReduction::Snapshot snapshot{x, v};
  VarianceReduction::Snapshot same = snapshot;
  Vector variance(3);
  Vector same_variance(3);
  for (int step = 0; step < 20; ++step) {  // more than a hundred rows per node: over a reshuffle
    x *= 0.9;
    // What was foreseen comes true, or comes true in part, or not at all.
    const std::vector<Count> batch = {12, step % 3 == 0 ? 4 : 12, step % 5 == 0 ? 20 : 12};
    expected.corrected_gradient(x, batch, snapshot, v, variance);
    actual.corrected_gradient(x, batch, same, w, same_variance);
    EXPECT_EQ(v, w) << step;
    EXPECT_EQ(variance, same_variance) << step;
    actual.prefetch(std::vector<Count>{12, 12, 12});
    if (step % 4 == 3) {  // a snapshot comes between
      expected.snapshot(x, v);
      actual.snapshot(x, w);
      snapshot = same = {x, v};
    }
  }
  EXPECT_EQ(both.near.meters().totals(), both.far.meters().totals());
}

TEST_F(Postgres, ManyNodesShareConnections) {
  const auto memory = std::make_shared<const Rows>(make_synthetic({.rows = 200}));
  load(*memory, "many");
  const auto table = open_postgres(options("many"));
  const Partition partition = split_rows(memory->labels, 80);
  const auto sources = table->sources(partition);
  const auto expected = node_sources(memory, partition, 0, 80);
  for (std::size_t i = 0; i < 80; ++i) {
    const std::vector<Index> numbers = {1, 0};
    sources[i]->prefetch(AccessPurpose::kGradient, numbers);
    EXPECT_EQ(copy_of(sources[i]->fetch(AccessPurpose::kGradient, numbers)).values,
              copy_of(expected[i]->fetch(AccessPurpose::kGradient, numbers)).values);
  }
}

TEST_F(Postgres, TakesQueriesArraysAndChosenColumns) {
  server_->sql(
      "DROP TABLE IF EXISTS mixed; CREATE TABLE mixed (k int, y smallint, note text, a real, b numeric, v float8[]);"
      "INSERT INTO mixed VALUES (2, 1, 'x', 0.5, 0.1, '{1,0,3}'), (1, -1, 'y', 1, 2, '{0,5,0}')");
  DatabaseOptions o{.dsn = {server_->dsn()}, .table = "public.mixed", .key = "k", .label = "y", .features = {"b", "a"}};
  auto table = open_postgres(o);
  EXPECT_THAT(table->labels(), ElementsAre(-1, 1));
  EXPECT_THAT(collect(*whole(*table)).values, ElementsAre(2, 1, 0.1, 0.5));
  o.features = {"v"};
  EXPECT_THAT(collect(*whole(*open_postgres(o))).values, ElementsAre(0, 5, 0, 1, 0, 3));
  const DatabaseOptions query{.dsn = {server_->dsn()},
                              .query = "SELECT k AS id, y AS label, a * 2 AS twice FROM mixed WHERE k > 1;"};
  EXPECT_THAT(collect(*whole(*open_postgres(query))).values, ElementsAre(1));
  o.max_rows = 1;
  EXPECT_EQ(open_postgres(o)->rows(), 1);
}

TEST_F(Postgres, NodesMayHaveTablesOfTheirOwn) {
  const Rows rows = make_synthetic({.rows = 60});
  load(rows, "part_0");
  load(select_rows(rows, std::vector<Index>{4, 5, 6}), "part_1");
  const std::vector<Edge> edges = {{0, 1}};
  InProcessNetwork network(Graph(2, edges));
  DatabaseOptions o = options("part_{node}");
  EXPECT_TRUE(has_table_per_node(o));
  DataSpec spec = {.source = DataSourceKind::kPostgres, .database = o};
  const Dataset data = load_dataset(spec, LabelKind::kBinary, network);
  EXPECT_EQ(data.nodes[0]->rows(), 60);
  EXPECT_EQ(data.nodes[1]->rows(), 3);
  EXPECT_EQ(data.keys[1](2), RowKey(3));
  EXPECT_GT(network.meters().totals().bytes_sent, 0);
  spec.database.dsn = {server_->dsn(), server_->dsn(), server_->dsn()};
  EXPECT_EQ(error_text<UsageError>([&] { (void)load_dataset(spec, LabelKind::kBinary, network); }),
            "data.dsn: expected one connection string or 2, one per node, got 3");
  load(make_synthetic({.rows = 20, .features = 9}), "part_1");
  spec.database = o;
  EXPECT_EQ(error_text<DataError>([&] { (void)load_dataset(spec, LabelKind::kBinary, network); }),
            "table of node 1: expected a column called 'f10' as node 0 has, got none");
}

/// The server counts what it reads of a table, whoever asks: neither more nor less than the ledger has.
TEST_F(Postgres, TheLedgerIsWhatTheServerSaysThatItRead) {
  load(make_synthetic({.rows = 203}), "counted");
  expect_ledger_of_server("id", {Scaling::kNone, Scaling::kMaxAbs, Scaling::kStandard});
  for (const std::string type : {"text", "varchar(40)", "uuid"}) {
    load(make_synthetic({.rows = 203}), "counted");
    const std::string name = type == "uuid" ? "md5(id::text)::uuid" : "'O''Brien \"' || (id * 7919 % 1000) || '\\é'";
    server_->sql("ALTER TABLE counted ADD who " + type + "; UPDATE counted SET who = " + name +
                 "; ALTER TABLE counted DROP id; ALTER TABLE counted ADD PRIMARY KEY (who); ANALYZE counted");
    expect_ledger_of_server("who", {Scaling::kStandard});
  }
}

/// Keys that are text are in the order of the server, and what happens to a row is noticed by its name.
TEST_F(Postgres, TextKeysAreReadByKeyAndByRange) {
  load(make_synthetic({.rows = 60}), "named");
  server_->sql(
      "ALTER TABLE named ADD who text COLLATE \"en-x-icu\"; "
      "UPDATE named SET who = chr((CASE WHEN id % 2 = 0 THEN 97 ELSE 65 END) + (id % 26)::int) || ' Åß' || id; "
      "ALTER TABLE named DROP id; ALTER TABLE named ADD PRIMARY KEY (who)");
  DatabaseOptions o = options("named");
  o.key = "who";
  const auto table = open_postgres(o);
  EXPECT_EQ(table->rows(), 60);
  EXPECT_EQ(to_text(table->key(59)) + "\n", server_->query("SELECT who FROM named ORDER BY who DESC LIMIT 1"));
  const auto source = whole(*table);
  const Rows all = collect(*source);
  const std::vector<Index> numbers = {41, 3, 41};
  const RowBlock some = source->fetch(AccessPurpose::kGradient, numbers);
  for (Index r = 0; r < 3; ++r) {
    const auto row = static_cast<std::size_t>(numbers[static_cast<std::size_t>(r)]);
    EXPECT_EQ(some.label(r), all.labels[row]);
    EXPECT_EQ(some.values[some.storage_row(r) * some.features],
              all.values[row * static_cast<std::size_t>(all.features)]);
  }
  const std::string name = to_text(table->key(3));
  server_->sql("DELETE FROM named WHERE who = '" + name + "'");
  for (const bool fetch : {false, true}) {
    EXPECT_EQ(
        error_text<DataError>([&] {
          fetch ? static_cast<void>(source->fetch(AccessPurpose::kGradient, numbers))
                : static_cast<void>(collect(*source));
        }),
        "postgres table \"named\": row with key '" + name + "': expected it to stay, got it deleted during the run");
  }
  server_->sql("INSERT INTO named SELECT * FROM named LIMIT 0; UPDATE named SET who = 'a new one' WHERE who = '" +
               to_text(table->key(59)) + "'");
  EXPECT_THAT(error_text<DataError>([&] { collect(*source); }),
              HasSubstr("row with key 'a new one': expected no new rows"));
}

TEST_F(Postgres, SparseTablesOfNodesMayDifferInWidth) {
  load(sparse_table(50, 300, 1), "part_0");
  load(sparse_table(50, 200, 2), "part_1");
  const std::vector<Edge> edges = {{0, 1}};
  InProcessNetwork network(Graph(2, edges));
  DatabaseOptions o = options("part_{node}");
  o.indices = "indices";
  const DataSpec spec = {.source = DataSourceKind::kPostgres, .database = o};
  const Dataset data = load_dataset(spec, LabelKind::kBinary, network);
  EXPECT_GT(data.features, 200);
  for (const auto& node : data.nodes) {
    EXPECT_EQ(node->features(), data.features);
    EXPECT_EQ(collect(*node).values.size(), static_cast<std::size_t>(50 * data.features));
  }
}

TEST_F(Postgres, NoticesRowsThatChangeGoOrCome) {
  const auto message = [&](const std::string& statement, bool fetch) {
    load(make_synthetic({.rows = 50}), "moving");
    const auto table = open_postgres(options("moving"));
    const auto source = whole(*table);
    collect(*source);
    server_->sql(statement);
    const std::vector<Index> numbers = {9, 19};
    return error_text<DataError>([&] {
      fetch ? static_cast<void>(source->fetch(AccessPurpose::kGradient, numbers)) : static_cast<void>(collect(*source));
    });
  };
  for (const bool fetch : {false, true}) {
    EXPECT_EQ(message("UPDATE moving SET f3 = f3 + 1 WHERE id = 20", fetch),
              "postgres table \"moving\": row with key 20: expected it to stay as it was, got a change during the run");
    EXPECT_EQ(message("UPDATE moving SET label = -label WHERE id = 20", fetch),
              "postgres table \"moving\": row with key 20: expected it to stay as it was, got a change during the run");
    EXPECT_EQ(message("DELETE FROM moving WHERE id = 20", fetch),
              "postgres table \"moving\": row with key 20: expected it to stay, got it deleted during the run");
  }
  EXPECT_EQ(message("DELETE FROM moving WHERE id = 50", false),
            "postgres table \"moving\": row with key 50: expected it to stay, got it deleted during the run");
  EXPECT_EQ(
      message("UPDATE moving SET id = 1000 WHERE id = 50; INSERT INTO moving SELECT * FROM moving WHERE false", false),
      "postgres table \"moving\": row with key 50: expected it to stay, got it deleted during the run");
}

TEST_F(Postgres, ComesBackAfterTheServerDid) {
  const Rows rows = make_synthetic({.rows = 40000});
  load(rows, "large");
  DatabaseOptions patient = options("large");
  patient.retry_seconds = 200.0;  // a busy machine may need a while to start a server
  const auto table = open_postgres(patient);
  const auto source = whole(*table);
  std::vector<double> values;
  source->scan(AccessPurpose::kGradient, [&](const RowBlock& block, Index first) {
    const Rows piece = copy_of(block);
    EXPECT_EQ(static_cast<std::size_t>(first * 22), values.size());
    values.insert(values.end(), piece.values.begin(), piece.values.end());
    if (first == 0) {
      server_->kill();
      server_->launch(std::chrono::milliseconds(400));
    }
  });
  EXPECT_EQ(values, rows.values);

  const std::vector<Index> numbers = {3, 1};
  source->prefetch(AccessPurpose::kGradient, numbers);
  server_->kill();
  server_->start();
  EXPECT_EQ(copy_of(source->fetch(AccessPurpose::kGradient, numbers)).labels.size(), 2U);
}

TEST_F(Postgres, GivesUpOnAServerThatStaysAway) {
  load(make_synthetic({.rows = 50}), "lost");
  DatabaseOptions o = options("lost");
  o.retry_seconds = 0.3;
  const auto table = open_postgres(o);
  const auto source = whole(*table);
  server_->kill();
  const std::string message = error_text<SourceLostError>([&] { collect(*source); });
  server_->start();
  EXPECT_THAT(message,
              HasSubstr("postgres table \"lost\": expected the server to come back within data.retry_seconds, got: "));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  EXPECT_EQ(collect(*source).labels.size(), 50U);
}

TEST_F(Postgres, NamesAreNamesAndNeverStatements) {
  load(make_synthetic({.rows = 10}), "precious");
  for (const std::string hostile : {"x\"; DROP TABLE precious; --", "precious; DROP TABLE precious",
                                    "'; DROP TABLE precious; --", "precious\" WHERE true) TO PROGRAM 'true' --"}) {
    EXPECT_THAT(open_error(options(hostile)), HasSubstr("expected an answer from PostgreSQL, got: relation"))
        << hostile;
    DatabaseOptions o = options("precious");
    o.key = hostile;
    EXPECT_THAT(open_error(o), HasSubstr("data.key: expected a column of"));
    o = options("precious");
    o.label = hostile;
    EXPECT_THAT(open_error(o), HasSubstr("expected a column of"));
    o = options("precious");
    o.features = {hostile};
    EXPECT_THAT(open_error(o), HasSubstr("data.features: expected a column of"));
    load(make_synthetic({.rows = 5}), hostile.substr(0, 12));
    EXPECT_EQ(open_postgres(options(hostile.substr(0, 12)))->rows(), 5);
  }
  EXPECT_EQ(open_postgres(options("precious"))->rows(), 10);
}

TEST_F(Postgres, HostileColumnNamesAreReadAsColumns) {
  server_->sql(
      "DROP TABLE IF EXISTS odd; CREATE TABLE odd (id int, label int, \"a\"\"; DROP TABLE odd; --\" float8, \"$1\" "
      "float8);"
      "INSERT INTO odd VALUES (1, 1, 2, 3)");
  EXPECT_THAT(collect(*whole(*open_postgres(options("odd")))).values, ElementsAre(2, 3));
}

TEST_F(Postgres, QueriesCannotWrite) {
  load(make_synthetic({.rows = 10}), "precious");
  for (const char* query : {"DELETE FROM precious RETURNING id, label, f1", "SELECT 1) AS x; DROP TABLE precious; --",
                            "WITH gone AS (DELETE FROM precious RETURNING *) SELECT id, label, f1 FROM gone"}) {
    EXPECT_THAT(open_error({.dsn = {server_->dsn()}, .query = query}),
                HasSubstr("expected an answer from PostgreSQL, got: "))
        << query;
  }
  EXPECT_EQ(open_postgres(options("precious"))->rows(), 10);
}

TEST_F(Postgres, CredentialsStayOutOfMessages) {
  const std::string secret = "hunter2secret";
  const std::vector<std::string> strings = {
      "host=/no/such/place password=" + secret,  "postgresql://bob:" + secret + "@localhost:1/db",
      "host=/no/such/place password='" + secret, "nonsense " + secret,
      "postgresql://bob:" + secret + "@[::1/db", server_->dsn() + " password=" + secret + " options='-c nonsense=1'"};
  for (const std::string& dsn : strings) {
    const std::string message = open_error({.dsn = {dsn}, .table = "t"});
    EXPECT_THAT(message, Not(HasSubstr(secret)));
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    EXPECT_THAT(message, HasSubstr("expected"));
    EXPECT_THAT(without_credentials(dsn), Not(HasSubstr(secret)));
  }
  EXPECT_EQ(without_credentials("host=h password=x user='a b'"), "user='a b' host=h");
  EXPECT_EQ(without_credentials("postgresql://bob:x@h/db"), "user=bob dbname=db host=h");
}

TEST_F(Postgres, RefusesNulBytesAndForeignEncodings) {
  const std::string nul("a\0b", 3);
  EXPECT_THAT(open_error({.dsn = {nul}, .table = "t"}), HasSubstr("expected text without nul bytes, got one"));
  EXPECT_THAT(open_error(options(nul)), HasSubstr("expected text without nul bytes, got one"));
  EXPECT_THAT(open_error({.dsn = {server_->dsn()}, .query = nul}),
              HasSubstr("expected text without nul bytes, got one"));
  EXPECT_THAT(open_error(options("caf\xe9")), HasSubstr("expected names in UTF-8, got one that is not"));
}

TEST_F(Postgres, RefusesRowsThatAreNotData) {
  const auto message = [&](const std::string& columns, const std::string& values) {
    server_->sql("DROP TABLE IF EXISTS bad; CREATE TABLE bad (" + columns + "); INSERT INTO bad VALUES " + values);
    return error_text<Error>([&] { collect(*whole(*open_postgres(options("bad")))); });
  };
  const std::string plain = "id int, label float8, f float8";
  const std::string where = "postgres table \"bad\": row with key 1: expected ";
  EXPECT_EQ(message(plain, "(1, 1, NULL)"), where + "features, got NULL");
  EXPECT_EQ(message(plain, "(1, 1, 'NaN')"), where + "a finite number in feature 1, got NaN");
  EXPECT_EQ(message(plain, "(1, 1, '-Infinity')"), where + "a finite number in feature 1, got infinity");
  EXPECT_EQ(message(plain, "(1, NULL, 1)"), where + "a label that is a finite number, got NULL");
  EXPECT_EQ(message(plain, "(1, 'NaN', 1)"), where + "a label that is a finite number, got another");
  EXPECT_EQ(message(plain, "(1, 1, 1), (1, 2, 2)"), where + "no other row with this key, got one");
  EXPECT_EQ(message(plain, "(NULL, 1, 1)"), "postgres table \"bad\": expected a key in every row, got NULL");
  EXPECT_EQ(message("id date, label int, f int", "('2024-01-31', 1, 1)"),
            "data.key: expected a column of integers, text or UUIDs, got 'id'");
  EXPECT_EQ(message("id text, label int, f int", "('a\u00e9', 1, 1), ('a\u00e9', 2, 2)"),
            "postgres table \"bad\": row with key 'aé': expected no other row with this key, got one");
  EXPECT_EQ(message("id int, label int, f text", "(1, 1, 'x')"),
            "data.features: expected columns of numbers, or one array of them, got 'f'");
  EXPECT_EQ(message("id int, label int", "(1, 1)"),
            "postgres table \"bad\": expected columns of features beside key and label, got none");
  EXPECT_EQ(message("id int, label int, f float8[]", "(1, 1, '{1,2}'), (2, 1, '{1}')"),
            "postgres table \"bad\": row with key 2: expected an array of 2 numbers as in the first row, got 1");
  EXPECT_EQ(message("id int, label int, f float8[]", "(1, 1, '{1,NULL}')"),
            where + "an array of one dimension and without NULL, got another");
  EXPECT_EQ(message("id int, label int, f float8[]", "(1, 1, '{{1,2},{3,4}}')"),
            where + "an array of one dimension and without NULL, got another");
  EXPECT_EQ(error_text<UsageError>([&] { (void)open_postgres({.dsn = {server_->dsn()}}); }),
            "data: expected one of data.table and data.query, got neither");
}

TEST_F(Postgres, AnEmptyTableAndAWrongServerAreErrors) {
  server_->sql("DROP TABLE IF EXISTS nothing; CREATE TABLE nothing (id int, label int, f int)");
  EXPECT_EQ(open_error(options("nothing")), "postgres table \"nothing\": expected rows, got none");
  EXPECT_THAT(
      open_error({.dsn = {"host=/no/such/place"}, .table = "t"}),
      HasSubstr("postgres table \"t\": expected an answer from PostgreSQL, got: connection to server on socket"));
}

TEST_F(Postgres, LoadingKeepsATableThatIsThere) {
  load(make_synthetic({.rows = 10}), "precious");
  const TempDir dir;
  const auto file = dir.write("t", "1 1:1\n-1 2:1\n");
  const auto reader = open_libsvm(file);
  EXPECT_THAT(error_text<DataError>([&] { load_postgres(*reader, {.dsn = server_->dsn(), .table = "precious"}); }),
              HasSubstr("expected no table of this name, got one (--replace drops it first)"));
  EXPECT_EQ(open_postgres(options("precious"))->rows(), 10);
}

}  // namespace
}  // namespace slidemesh

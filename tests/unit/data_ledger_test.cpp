#include "slidemesh/data/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "slidemesh/base/errors.h"
#include "slidemesh/core/data_oracle.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/losses/least_squares.h"
#include "slidemesh/network/in_process.h"
#include "support/error_text.h"
#include "support/row_tables.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::collect;
using ::testing::ContainsRegex;
using testing::error_text;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using testing::TempDir;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(Ledger, HasALineForEveryAccess) {
  const TempDir dir;
  const auto file = dir / "ledger.jsonl";
  Ledger ledger(file, 4, 1);
  const auto source =
      ledger.around(std::make_shared<MemorySource>(make_synthetic({.rows = 50})), 0, [](Index r) { return 100 + r; });
  collect(*source, AccessPurpose::kTrace);
  ledger.begin_step(7);
  const std::vector<Index> numbers = {3, 3, 9};
  (void)source->fetch(AccessPurpose::kGradient, numbers);
  ledger.flush();
  const auto lines = lines_of(file);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], HasSubstr(R"({"node":4,"step":0,"purpose":"trace","rows":50,"read":50,"bytes":9200,"time":")"));
  EXPECT_THAT(lines[0], Not(HasSubstr("keys")));
  EXPECT_THAT(
      lines[1],
      HasSubstr(
          R"({"node":4,"step":7,"purpose":"gradient","rows":3,"read":2,"keys":[103,103,109],"bytes":552,"time":")"));
  EXPECT_THAT(lines[1], ContainsRegex(R"("time":"20..-..-..T..:..:..\.......Z","seconds":[0-9.e-]+}$)"));
  EXPECT_EQ(ledger.totals(), (Ledger::Totals{3, 1}));
}

/// Rows that take their time, so that asking ahead is worth it.
class FarRows final : public RowSource {
 public:
  explicit FarRows(Rows rows) : rows_(std::move(rows)) {}
  [[nodiscard]] Index rows() const override { return rows_.rows(); }
  [[nodiscard]] Index features() const override { return rows_.features(); }
  void scan(AccessPurpose purpose, const Visit& visit) override { rows_.scan(purpose, visit); }
  RowBlock fetch(AccessPurpose purpose, std::span<const Index> numbers) override {
    return rows_.fetch(purpose, numbers);
  }
  [[nodiscard]] bool gains_from_prefetch() const override { return true; }

 private:
  MemorySource rows_;
};

/// What a ledger around such rows says of how they were used, once it is closed.
std::vector<std::string> lines_about(const std::function<void(RowSource&, Ledger&)>& use) {
  const TempDir dir;
  const auto file = dir / "ledger.jsonl";
  {
    Ledger ledger(file, 0, 1);
    ledger.begin_method("m");
    const auto source = ledger.around(std::make_shared<FarRows>(make_synthetic({.rows = 50})), 0, {});
    use(*source, ledger);
  }
  return lines_of(file);
}

TEST(Ledger, TellsOfRowsWhenTheyAreAskedForAhead) {
  const auto lines = lines_about([](RowSource& source, Ledger& ledger) {
    const std::vector<Index> all = {1, 2, 3};
    const std::vector<Index> first = {1, 2};
    const std::vector<Index> other = {9, 9};
    source.prefetch(AccessPurpose::kGradient, all);
    ledger.begin_step(2);  // a process that is killed now has asked for them all the same
    (void)source.fetch(AccessPurpose::kGradient, all);
    source.prefetch(AccessPurpose::kGradient, all);
    source.prefetch(AccessPurpose::kGradient, first);  // is on its way already
    (void)source.fetch(AccessPurpose::kGradient, first);
    (void)source.fetch(AccessPurpose::kGradient, other);  // not what was asked for
    (void)source.fetch(AccessPurpose::kGradient, std::vector<Index>{3});
    EXPECT_EQ(ledger.totals(), (Ledger::Totals{8, 4}));
    EXPECT_EQ(ledger.rows_read(), 3 + 3 + 1 + 1);
  });
  ASSERT_THAT(lines, SizeIs(6));
  EXPECT_THAT(lines[0], HasSubstr(R"("step":0,"purpose":"prefetch","rows":3,"read":3,"keys":[1,2,3],"time":")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("step":2,"purpose":"gradient","rows":3,"read":0,"keys":[1,2,3],)"));
  EXPECT_THAT(lines[2], HasSubstr(R"("purpose":"prefetch","rows":3,"read":3,"keys":[1,2,3],"time":")"));
  EXPECT_THAT(lines[3], HasSubstr(R"("purpose":"gradient","rows":2,"read":0,"keys":[1,2],)"));
  EXPECT_THAT(lines[4], HasSubstr(R"("purpose":"gradient","rows":2,"read":1,"keys":[9,9],)"));
  EXPECT_THAT(lines[5], HasSubstr(R"("purpose":"gradient","rows":1,"read":1,"keys":[3],)"));
}

TEST(Ledger, RowsOfSeveralStepsThatWereAskedForAtOnceAreReadOnce) {
  const auto lines = lines_about([](RowSource& source, Ledger&) {
    source.prefetch(AccessPurpose::kGradient, std::vector<Index>{1, 2, 3, 4, 5});
    (void)source.fetch(AccessPurpose::kGradient, std::vector<Index>{1, 2});
    (void)source.fetch(AccessPurpose::kGradient, std::vector<Index>{3, 4});
  });
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[0], HasSubstr(R"("purpose":"prefetch","rows":5,"read":5,"keys":[1,2,3,4,5],"time":")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("purpose":"gradient","rows":2,"read":0,"keys":[1,2],)"));
  EXPECT_THAT(lines[2], HasSubstr(R"("purpose":"gradient","rows":2,"read":0,"keys":[3,4],)"));
}

/// Scaling reads, and so does opening a file: both are there before any method is.
TEST(Ledger, BeginsWithTheFirstRead) {
  const TempDir dir;
  std::string text;
  for (int r = 0; r < 12; ++r) {
    text += (r % 2 == 0 ? "1" : "-1") + std::string(" 1:") + std::to_string(r) + "\n";
  }
  for (const bool streamed : {false, true}) {
    InProcessNetwork network(Graph(2, std::vector<Edge>{{0, 1}}));
    Ledger ledger(dir / "ledger.jsonl", 0, 2);
    DataSpec spec = {.source = DataSourceKind::kLibsvm, .path = dir.write("t.svm", text), .streamed = streamed};
    spec.preparation.scaling = Scaling::kStandard;
    const Dataset data = load_dataset(spec, LabelKind::kBinary, network, &ledger);
    collect(*data.nodes[1], AccessPurpose::kSmoothness);
    ledger.flush();
    const auto lines = lines_of(dir / "ledger.jsonl");
    ASSERT_THAT(lines, SizeIs(6));
    EXPECT_THAT(lines[0], HasSubstr(R"({"step":0,"purpose":"load","rows":12,"read":12,"time":")"));
    for (std::size_t i = 1; i < 5; ++i) {
      EXPECT_THAT(lines[i], HasSubstr(R"("step":0,"purpose":"preparation","rows":6,"read":6,)"));
    }
    EXPECT_THAT(lines[5], HasSubstr(R"({"node":1,"step":0,"purpose":"smoothness","rows":6,"read":6,)"));
    EXPECT_EQ(ledger.rows_read_in_opening(), 12);
    EXPECT_EQ(ledger.rows_read(), 30);
  }
}

TEST(Ledger, CountsWithoutAFile) {
  Ledger ledger({}, 0, 1);
  const auto source = ledger.around(std::make_shared<MemorySource>(make_synthetic({.rows = 50})), 0, {});
  collect(*source, AccessPurpose::kTrace);
  (void)source->fetch(AccessPurpose::kGradient, std::vector<Index>{3, 3, 9});
  ledger.flush();
  EXPECT_EQ(ledger.rows_read(), 52);
  EXPECT_EQ(ledger.totals(), (Ledger::Totals{3, 1}));
}

TEST(Ledger, TotalsAreThoseOfTheMeters) {
  const TempDir dir;
  const std::vector<Edge> edges = {{0, 1}, {1, 2}};
  InProcessNetwork network(Graph(3, edges));
  Ledger ledger(dir / "ledger.jsonl", 0, 3);
  const auto table = std::make_shared<const Rows>(make_synthetic({.rows = 100}));
  Problem problem;
  const auto sources = node_sources(table, split_rows(table->labels, 3), 0, 3);
  for (Index i = 0; i < 3; ++i) {
    problem.objectives.push_back(std::make_shared<RowObjective>(
        ledger.around(sources[static_cast<std::size_t>(i)], i, {}), std::make_shared<LeastSquares>()));
  }
  DataOracle oracle(problem, network.meters(), network.first_node(), 1);
  const Stacked x = Stacked::Ones(22, 3);
  Stacked v(22, 3);
  for (int step = 1; step <= 5; ++step) {
    ledger.begin_step(step);
    oracle.gradient(x, v);
    oracle.sampled_gradient(x, 7, step, true, v);
    oracle.sampled_gradient(x, 34, step, true, v);
    (void)problem.objectives[0]->value(AccessPurpose::kTrace, x.col(0));
  }
  const MeterTotals meters = network.meters().totals();
  EXPECT_EQ(ledger.totals().rows, meters.data_oracle_calls);
  EXPECT_EQ(ledger.totals().accesses, meters.data_oracle_accesses);
  ledger.flush();
  Count rows = 0;
  Count accesses = 0;
  Count all = 0;
  for (const std::string& line : lines_of(dir / "ledger.jsonl")) {
    ++all;
    if (line.find("\"gradient\"") != std::string::npos) {
      ++accesses;
      rows += std::stol(line.substr(line.find("\"rows\":") + 7));
    }
  }
  EXPECT_EQ(rows, meters.data_oracle_calls);
  EXPECT_EQ(accesses, meters.data_oracle_accesses);
  EXPECT_EQ(all, accesses + 5);
}

TEST(Ledger, BudgetRefusesTheFirstAccessBeyondIt) {
  const TempDir dir;
  Ledger ledger(dir / "ledger.jsonl", 0, 1);
  ledger.set_budget(52);
  const auto source = ledger.around(std::make_shared<MemorySource>(make_synthetic({.rows = 50})), 0, {});
  collect(*source, AccessPurpose::kGradient);
  const std::vector<Index> three = {1, 2, 3};
  const std::vector<Index> two = {1, 2};
  EXPECT_EQ(error_text<Error>([&] { (void)source->fetch(AccessPurpose::kGradient, three); }),
            "data.budget: expected at most 52 rows to be read, got 50 and then 3 more");
  EXPECT_EQ(error_text<Error>([&] { collect(*source, AccessPurpose::kTrace); }),
            "data.budget: expected at most 52 rows to be read, got 50 and then 50 more");
  EXPECT_EQ(source->fetch(AccessPurpose::kGradient, two).count, 2);
  EXPECT_EQ(ledger.totals(), (Ledger::Totals{52, 2}));
}

TEST(Ledger, TellsMethodsApart) {
  const TempDir dir;
  const auto file = dir / "ledger.jsonl";
  Ledger ledger(file, 0, 1);
  const auto source = ledger.around(std::make_shared<MemorySource>(make_synthetic({.rows = 5})), 0, {});
  collect(*source, AccessPurpose::kSmoothness);
  for (const char* label : {"ipds", "a \"b\"\n"}) {
    ledger.begin_method(label);
    ledger.begin_step(1);
    collect(*source, AccessPurpose::kGradient);
    EXPECT_EQ(ledger.totals(), (Ledger::Totals{5, 1}));
  }
  ledger.flush();
  const auto lines = lines_of(file);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[0], HasSubstr(R"({"node":0,"step":0,"purpose":"smoothness")"));
  EXPECT_THAT(lines[1], HasSubstr(R"({"method":"ipds","node":0,"step":1,"purpose":"gradient")"));
  EXPECT_THAT(lines[2], HasSubstr(R"({"method":"a \"b\"\u000a","node":0,)"));
}

TEST(Ledger, GoesOnWithTheFileOfAResumedRun) {
  const TempDir dir;
  const auto file = dir / "ledger.jsonl";
  for (const bool append : {false, true}) {
    Ledger ledger(file, 0, 1, append);
    collect(*ledger.around(std::make_shared<MemorySource>(make_synthetic({.rows = 5})), 0, {}));
  }
  EXPECT_THAT(lines_of(file), SizeIs(2));
}

TEST(Ledger, RefusesAFileThatCannotBeWritten) {
  EXPECT_EQ(error_text<UsageError>([] { Ledger("/no/such/place/ledger.jsonl", 0, 1); }),
            "data.ledger: expected a file that can be written, got /no/such/place/ledger.jsonl");
}

}  // namespace
}  // namespace slidemesh

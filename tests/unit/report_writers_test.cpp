#include "slidemesh/report/writers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"
#include "support/sample_runs.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using slidemesh::testing::sample_run;
using slidemesh::testing::SampleRun;
using slidemesh::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void put(const std::filesystem::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_same(const Record& a, const Record& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.measures.objective_at_average, b.measures.objective_at_average);
  EXPECT_EQ(a.measures.objective_stacked, b.measures.objective_stacked);
  EXPECT_EQ(a.measures.consensus_error, b.measures.consensus_error);
  EXPECT_EQ(a.measures.relative_disagreement, b.measures.relative_disagreement);
  EXPECT_EQ(a.reference_optimum, b.reference_optimum);
  EXPECT_EQ(a.gap_at_average, b.gap_at_average);
  EXPECT_EQ(a.lower_bound, b.lower_bound);
  EXPECT_EQ(a.certified_gap, b.certified_gap);
  EXPECT_EQ(a.inner_wolfe_gap, b.inner_wolfe_gap);
  EXPECT_EQ(a.active_set_size, b.active_set_size);
  EXPECT_EQ(a.meters, b.meters);
  EXPECT_EQ(a.seconds, b.seconds);
}

/// Permissions do not bind root; for as long as this lives, an ordinary user acts.
class WithoutRoot {
 public:
  WithoutRoot() : before_(::geteuid()) {
    constexpr uid_t kNobody = 65534;
    if (before_ == 0) {
      EXPECT_EQ(::seteuid(kNobody), 0);
    }
  }
  ~WithoutRoot() { EXPECT_EQ(::seteuid(before_), 0); }
  WithoutRoot(const WithoutRoot&) = delete;
  WithoutRoot& operator=(const WithoutRoot&) = delete;

 private:
  uid_t before_;
};

constexpr const char* kHardLabel = "\"quoted\" </script><img src=x onerror=alert(1)> \\ \n λ\u0304 日本";

TEST(AtomicWrite, ReplacesTheFileAndLeavesNothingElse) {
  const TempDir directory;
  atomic_write(directory / "a.json", "old");
  atomic_write(directory / "a.json", "new");
  EXPECT_EQ(read_text(directory / "a.json"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(AtomicWrite, NamesThePathAndTheReason) {
  const TempDir directory;
  const std::string message = error_of([&] { atomic_write(directory / "absent/summary.json", "x"); });
  EXPECT_THAT(message, AllOf(HasSubstr("absent/summary.json: cannot write: No such file or directory")));
  put(directory / "file", "");
  EXPECT_THAT(error_of([&] { make_directory(directory / "file/under"); }), HasSubstr("cannot make the directory"));
}

TEST(AtomicWrite, AReadOnlyDirectoryIsAnErrorAndKeepsTheOldFile) {
  const TempDir directory;
  atomic_write(directory / "summary.json", "old");
  ASSERT_EQ(::chmod(directory.path().c_str(), 0555), 0);
  {
    const WithoutRoot ordinary_user;
    EXPECT_THAT(error_of([&] { atomic_write(directory / "summary.json", "new"); }), HasSubstr("Permission denied"));
    EXPECT_THAT(error_of([&] { TraceWriter(directory / "trace.jsonl"); }), HasSubstr("Permission denied"));
  }
  EXPECT_EQ(read_text(directory / "summary.json"), "old");
}

TEST(AtomicWrite, ADirectoryInTheWayIsAnErrorAndNoTemporaryFileStays) {
  const TempDir directory;
  std::filesystem::create_directories(directory / "summary.json/full");
  EXPECT_THAT(error_of([&] { atomic_write(directory / "summary.json", "x"); }),
              HasSubstr("summary.json: cannot write"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(ReadText, RefusesWhatIsTooLargeOrNoFile) {
  const TempDir directory;
  put(directory / "big", std::string(100, 'x'));
  EXPECT_THAT(error_of([&] { (void)read_text(directory / "big", 99); }), HasSubstr("expected at most 99 bytes"));
  EXPECT_EQ(read_text(directory / "big", 100).size(), 100U);
  EXPECT_THAT(error_of([&] { (void)read_text(directory.path()); }), HasSubstr("cannot read: Is a directory"));
}

TEST(Summary, SurvivesARoundTripBitForBit) {
  const TempDir directory;
  SampleRun run = sample_run({});
  run.summary.label = kHardLabel;
  run.summary.status = Status::kTimeLimit;
  run.summary.last.meters.bytes_sent = std::numeric_limits<Count>::max();
  run.summary.last.measures.consensus_error = std::numeric_limits<double>::denorm_min();
  run.summary.last.seconds = 0.1 + 0.2;
  run.summary.settings.emplace_back("note", kHardLabel);
  write_summary(directory / "summary.json", std::vector{run.summary});

  const auto back = read_summary(directory / "summary.json");
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].label, kHardLabel);
  EXPECT_EQ(back[0].status, Status::kTimeLimit);
  EXPECT_EQ(back[0].rows, run.summary.rows);
  EXPECT_EQ(back[0].objective_at_start, run.summary.objective_at_start);
  EXPECT_EQ(back[0].control_messages, run.summary.control_messages);
  EXPECT_EQ(back[0].control_bytes, run.summary.control_bytes);
  EXPECT_EQ(back[0].settings, run.summary.settings);
  ASSERT_EQ(back[0].nodes.size(), run.summary.nodes.size());
  EXPECT_EQ(back[0].nodes[3].bytes_sent, run.summary.nodes[3].bytes_sent);
  expect_same(back[0].last, run.summary.last);
}

TEST(Summary, BeginsWithTheFieldsOfTheContractInItsOrder) {
  const TempDir directory;
  write_summary(directory / "s.json", std::vector{sample_run({}).summary});
  const std::string text = read_text(directory / "s.json");
  std::size_t at = text.find("\"schema\": 1");
  for (const char* key : {"runs",
                          "method",
                          "label",
                          "status",
                          "outer_steps",
                          "objective_at_average",
                          "objective_stacked",
                          "reference_optimum",
                          "gap_at_average",
                          "consensus_error",
                          "lower_bound",
                          "certified_gap",
                          "data_oracle_calls",
                          "data_oracle_accesses",
                          "communication_rounds",
                          "hops",
                          "messages",
                          "bytes_sent",
                          "linear_oracle_calls",
                          "largest_node_linear_oracle_calls",
                          "seconds",
                          "control_messages"}) {
    std::string quoted = key;
    quoted.insert(0, 1, '"').append("\":");
    const std::size_t next = text.find(quoted, at);
    ASSERT_NE(next, std::string::npos) << key;
    at = next;
  }
}

TEST(Summary, WhatIsAbsentOrNotFiniteIsNull) {
  const TempDir directory;
  RunSummary run = sample_run({}).summary;
  run.last.gap_at_average.reset();
  run.last.lower_bound = -std::numeric_limits<double>::infinity();
  run.last.measures.objective_at_average = std::numeric_limits<double>::quiet_NaN();
  write_summary(directory / "s.json", std::vector{run});
  const std::string text = read_text(directory / "s.json");
  EXPECT_THAT(text, AllOf(HasSubstr("\"gap_at_average\": null"), HasSubstr("\"lower_bound\": null"),
                          HasSubstr("\"objective_at_average\": null"), Not(HasSubstr("NaN")), Not(HasSubstr(": inf")),
                          Not(HasSubstr(": -inf"))));
  const auto back = read_summary(directory / "s.json");
  EXPECT_FALSE(back[0].last.measures.objective_at_average);
  EXPECT_FALSE(back[0].last.lower_bound);
}

TEST(Summary, InvalidUtf8InALabelIsReplacedNotFatal) {
  const TempDir directory;
  RunSummary run = sample_run({}).summary;
  run.label = "bad \xff byte";
  write_summary(directory / "s.json", std::vector{run});
  EXPECT_THAT(read_summary(directory / "s.json")[0].label, HasSubstr("bad "));
}

TEST(Summary, BadFilesAreNamedWithThePlace) {
  const TempDir directory;
  const auto path = directory / "summary.json";
  const auto message = [&](std::string_view text) {
    put(path, text);
    return error_of([&] { (void)read_summary(path); });
  };
  EXPECT_THAT(message("{\n\"schema\": 1,\n oops"), HasSubstr("summary.json:3: expected JSON"));
  EXPECT_THAT(message("[]"), HasSubstr("summary.json: expected an object"));
  EXPECT_THAT(message(R"({"schema": 2, "runs": []})"), HasSubstr("schema: expected 1"));
  EXPECT_THAT(message(R"({"schema": 1, "runs": {}})"), HasSubstr("runs: expected an array, got an object"));
  EXPECT_THAT(message(R"({"schema": 1, "runs": [{"method": 3}]})"),
              HasSubstr("runs[0].method: expected a string, got 3"));
  EXPECT_THAT(message(R"({"schema": 1, "runs": [{"method": "a", "label": "b", "status": "odd"}]})"),
              HasSubstr("runs[0].status: expected the status of a run, got \"odd\""));
}

TEST(Trace, HoldsEveryRecordOfEveryLabel) {
  const TempDir directory;
  const SampleRun run = sample_run({.steps = 5});
  {
    TraceWriter writer(directory / "trace.jsonl");
    for (const Record& record : run.trace) {
      writer.append("ipds", kHardLabel, record);
    }
    writer.sync();
  }
  const auto lines = read_trace(directory / "trace.jsonl");
  ASSERT_EQ(lines.size(), 5U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].label, kHardLabel);
    expect_same(lines[i].record, run.trace[i]);
  }
}

TEST(Trace, IsOnTheFileBeforeTheNextStep) {
  const TempDir directory;
  const SampleRun run = sample_run({.steps = 2});
  TraceWriter writer(directory / "trace.jsonl");
  writer.append("ipds", "a", run.trace[0]);
  EXPECT_EQ(read_trace(directory / "trace.jsonl").size(), 1U);
  writer.append("ipds", "a", run.trace[1]);
  EXPECT_EQ(read_trace(directory / "trace.jsonl").size(), 2U);
}

/// A trace of "a" steps 1-4 then "b" steps 1-3, whose last line may be torn.
class ResumedTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    TraceWriter writer(path_);
    for (int k = 0; k < 4; ++k) {
      writer.append("ipds", "a", run_.trace[static_cast<std::size_t>(k)]);
    }
    for (int k = 0; k < 3; ++k) {
      writer.append("defw", "b", run_.trace[static_cast<std::size_t>(k)]);
    }
  }
  void cut(std::size_t bytes) const { std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - bytes); }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> found;
    for (const TraceLine& line : read_trace(path_)) {
      found.push_back(line.label + std::to_string(line.record.step));
    }
    return found;
  }

  TempDir directory_;
  std::filesystem::path path_ = directory_ / "trace.jsonl";
  SampleRun run_ = sample_run({.steps = 5});
};

TEST_F(ResumedTrace, ATornLastLineIsCutOff) {
  cut(30);
  EXPECT_THAT(lines(), ::testing::ElementsAre("a1", "a2", "a3", "a4", "b1", "b2"));
  TraceWriter writer(path_, std::vector<TracePosition>{{"a", 4}, {"b", 3}});
  writer.append("defw", "b", run_.trace[2]);
  EXPECT_THAT(lines(), ::testing::ElementsAre("a1", "a2", "a3", "a4", "b1", "b2", "b3"));
}

TEST_F(ResumedTrace, ALastLineThatLacksOnlyItsEndIsKept) {
  cut(1);
  TraceWriter writer(path_, std::vector<TracePosition>{{"a", 4}, {"b", 3}});
  writer.append("defw", "b", run_.trace[3]);
  EXPECT_THAT(lines(), ::testing::ElementsAre("a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"));
}

TEST_F(ResumedTrace, StepsAfterTheCheckpointGoAndSoDoLabelsWithoutOne) {
  { const TraceWriter writer(path_, std::vector<TracePosition>{{"a", 4}, {"b", 1}}); }
  EXPECT_THAT(lines(), ::testing::ElementsAre("a1", "a2", "a3", "a4", "b1"));
  { const TraceWriter writer(path_, std::vector<TracePosition>{{"a", 2}}); }
  EXPECT_THAT(lines(), ::testing::ElementsAre("a1", "a2"));
}

TEST_F(ResumedTrace, ABadLineThatIsNotTheLastIsAnError) {
  put(path_, "{\"torn\n" + read_text(path_));
  EXPECT_THAT(error_of([&] { (void)read_trace(path_); }), HasSubstr("trace.jsonl:1: expected JSON"));
}

TEST_F(ResumedTrace, WithoutAFileIsANewTrace) {
  TraceWriter writer(directory_ / "new.jsonl", {});
  writer.append("ipds", "a", run_.trace[0]);
  EXPECT_EQ(read_trace(directory_ / "new.jsonl").size(), 1U);
}

}  // namespace
}  // namespace slidemesh

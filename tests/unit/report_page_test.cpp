#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/report/report.h"
#include "support/sample_runs.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using slidemesh::testing::sample_run;
using slidemesh::testing::SampleShape;
using slidemesh::testing::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

/// Two records: a gap of `first` after `calls` data-oracle calls, of `second` after ten times as many.
ReportRun two_steps(const std::string& label, Count calls, double first, double second) {
  ReportRun run;
  run.summary.method = run.summary.label = label;
  run.summary.rows = 1000;
  for (const auto& [factor, gap] : {std::pair<Count, double>{1, first}, {10, second}}) {
    Record record;
    record.step = static_cast<int>(factor);
    record.reference_optimum = 1.0;
    record.gap_at_average = gap;
    record.measures.objective_at_average = 1.0 + gap;
    record.meters.data_oracle_calls = factor * calls;
    run.trace.push_back(record);
  }
  run.summary.last = run.trace.back();
  return run;
}

TEST(Headlines, CompareAtAnAccuracyThatBothReached) {
  const std::vector<ReportRun> runs{two_steps("ipds", 1000, 1e-2, 1.2e-4), two_steps("defw", 200000, 0.1, 1e-2)};
  const auto sentences = headlines(runs);
  EXPECT_EQ(sentences[0].label, "ipds");
  EXPECT_EQ(sentences[0].text,
            "reached a gap of 1.2e-4 with 10,000 data-oracle calls (10.0 passes); it reached the final gap of defw, "
            "0.01, with 2,000x fewer calls.");
  EXPECT_EQ(sentences[1].text, "reached a gap of 0.01 with 2.0 million data-oracle calls (2,000 passes).");
}

TEST(Headlines, SpeakOfRelativeGapsWhereTheRunsKnowToWhat) {
  std::vector<ReportRun> runs{two_steps("ipds", 1000, 1.0, 1e-4), two_steps("defw", 100000, 1.0, 2e-4)};
  for (ReportRun& run : runs) {
    run.summary.objective_at_start = 5.0;  // 4 above the optimum
  }
  EXPECT_THAT(headlines(runs)[0].text, HasSubstr("reached a relative gap of 2.5e-5 with"));
  EXPECT_THAT(headlines(runs)[0].text, HasSubstr("it reached the final gap of defw, 5.0e-5, with 100x fewer calls"));
}

TEST(Answers, NameAllWhoReachedWhatWasAskedForInOneSentence) {
  std::vector<ReportRun> runs{two_steps("a", 1, 1.0, 1.0), two_steps("b", 1, 1.0, 1.0), two_steps("c", 1, 1.0, 1.0),
                              two_steps("d", 1, 1.0, 1.0)};
  for (ReportRun& run : runs) {
    run.summary.asked = "target_gap = 0.1";
    run.summary.got = "a relative gap of " + run.summary.label;
    run.summary.status = Status::kTargetReached;
  }
  runs[2].summary.status = Status::kTimeLimit;
  runs[3].summary.asked = "certified_gap = 0.1";
  EXPECT_THAT(
      answers(runs),
      ElementsAre("Asked for target_gap = 0.1: reached by a, b; not reached by c, which has a relative gap of c.",
                  "Asked for certified_gap = 0.1: reached by d, which has a relative gap of d."));
}

TEST(Headlines, SayFewerThanWhereTheOtherGotAsFar) {
  const std::vector<ReportRun> runs{two_steps("ipds", 1000, 1.0, 1e-4), two_steps("defw", 100000, 1.0, 1e-4)};
  EXPECT_THAT(headlines(runs)[0].text, HasSubstr("(10.0 passes), 100x fewer than defw."));
}

TEST(Headlines, MakeNoClaimAcrossProblems) {
  std::vector<ReportRun> runs{two_steps("a", 1000, 1.0, 1e-4), two_steps("b", 100000, 1.0, 1e-4)};
  runs[1].summary.rows = 5;
  EXPECT_THAT(headlines(runs)[0].text, Not(HasSubstr("fewer")));
}

TEST(Headlines, SayWhatIsWrong) {
  ReportRun run = two_steps("a", 1000, 1.0, 1e-4);
  run.summary.status = Status::kTimeLimit;
  run.summary.last.measures.relative_disagreement = 0.123;
  EXPECT_EQ(headlines(std::vector{run})[0].text,
            "was stopped by its time limit at a gap of 1.0e-4 with 10,000 data-oracle calls (10.0 passes); its nodes "
            "still disagree by 12 %.");
}

TEST(Headlines, UseTheCertificateWhereThereIsNoReference) {
  ReportRun run = two_steps("a", 1000, 1.0, 1e-4);
  run.summary.last.gap_at_average.reset();
  EXPECT_THAT(headlines(std::vector{run})[0].text, HasSubstr("reached an objective of 1.0001 with"));
  run.summary.last.certified_gap = 3e-3;
  EXPECT_THAT(headlines(std::vector{run})[0].text, HasSubstr("reached a certified gap of 3.0e-3 with"));
  run.summary.last.gap_at_average = -1e-17;
  EXPECT_THAT(headlines(std::vector{run})[0].text, HasSubstr("reached the reference optimum to rounding"));
}

TEST(ReportPage, ShowsTextOfUsersAsText) {
  const std::string hostile = "</script><script>alert(1)</script><!-- <img onerror=x> & \"'";
  ReportInput input;
  input.title = hostile;
  input.problem = {hostile};
  input.findings = {hostile};
  input.runs = {two_steps(hostile, 1, 1.0, 0.5)};
  input.configs = {{hostile, hostile}};
  input.sections = {{.title = hostile, .paragraphs = {hostile}, .tables = {}, .charts = {}}};
  const std::string page = report_page(input);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("alert(1)</script>")), Not(HasSubstr("<img")), Not(HasSubstr("<!-- ")),
                          HasSubstr("&lt;/script&gt;"), HasSubstr("\\u003c/script>")));
}

TEST(ReportPage, NamesOfItsPlacesInTextAreLeftAlone) {
  ReportInput input;
  input.title = "@SCRIPT@ and @DATA@";
  EXPECT_THAT(report_page(input), HasSubstr("<h1>@SCRIPT@ and @DATA@</h1>"));
}

TEST(ReportPage, FetchesNothing) {
  const std::string page = report_page({});
  EXPECT_THAT(page,
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'sha256-"), Not(HasSubstr("src=\"http")),
                    Not(HasSubstr("href=\"http")), Not(HasSubstr("'unsafe-inline'"))));
}

TEST(ReportPage, IsTheSameTwice) {
  ReportInput input;
  const auto sample = sample_run({.steps = 20});
  input.runs = {{.summary = sample.summary, .trace = sample.trace}};
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {3, 4}};
  input.networks = {{.name = "five", .graph = Graph(5, edges), .eigenvalues = {}}};
  EXPECT_EQ(report_page(input), report_page(input));
}

class RunDirectory : public ::testing::Test {
 protected:
  std::filesystem::path make(const std::string& name, const std::string& label) const {
    const auto path = directory_ / name;
    make_directory(path);
    const auto run = sample_run({.label = label, .steps = 3});
    write_summary(path / "summary.json", std::vector{run.summary});
    TraceWriter writer(path / "trace.jsonl");
    for (const Record& record : run.trace) {
      writer.append("ipds", label, record);
    }
    ReportInput context;
    context.title = "A title";
    context.problem = {"one", "two"};
    context.networks = {
        {.name = "path", .graph = Graph(3, std::vector<Edge>{{0, 1}, {1, 2}}), .eigenvalues = {0, 1, 3}}};
    write_context(path / "context.json", context);
    atomic_write(path / "config.toml", "seed = 1\n");
    return path;
  }

  TempDir directory_;
};

TEST_F(RunDirectory, IsReadBackWhole) {
  const ReportInput input = load_run_directory(make("first", "ipds"));
  EXPECT_EQ(input.title, "A title");
  EXPECT_EQ(input.name, "first");
  EXPECT_THAT(input.problem, ElementsAre("one", "two"));
  ASSERT_EQ(input.runs.size(), 1U);
  EXPECT_EQ(input.runs[0].trace.size(), 3U);
  ASSERT_EQ(input.networks.size(), 1U);
  EXPECT_EQ(input.networks[0].graph.edges(), 2);
  EXPECT_THAT(input.networks[0].eigenvalues, ElementsAre(0, 1, 3));
  EXPECT_THAT(input.configs, ElementsAre(::testing::Pair("config.toml", "seed = 1\n")));
}

TEST_F(RunDirectory, NeedsOnlyItsSummary) {
  const auto path = make("bare", "ipds");
  for (const char* name : {"trace.jsonl", "context.json", "config.toml"}) {
    std::filesystem::remove(path / name);
  }
  EXPECT_EQ(load_run_directory(path).title, "bare");
  std::filesystem::remove(path / "summary.json");
  EXPECT_THROW((void)load_run_directory(path), UsageError);
}

TEST_F(RunDirectory, MergedLabelsStayApart) {
  const std::vector<ReportInput> inputs{
      load_run_directory(make("one", "ipds")), load_run_directory(make("two", "ipds")),
      load_run_directory(make("three", "defw")), load_run_directory(directory_ / "one")};
  const ReportInput merged = merge_reports(inputs);
  std::vector<std::string> labels;
  for (const ReportRun& run : merged.runs) {
    labels.push_back(run.summary.label);
  }
  EXPECT_THAT(labels, ElementsAre("one/ipds", "two/ipds", "defw", "one/ipds (2)"));
  EXPECT_EQ(merged.networks.size(), 1U) << "the same graph is drawn once";
  EXPECT_THAT(merged.problem, ElementsAre("one", "two"));
  EXPECT_EQ(merged.configs[1].first, "two/config.toml");
}

TEST_F(RunDirectory, RefusesAGraphThatIsNone) {
  const auto path = make("bad", "ipds");
  const auto with_edges = [&](const std::string& edges) {
    atomic_write(path / "context.json",
                 R"({"schema": 1, "title": "", "problem": [], "networks": [{"name": "x", "nodes": 3,
      "eigenvalues": [], "edges": )" +
                     edges + "}]}");
  };
  for (const char* edges : {"[[0, 3]]", "[[0, 0]]", "[[0]]", "[[0, -1]]", "[[0, 1], [1, 0]]", "7"}) {
    with_edges(edges);
    EXPECT_THROW((void)load_run_directory(path), DataError) << edges;
  }
}

}  // namespace
}  // namespace slidemesh

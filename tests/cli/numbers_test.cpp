// Numbers that no machine can work with are refused where they come in, or found where they arise.

#include <gtest/gtest.h>

#include <string>

#include "interrupted_run.h"

namespace slidemesh::testing {
namespace {

class Numbers : public InterruptedRun {};

TEST_F(Numbers, BadlyScaledDataIsNeverSilentGarbage) {
  for (const char* scale : {"1e300", "1e200", "1e160", "1e154", "1e100", "1e-100", "1e-160", "1e-200", "1e-300"}) {
    std::string rows;
    for (int r = 0; r < 40; ++r) {
      rows += std::string(r % 3 == 0 ? "1" : "-1") + " 1:" + scale + " 2:-" + std::to_string(r + 1) +
              std::string(scale).substr(1) + "\n";
    }
    static_cast<void>(directory_.write("d.svm", rows));
    for (const char* loss : {"logistic", "least-squares", "huber", "smoothed-hinge"}) {
      const bool odd = std::string(loss) == "huber" || std::string(loss) == "least-squares";
      for (const char* method : {odd ? "ipds-restarted" : "ipds", odd ? "ipds-vr" : "defw"}) {
        static_cast<void>(directory_.write(
            "d.toml", std::string("[problem]\nloss = \"") + loss +
                          "\"\n[data]\nsource = \"libsvm\"\npath = \"d.svm\"\n[network]\ngraph = \"ring\"\nnodes = 4\n"
                          "[[method]]\nname = \"" +
                          method + "\"\nouter_steps = 4\n[output]\nreference = false\n"));
        const auto outcome = run_program(directory_, "run d.toml --quiet --overwrite --out d");
        if (outcome.exit_code == 0) {
          const json run = json::parse(slurp(directory_ / "d/summary.json"))["runs"][0];
          EXPECT_TRUE(run["objective_at_average"].is_number()) << scale << " " << loss << " " << method;
          const json model = json::parse(slurp(directory_ / "d/model.json"))["models"][0];
          ASSERT_EQ(model["parameters"].size(), 2U);
          for (const json& x : model["parameters"]) {
            EXPECT_TRUE(x.is_number()) << scale << " " << loss << " " << method;
          }
        } else {
          EXPECT_EQ(outcome.exit_code, 3) << scale << " " << loss << " " << method << ": " << outcome.error;
        }
      }
    }
  }
}

TEST_F(Numbers, ThatAreNoneAreRefusedWhereTheyStand) {
  for (const char* bad : {"nan", "inf", "-inf", "1e999", "0x1p2000"}) {
    static_cast<void>(directory_.write("d.svm", "1 1:1 2:2\n-1 1:0.5 2:" + std::string(bad) + "\n1 1:3\n-1 2:1\n"));
    static_cast<void>(directory_.write("d.csv", "a,b,label\n1,2,1\n0.5," + std::string(bad) + ",-1\n"));
    for (const char* source : {"libsvm", "csv"}) {
      const std::string file = std::string(source) == "csv" ? "d.csv" : "d.svm";
      const auto outcome =
          run_program(directory_, "run c.toml --quiet --overwrite --out d --set data.source=" + std::string(source) +
                                      " --set data.path=" + file +
                                      " --set data.rows=2 --set network.graph=path --set network.nodes=2");
      EXPECT_EQ(outcome.exit_code, 3) << bad << " " << outcome.error;
      EXPECT_NE(outcome.error.find(file + ":" + (file == "d.csv" ? "3" : "2")), std::string::npos) << outcome.error;
    }
  }
}

/// Rows that are streamed from a scratch file which is cut off under the run.
TEST_F(Numbers, AFailureInTheMiddleNamesStepAndNodeAndSaves) {
  std::string rows;
  for (int r = 0; r < 400; ++r) {
    rows +=
        std::string(r % 3 == 0 ? "1" : "-1") + " 1:" + std::to_string(r % 7) + " 2:" + std::to_string(r % 5 - 2) + "\n";
  }
  static_cast<void>(directory_.write("d.svm", rows));
  const std::string streamed =
      "run c.toml --out out --set data.source=libsvm --set data.path=d.svm --set data.rows=streamed";
  const auto outcome = run_program(
      directory_,
      in_background(streamed + kEndless,
                    "for f in /proc/$pid/fd/*; do case $(readlink $f) in *deleted*) truncate -s 0 $f;; esac; done"));
  const std::string said = slurp(directory_ / "background.err");
  EXPECT_EQ(outcome.exit_code, 3) << said;
  EXPECT_NE(said.find("slidemesh: error: step "), std::string::npos) << said;
  EXPECT_EQ(summary()["runs"][0]["status"], "failed");
  EXPECT_FALSE(checkpoints().empty());
  const auto resumed = run_program(directory_, streamed + kEndless + " --resume --set stop.time_limit_seconds=0.001");
  EXPECT_EQ(resumed.exit_code, 4) << resumed.error;
  EXPECT_NE(resumed.error.find("goes on after step"), std::string::npos) << resumed.error;
}

}  // namespace
}  // namespace slidemesh::testing

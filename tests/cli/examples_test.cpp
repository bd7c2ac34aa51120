// The examples of docs/sets.md and docs/losses.md: a set and a loss that the library does not know, under every method.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "program.h"

namespace slidemesh {
namespace {

using testing::slurp;
using testing::TempDir;

/// Label and F of each line of what an example prints.
std::map<std::string, double> values_printed(const std::string& out) {
  std::map<std::string, double> values;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (const auto refuses = line.find(" refuses: "); refuses != std::string::npos) {
      values[line.substr(0, line.find_last_not_of(' ', refuses) + 1)] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    const auto at = line.find(" F = ");
    EXPECT_NE(at, std::string::npos) << line;
    const std::string label = line.substr(0, line.find_last_not_of(' ', at) + 1);
    values[label] = std::stod(line.substr(at + 5));
  }
  return values;
}

class Examples : public ::testing::TestWithParam<const char*> {};

TEST_P(Examples, RunWithEveryMethodThatIsListed) {
  const std::string program = std::string(SLIDEMESH_EXAMPLES_DIR "/slidemesh_example_") + GetParam();
  if (!std::filesystem::exists(program)) {
    GTEST_SKIP() << "examples are not built";
  }
  constexpr double kClose = 1e-3;        // of F, for what has converged
  constexpr double kConditional = 2e-2;  // for DPG and the inexact ones, which are slower
  constexpr double kSlow = 1e-1;         // for averages over all steps, and for Frank-Wolfe from few rows per step
  const std::set<std::string> slow = {"dual-averaging", "dcs", "sdcs", "dcgs", "sag-fw", "dvrgtfw"};
  const TempDir directory;
  ASSERT_EQ(std::system(("'" + program + "' >'" + (directory / "out").string() + "'").c_str()), 0);  // NOLINT
  const auto values = values_printed(slurp(directory / "out"));
  ASSERT_TRUE(values.contains("centralized-fista"));
  const double best = values.at("centralized-fista");
  for (const auto& [label, value] : values) {
    if (std::isnan(value)) {
      EXPECT_EQ(label, "opapc");  // which knows no set
      continue;
    }
    EXPECT_GE(value, best * (1.0 - kClose)) << label;
    EXPECT_LE(value, best * (1.0 + (slow.contains(label) ? kSlow : kConditional))) << label;
  }
  std::istringstream listed(testing::run_program(directory, "list methods").out);
  for (std::string line; std::getline(listed, line);) {
    const std::string name = line.substr(0, line.find(' '));
    EXPECT_TRUE(values.contains(name)) << GetParam() << " does not try " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cli, Examples, ::testing::Values("custom_set", "custom_loss"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace slidemesh

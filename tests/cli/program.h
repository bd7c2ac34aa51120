#pragma once

// Runs the program in a directory of its own.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace slidemesh::testing {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string error;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// `arguments` go through a shell, with the directory as the working directory.
inline Outcome run_program(const TempDir& directory, const std::string& arguments) {
  const std::string command = "cd '" + directory.path().string() + "' && '" SLIDEMESH_PROGRAM "' " + arguments +
                              " >stdout.txt 2>stderr.txt </dev/null";
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): a test of the command line
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = slurp(directory / "stdout.txt");
  outcome.error = slurp(directory / "stderr.txt");
  return outcome;
}

/// The exit code, nothing on stdout, and one line of error at the end of stderr with all the parts in it. A run may
/// have told what it was doing before.
inline void expect_one_line_of_error(const Outcome& outcome, int exit_code, const std::vector<std::string>& parts) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.error;
  EXPECT_EQ(outcome.out, "");
  const auto at = outcome.error.rfind("slidemesh: error: ");
  ASSERT_NE(at, std::string::npos) << outcome.error;
  const std::string line = outcome.error.substr(at);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
  EXPECT_EQ(outcome.error.find("slidemesh: error: "), at) << "said twice: " << outcome.error;
  for (const std::string& part : parts) {
    EXPECT_NE(line.find(part), std::string::npos) << "no \"" << part << "\" in: " << line;
  }
}

/// A small config that runs in a moment; `change` is appended.
inline std::string small_config(const std::string& change = "") {
  return "seed = 1\n"
         "[data]\nrows = 400\n"
         "[network]\ngraph = \"ring\"\nnodes = 4\n"
         "[[method]]\nname = \"ipds\"\nouter_steps = 5\n" +
         change;
}

}  // namespace slidemesh::testing

// What helps a person type: suggestions for words that no command knows, completions, manual pages; a refusal of
// compare.

#include <gtest/gtest.h>

#include <string>

#include "program.h"

namespace slidemesh {
namespace {

using testing::expect_one_line_of_error;
using testing::run_program;
using testing::slurp;
using testing::TempDir;

TEST(Suggestions, NameTheNearestCommandOptionOrWord) {
  const TempDir directory;
  expect_one_line_of_error(run_program(directory, "rnu c.toml"), 2, {"did you mean 'run'?"});
  expect_one_line_of_error(run_program(directory, "run --ot x c.toml"), 2, {"did you mean '--out'?"});
  expect_one_line_of_error(run_program(directory, "data insepct x.csv"), 2, {"did you mean 'inspect'?"});
  expect_one_line_of_error(run_program(directory, "list method"), 2, {"did you mean 'methods'?"});
}

TEST(Suggestions, AreLeftOutWhereNothingIsNear) {
  const TempDir directory;
  expect_one_line_of_error(run_program(directory, "xylophone"), 2, {"see slidemesh --help"});
}

/// What bash would offer where the last of the words is being typed.
std::string completions(const TempDir& directory, const std::string& words, int at) {
  static_cast<void>(directory.write("complete.sh", "source <('" SLIDEMESH_PROGRAM "' completion bash)\n"
                                                   "COMP_WORDS=(" +
                                                       words + ")\nCOMP_CWORD=" + std::to_string(at) +
                                                       "\n_slidemesh\necho \"${COMPREPLY[@]}\"\n"));
  const std::string command = "cd '" + directory.path().string() + "' && bash complete.sh >offered.txt 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c): bash is what is tested
  return slurp(directory / "offered.txt");
}

TEST(Completion, OffersCommandsOptionsAndWords) {
  const TempDir directory;
  EXPECT_EQ(completions(directory, "slidemesh re", 1), "reproduce report\n");
  EXPECT_EQ(completions(directory, "slidemesh run --res", 2), "--resume\n");
  EXPECT_EQ(completions(directory, "slidemesh list me", 2), "methods\n");
  EXPECT_EQ(completions(directory, "slidemesh data split --split by", 4), "by-label\n");
  EXPECT_EQ(completions(directory, "slidemesh compare --methods tree-n", 3), "tree-newton\n");
}

TEST(Completion, InstallsScriptsAndAManualPagePerCommand) {
  const TempDir directory;
  const auto outcome = run_program(directory, "completion --install share");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  for (const char* file : {"bash-completion/completions/slidemesh", "zsh/vendor-completions/_slidemesh",
                           "fish/vendor_completions.d/slidemesh.fish", "man/man1/slidemesh.1",
                           "man/man1/slidemesh-run.1", "man/man1/slidemesh-data-split.1"}) {
    EXPECT_FALSE(slurp(directory / (std::string("share/") + file)).empty()) << file;
  }
  const std::string page = slurp(directory / "share/man/man1/slidemesh-run.1");
  EXPECT_NE(page.find(".SH OPTIONS"), std::string::npos);
  EXPECT_NE(page.find("\\-\\-resume"), std::string::npos);
  EXPECT_NE(slurp(directory / "share/man/man1/slidemesh.1").find("Train as a config says"), std::string::npos);
}

/// Two columns that are the same: F is constant over the simplex, and no gap is relative to it.
TEST(Compare, RefusesAProblemThatIsSolvedAtItsStart) {
  const TempDir directory;
  static_cast<void>(directory.write("t.csv", "a,b,label\n1,1,9\n1,1,9\n1,1,8\n1,1,8\n"));
  static_cast<void>(directory.write("c.toml",
                                    "[problem]\nloss = \"least-squares\"\nset = { kind = \"simplex\" }\n"
                                    "[data]\npath = \"t.csv\"\nlabel = \"label\"\n"
                                    "[network]\ngraph = \"path\"\nnodes = 2\n"));
  expect_one_line_of_error(run_program(directory, "compare c.toml --quiet"), 2, {"whose start is not its optimum"});
}

}  // namespace
}  // namespace slidemesh

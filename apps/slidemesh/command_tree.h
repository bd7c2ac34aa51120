#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace slidemesh::app {

/// What a person can type after a command: for completions, manual pages and "did you mean".
struct CommandOption {
  std::vector<std::string> names;  ///< "--out", "-o"; one name without dashes where it is told by its place
  std::string value;               ///< what follows it ("DIR"); empty for a flag
  std::vector<std::string> words;  ///< the values that it can have, where they are few
  std::string help;
  bool positional = false;
};

struct Command {
  std::string path;  ///< "slidemesh data split"
  std::string help;
  std::string footer;
  std::vector<std::string> subcommands;
  std::vector<std::string> subcommand_helps;  ///< of each, one line
  std::vector<CommandOption> options;
};

/// The program and all commands below it, each before those below it.
[[nodiscard]] std::vector<Command> command_tree(const CLI::App& app);

/// What the first word that no command knows was probably meant to be; empty where every word is known or nothing is
/// near. Where it is known what was wrong, only words of `complaint` count.
[[nodiscard]] std::string meant_instead(const std::vector<Command>& tree, const std::vector<std::string>& words,
                                        std::string_view complaint);

}  // namespace slidemesh::app

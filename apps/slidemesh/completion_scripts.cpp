#include <fmt/format.h>

#include <algorithm>

#include "command_tree.h"
#include "slidemesh/base/errors.h"

namespace slidemesh::app {

namespace {

/// All that can be typed after a command but names of files: commands below it, options, words told by their place.
std::vector<std::string> words_after(const Command& command) {
  std::vector<std::string> words = command.subcommands;
  for (const CommandOption& option : command.options) {
    const auto& more = option.positional ? option.words : option.names;
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

std::string quoted_for_shell(std::string text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

/// A function that walks down the words typed so far as long as they name commands, then offers what may follow.
std::string bash_script(const std::vector<Command>& tree) {
  std::string out =
      "# bash completion for slidemesh\n_slidemesh() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path=slidemesh word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$path $word\" in\n";
  for (const Command& command : tree) {
    if (command.path.find(' ') != std::string::npos) {
      out += fmt::format("      {0}) path={0} ;;\n", quoted_for_shell(command.path));
    }
  }
  out += "    esac\n  done\n  case \"$path $previous\" in\n";
  for (const Command& command : tree) {
    for (const CommandOption& option : command.options) {
      if (!option.positional && !option.words.empty()) {
        for (const std::string& name : option.names) {
          out += fmt::format("    {}) COMPREPLY=($(compgen -W {} -- \"$current\")); return ;;\n",
                             quoted_for_shell(command.path + " " + name),
                             quoted_for_shell(fmt::format("{}", fmt::join(option.words, " "))));
        }
      }
    }
  }
  out += "  esac\n  case \"$path\" in\n";
  for (const Command& command : tree) {
    out += fmt::format("    {}) COMPREPLY=($(compgen -W {} -- \"$current\")) ;;\n", quoted_for_shell(command.path),
                       quoted_for_shell(fmt::format("{}", fmt::join(words_after(command), " "))));
  }
  return out + "  esac\n}\ncomplete -o default -F _slidemesh slidemesh\n";
}

/// zsh runs the function for bash by its own emulation of it.
std::string zsh_script(const std::vector<Command>& tree) {
  return "#compdef slidemesh\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(tree);
}

std::string fish_script(const std::vector<Command>& tree) {
  std::string out = "# fish completion for slidemesh\n";
  for (const Command& command : tree) {
    std::string path = command.path;
    path.erase(0, std::min(path.size(), std::string("slidemesh ").size()));
    std::string when = "__fish_use_subcommand";
    for (std::size_t begin = 0; !path.empty() && begin < path.size();) {
      const std::size_t end = std::min(path.find(' ', begin), path.size());
      when = (begin == 0 ? "" : when + "; and ") + "__fish_seen_subcommand_from " + path.substr(begin, end - begin);
      begin = end + 1;
    }
    const std::string condition = quoted_for_shell(when);
    for (const std::string& sub : command.subcommands) {
      const auto found =
          std::find_if(tree.begin(), tree.end(), [&](const Command& c) { return c.path == command.path + " " + sub; });
      out += fmt::format("complete -c slidemesh -n {} -f -a {} -d {}\n", condition, sub, quoted_for_shell(found->help));
    }
    for (const CommandOption& option : command.options) {
      std::string line = fmt::format("complete -c slidemesh -n {}", condition);
      if (option.positional && option.words.empty()) {
        continue;
      }
      for (const std::string& name : option.names) {
        line += option.positional ? "" : name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      line += option.value.empty() ? "" : " -r";
      line += option.words.empty() ? "" : " -a " + quoted_for_shell(fmt::format("{}", fmt::join(option.words, " ")));
      out += fmt::format("{} -d {}\n", line, quoted_for_shell(option.help));
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const std::vector<Command>& tree, const std::string& shell) {
  if (shell == "bash") {
    return bash_script(tree);
  }
  if (shell == "zsh") {
    return zsh_script(tree);
  }
  if (shell == "fish") {
    return fish_script(tree);
  }
  throw UsageError(fmt::format("completion: expected bash, zsh or fish, got '{}'", shell));
}

}  // namespace slidemesh::app

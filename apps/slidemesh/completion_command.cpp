#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "command_tree.h"
#include "commands.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/text.h"

namespace slidemesh::app {

namespace {

// ---- completions

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
    for (std::size_t i = 0; i < command.subcommands.size(); ++i) {
      out += fmt::format("complete -c slidemesh -n {} -f -a {} -d {}\n", condition, command.subcommands[i],
                         quoted_for_shell(command.subcommand_helps[i]));
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

/// A script that lets a shell finish words, and where the shell looks for it below a prefix.
struct Shell {
  const char* name;
  std::string (*script)(const std::vector<Command>& tree);
  const char* path;
};
constexpr std::array<Shell, 3> kShells{{{"bash", bash_script, "bash-completion/completions/slidemesh"},
                                        {"zsh", zsh_script, "zsh/vendor-completions/_slidemesh"},
                                        {"fish", fish_script, "fish/vendor_completions.d/slidemesh.fish"}}};

// ---- manual pages

/// Text as troff takes it: backslashes and hyphens escaped, no line that begins with a control character.
std::string escaped(const std::string& text) {
  std::string out;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    out += c == '\\' ? std::string("\\\\") : c == '-' ? std::string("\\-") : std::string(1, c);
    at_line_start = c == '\n';
  }
  return out;
}

std::string synopsis(const Command& command) {
  std::string out = fmt::format(".B {}\n", escaped(command.path));
  if (!command.subcommands.empty()) {
    out += ".I COMMAND\n";
  }
  for (const CommandOption& option : command.options) {
    if (option.positional) {
      out += fmt::format(".I {}\n", escaped(option.names.front()));
    }
  }
  return out + "[\\fIOPTIONS\\fR]\n";
}

std::string option_entry(const CommandOption& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\f{}{}\\fR", names.empty() ? "" : ", ", option.positional ? 'I' : 'B', escaped(name));
  }
  if (!option.value.empty()) {
    names += fmt::format(" \\fI{}\\fR", escaped(option.value));
  }
  const std::string words = option.words.empty() ? "" : fmt::format(" One of: {}.", fmt::join(option.words, ", "));
  return fmt::format(".TP\n{}\n{}{}\n", names, escaped(option.help), escaped(words));
}

/// The manual page of one command, for man(1), and its name without the section: "slidemesh-data-split".
std::string page_name(const Command& command) {
  std::string name = command.path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string manual_page(const Command& command, const std::string& version) {
  std::string title = page_name(command);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  std::string out =
      fmt::format(".TH \"{}\" 1 \"\" \"slidemesh {}\" \"slidemesh\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", title,
                  version, escaped(page_name(command)), escaped(command.help), synopsis(command));
  if (!command.subcommands.empty()) {
    out += ".SH COMMANDS\n";
    for (std::size_t i = 0; i < command.subcommands.size(); ++i) {
      const std::string sub = escaped(command.subcommands[i]);
      out += fmt::format(".TP\n\\fB{}\\fR\n{}. See \\fB{}\\-{}\\fR(1).\n", sub, escaped(command.subcommand_helps[i]),
                         escaped(page_name(command)), sub);
    }
  }
  out += ".SH OPTIONS\n" + text::joined(command.options, "", option_entry);
  if (!command.footer.empty()) {
    out += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", escaped(command.footer));
  }
  return out;
}

/// The files that an installation wants, where the shells and man(1) look for them below a prefix.
void write_all(const std::vector<Command>& tree, const std::filesystem::path& prefix) {
  const auto write = [&](const std::filesystem::path& path, const std::string& text) {
    make_directory((prefix / path).parent_path());
    atomic_write(prefix / path, text);
  };
  for (const Shell& shell : kShells) {
    write(shell.path, shell.script(tree));
  }
  for (const Command& command : tree) {
    write("man/man1/" + page_name(command) + ".1", manual_page(command, SLIDEMESH_VERSION));
  }
}

}  // namespace

void add_completion_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("completion", "Print a script that lets a shell complete slidemesh's words");
  auto shell = std::make_shared<std::string>();
  auto install = std::make_shared<std::string>();
  auto* which = command->add_option("SHELL", *shell, "bash, zsh or fish")->check(CLI::IsMember(names_of(kShells)));
  auto* all = command
                  ->add_option("--install", *install,
                               "Write the scripts of all shells and the manual pages below this directory, as "
                               "/usr/share has them")
                  ->type_name("DIR");
  which->excludes(all);
  command->footer("Example:\n  source <(slidemesh completion bash)");
  command->callback([shell, install, &app, &action] {
    if (shell->empty() && install->empty()) {
      throw CLI::RequiredError("SHELL");
    }
    action = [shell, install, &app] {
      const auto tree = command_tree(app);
      if (install->empty()) {
        fmt::print("{}", std::ranges::find(kShells, *shell, &Shell::name)->script(tree));
      } else {
        write_all(tree, *install);
      }
      return ExitCode::kOk;
    };
  });
}

}  // namespace slidemesh::app

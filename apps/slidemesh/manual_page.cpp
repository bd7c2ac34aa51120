#include <fmt/format.h>

#include <algorithm>

#include "command_tree.h"

namespace slidemesh::app {

namespace {

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

}  // namespace

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
  out += ".SH OPTIONS\n";
  for (const CommandOption& option : command.options) {
    out += option_entry(option);
  }
  if (!command.footer.empty()) {
    out += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", escaped(command.footer));
  }
  return out;
}

}  // namespace slidemesh::app

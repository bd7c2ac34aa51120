#include "command_tree.h"

#include <algorithm>
#include <sstream>

#include "slidemesh/algorithms/registry.h"
#include "slidemesh/base/text.h"

namespace slidemesh::app {

namespace {

/// CLI11 writes the members of a choice as "TEXT:{one,two}".
std::vector<std::string> words_in(const std::string& type) {
  std::vector<std::string> words;
  const auto begin = type.find('{');
  const auto end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) {
    return words;
  }
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string word; std::getline(list, word, ',');) {
    words.push_back(word);
  }
  return words;
}

CommandOption describe(const CLI::Option& option) {
  CommandOption out;
  out.positional = option.get_positional();
  for (const std::string& name : option.get_snames()) {
    out.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    out.names.push_back("--" + name);
  }
  if (out.positional) {
    out.names = {option.get_name(true)};
  }
  const std::string type = option.get_type_name();
  out.words = words_in(type);
  if (option.check_lname("methods")) {  // too many for the line of --help
    out.words = names_of(method_kinds());
  }
  if (option.get_type_size_max() > 0 && !out.positional) {
    out.value = out.words.empty() ? type.substr(0, type.find(':')) : "WORD";
  }
  out.help = option.get_description();
  return out;
}

void walk(const CLI::App& app, const std::string& path, std::vector<Command>& tree) {
  Command command;
  command.path = path;
  command.help = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    command.options.push_back(describe(*option));
  }
  const auto below = app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
  for (const CLI::App* sub : below) {
    command.subcommands.push_back(sub->get_name());
    command.subcommand_helps.push_back(sub->get_description());
  }
  tree.push_back(std::move(command));
  for (const CLI::App* sub : below) {
    walk(*sub, path + " " + sub->get_name(), tree);
  }
}

}  // namespace

std::string meant_instead(const std::vector<Command>& tree, const std::vector<std::string>& words,
                          std::string_view complaint) {
  const auto at = [&](const std::string& path) {
    return std::find_if(tree.begin(), tree.end(), [&](const Command& command) { return command.path == path; });
  };
  auto command = tree.begin();
  for (const std::string& word : words) {
    if (const auto below = at(command->path + " " + word); below != tree.end()) {
      command = below;
      continue;
    }
    std::vector<std::string> known;
    if (word.rfind('-', 0) == 0) {
      for (const CommandOption& option : command->options) {
        if (!option.positional) {
          known.insert(known.end(), option.names.begin(), option.names.end());
        }
      }
    } else {
      known = command->subcommands;
      for (const CommandOption& option : command->options) {
        known.insert(known.end(), option.words.begin(), option.words.end());
      }
    }
    const std::string name = word.substr(0, word.find('='));
    if (!complaint.empty() && complaint.find(name) == std::string_view::npos) {
      continue;
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      if (std::string nearest = nearest_word(name, known); !nearest.empty()) {
        return nearest;
      }
    }
  }
  return {};
}

std::vector<Command> command_tree(const CLI::App& app) {
  std::vector<Command> tree;
  walk(app, app.get_name(), tree);
  return tree;
}

}  // namespace slidemesh::app

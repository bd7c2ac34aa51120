#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "command_tree.h"
#include "commands.h"
#include "slidemesh/base/atomic_file.h"

namespace slidemesh::app {

namespace {

/// The files that an installation wants, where the shells and man(1) look for them below a prefix.
void write_all(const std::vector<Command>& tree, const std::filesystem::path& prefix) {
  const auto write = [&](const std::filesystem::path& path, const std::string& text) {
    make_directory((prefix / path).parent_path());
    atomic_write(prefix / path, text);
  };
  write("bash-completion/completions/slidemesh", completion_script(tree, "bash"));
  write("zsh/vendor-completions/_slidemesh", completion_script(tree, "zsh"));
  write("fish/vendor_completions.d/slidemesh.fish", completion_script(tree, "fish"));
  for (const Command& command : tree) {
    write("man/man1/" + page_name(command) + ".1", manual_page(command, SLIDEMESH_VERSION));
  }
}

}  // namespace

void add_completion_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("completion", "Print a script that lets a shell complete slidemesh's words");
  auto shell = std::make_shared<std::string>();
  auto install = std::make_shared<std::string>();
  auto* which =
      command->add_option("SHELL", *shell, "bash, zsh or fish")->check(CLI::IsMember({"bash", "zsh", "fish"}));
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
        fmt::print("{}", completion_script(tree, *shell));
      } else {
        write_all(tree, *install);
      }
      return ExitCode::kOk;
    };
  });
}

}  // namespace slidemesh::app

#include "new_data_arguments.h"

#include "config_file.h"

namespace slidemesh::app {

void add_model_options(CLI::App* command, NewDataArguments& arguments) {
  command->add_option("MODEL", arguments.model, "A model.json, or the directory of a run")->required();
  command->add_option("--label", arguments.label, "Which model, where a run had several methods");
  command->add_flag("--json", arguments.json, "JSON instead of words");
}

void add_new_data_options(CLI::App* command, NewDataArguments& arguments) {
  add_model_options(command, arguments);
  command
      ->add_option("DATA", arguments.data,
                   "A file of rows, a TOML file whose [data] says where they are, or the name of a source (postgres)")
      ->required();
  command->add_option("--set", arguments.overrides, "A key of [data], as in --set delimiter=';'; may be repeated")
      ->allow_extra_args(false);
}

std::filesystem::path model_file(const NewDataArguments& arguments) {
  std::filesystem::path path = arguments.model;
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    path /= "model.json";
  }
  return path;
}

Predictor read_predictor(const NewDataArguments& arguments) {
  const std::filesystem::path path = model_file(arguments);
  return {find_model(path, arguments.label), path.string()};
}

DataSpec data_of(const NewDataArguments& arguments, const Predictor& predictor) {
  return read_new_data(arguments.data, arguments.overrides, predictor.model());
}

}  // namespace slidemesh::app

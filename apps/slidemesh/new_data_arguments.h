#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/session/prediction.h"

namespace slidemesh::app {

/// What `predict` and `evaluate` have in common: a model, and rows to use it on.
struct NewDataArguments {
  std::string model;
  std::string label;
  std::string data;
  std::vector<std::string> overrides;
  bool json = false;
};

/// The model alone, and --json.
void add_model_options(CLI::App* command, NewDataArguments& arguments);
void add_new_data_options(CLI::App* command, NewDataArguments& arguments);

/// A run's directory stands for its model.json.
[[nodiscard]] std::filesystem::path model_file(const NewDataArguments& arguments);
[[nodiscard]] Predictor read_predictor(const NewDataArguments& arguments);
[[nodiscard]] DataSpec data_of(const NewDataArguments& arguments, const Predictor& predictor);

}  // namespace slidemesh::app

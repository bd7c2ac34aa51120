#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "commands.h"
#include "new_data_arguments.h"
#include "slidemesh/session/onnx.h"

namespace slidemesh::app {

namespace {

struct ExportArguments {
  NewDataArguments input;
  std::string out;
  bool single = false;
};

ExitCode export_model(const ExportArguments& arguments) {
  const Predictor predictor = read_predictor(arguments.input);
  write_onnx(arguments.out, predictor.model(), {.single = arguments.single});
  const FeatureMap& map = predictor.map();
  if (arguments.input.json) {
    fmt::print("{{\"file\":{},\"features\":{}}}\n", nlohmann::json(arguments.out).dump(), map.features);
  } else {
    fmt::print("{}: {} features in, {} out\n", arguments.out, map.features,
               map.labels.classes() == 0         ? "prediction"
               : predictor.gives_probabilities() ? "label and probabilities"
                                                 : "label and score");
  }
  return ExitCode::kOk;
}

}  // namespace

void add_export_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command(app, "export", "A model as an ONNX file, for other programs", action, export_model);
  add_model_options(command, arguments->input);
  command->add_option("--onnx", arguments->out, "The file to write")->required();
  command->add_flag("--single", arguments->single, "Numbers of 32 bits, for runtimes that have no others");
  command->footer(
      "The input `features` has a row per row of data and a column per feature, in the data's own units; scaling and\n"
      "intercept are in the graph. Words are 0-or-1 features; `feature_names` in the file's metadata names all.\n\n"
      "Examples:\n"
      "  slidemesh export runs/clicks --onnx clicks.onnx\n"
      "  slidemesh export model.json --label ipds --onnx clicks.onnx --single");
}

}  // namespace slidemesh::app

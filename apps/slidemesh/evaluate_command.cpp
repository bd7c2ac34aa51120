#include <fmt/format.h>

#include "commands.h"
#include "new_data_arguments.h"
#include "slidemesh/report/scores.h"

namespace slidemesh::app {

namespace {

ExitCode evaluate_model(const NewDataArguments& arguments) {
  const Predictor predictor = read_predictor(arguments);
  const Scores scores = evaluate(predictor, data_of(arguments, predictor));
  if (arguments.json) {
    fmt::print("{}\n", scores_json(scores));
    return ExitCode::kOk;
  }
  for (const std::string& line : scores_lines(scores)) {
    fmt::print("{}\n", line);
  }
  return ExitCode::kOk;
}

}  // namespace

void add_evaluate_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command(app, "evaluate", "How good a model is on rows whose labels are known", action, evaluate_model);
  add_new_data_options(command, *arguments);
  command->footer(
      "Classes: accuracy, balanced accuracy, AUC, log loss, confusion table. Numbers: R2, RMSE, MAE. Columns are "
      "found\n"
      "by their names; what the model does not know is refused.\n\n"
      "Examples:\n"
      "  slidemesh evaluate runs/clicks test.csv\n"
      "  slidemesh evaluate model.json clicks.db --set table=test --json\n"
      "  slidemesh evaluate model.json postgres --set dsn='host=db dbname=train' --set table=test");
}

}  // namespace slidemesh::app

#include "slidemesh/report/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "json_fields.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

namespace {

using report_json::Field;

/// More classes than this make a table that nobody reads.
constexpr std::size_t kMostClassesShown = 20;

std::string shown(double value) { return fmt::format("{:.6g}", value); }

std::string shown(const std::optional<double>& value) { return value ? shown(*value) : "none"; }

/// Below zero something is missing, most often an intercept.
std::string comment_on(const std::optional<double>& r2) {
  return r2 && *r2 < 0.0 ? " (below 0: the mean of the labels would do better; data.intercept = \"free\" adds one)"
                         : "";
}

std::string line(const char* name, const std::string& value) {
  std::string out = name;
  out.resize(20, ' ');
  return out + value;
}

/// A name from a file, for a terminal.
std::string printable(const std::string& name) {
  const std::string quoted = text::quoted(name);
  return quoted.substr(1, quoted.size() - 2);
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t length = utf8_length(text);
  return std::string(length < width ? width - length : 0, ' ') + text;
}

/// True classes down, predicted ones across.
void append_confusion(const Scores& scores, std::vector<std::string>& lines) {
  const auto& confusion = scores.classes->confusion;
  if (confusion.size() > kMostClassesShown) {
    return;
  }
  std::vector<std::string> classes;
  std::transform(scores.class_names.begin(), scores.class_names.end(), std::back_inserter(classes), printable);
  std::size_t names = 4;
  std::size_t width = 4;
  for (std::size_t i = 0; i < confusion.size(); ++i) {
    names = std::max(names, utf8_length(classes[i]));
    for (const Count count : confusion[i]) {
      width = std::max(width, std::to_string(count).size());
    }
  }
  width = std::max(width, std::min<std::size_t>(names, 12));
  std::string header = padded("true", names) + " |";
  for (const std::string& name : classes) {
    header.append(1, ' ').append(padded(std::string(utf8_prefix(name, width)), width));
  }
  lines.insert(lines.end(), {"", "confusion: rows by their true class, columns by the predicted one", header});
  for (std::size_t i = 0; i < confusion.size(); ++i) {
    std::string row = padded(classes[i], names) + " |";
    for (const Count count : confusion[i]) {
      row.append(1, ' ').append(padded(std::to_string(count), width));
    }
    lines.push_back(row);
  }
}

double read_figure(const Field& object, const char* key) { return object.at(key).finite_number(); }

Histogram read_histogram(const Field& object) {
  return {read_figure(object, "low"), read_figure(object, "high"), object.at("counts").each(&Field::count)};
}

std::vector<std::vector<Count>> read_confusion(const Field& table, std::size_t classes) {
  auto confusion = table.each([classes](const Field& row) {
    std::vector<Count> counts = row.each(&Field::count);
    row.require(counts.size() == classes, "a count for each class");
    return counts;
  });
  table.require(confusion.size() == classes, "a row for each class");
  return confusion;
}

}  // namespace

void to_json(Json& object, const Scores& scores) {
  object = {{"data", scores.data}};
  if (const auto& c = scores.classes) {
    object["rows"] = c->rows;
    object["accuracy"] = c->accuracy;
    object["balanced_accuracy"] = c->balanced_accuracy;
    object["auc"] = c->auc;
    object["log_loss"] = c->log_loss;
    object["classes"] = scores.class_names;
    object["confusion"] = c->confusion;
  }
  if (const auto& n = scores.numbers) {
    object["rows"] = n->rows;
    object["r2"] = n->r2;
    object["rmse"] = n->rmse;
    object["mae"] = n->mae;
    object["residuals"] = {{"low", n->residuals.low}, {"high", n->residuals.high}, {"counts", n->residuals.counts}};
  }
}

static void to_json(Json& object, const CoefficientSummary::One& one) {
  object = {{"name", one.name}, {"output", one.output}, {"value", one.value}};
}

void to_json(Json& object, const CoefficientSummary& coefficients) {
  object = {{"rows", coefficients.rows},
            {"columns", coefficients.columns},
            {"nonzeros", coefficients.nonzeros},
            {"rank", coefficients.rank},
            {"largest", coefficients.largest}};
}

namespace report_json {

Scores read_scores(const Field& object) {
  Scores scores{object.at("data").text(), {}, {}, {}};
  if (object.has("rmse")) {
    scores.numbers =
        RegressionScores{object.at("rows").count(), object.at("r2").optional_number(), read_figure(object, "rmse"),
                         read_figure(object, "mae"), read_histogram(object.at("residuals"))};
    return scores;
  }
  scores.class_names = object.at("classes").each(&Field::text);
  scores.classes = ClassificationScores{object.at("rows").count(),
                                        read_figure(object, "accuracy"),
                                        read_figure(object, "balanced_accuracy"),
                                        object.at("auc").optional_number(),
                                        object.at("log_loss").optional_number(),
                                        read_confusion(object.at("confusion"), scores.class_names.size())};
  return scores;
}

CoefficientSummary read_coefficients(const Field& object) {
  CoefficientSummary out{object.at("rows").count(),
                         object.at("columns").count(),
                         object.at("nonzeros").count(),
                         object.at("rank").optional_count(),
                         {}};
  out.largest = object.at("largest").each([](const Field& one) {
    return CoefficientSummary::One{one.at("name").text(), one.at("output").text(), one.at("value").finite_number()};
  });
  return out;
}

}  // namespace report_json

std::vector<std::string> scores_lines(const Scores& scores) {
  std::vector<std::string> lines;
  if (const auto& c = scores.classes) {
    lines = {line("rows", std::to_string(c->rows)), line("accuracy", shown(c->accuracy)),
             line("balanced accuracy", shown(c->balanced_accuracy)), line("AUC", shown(c->auc)),
             line("log loss", c->log_loss ? shown(*c->log_loss) : "none: the loss gives no probabilities")};
    append_confusion(scores, lines);
  }
  if (const auto& n = scores.numbers) {
    lines = {line("rows", std::to_string(n->rows)), line("R2", shown(n->r2) + comment_on(n->r2)),
             line("RMSE", shown(n->rmse)), line("MAE", shown(n->mae))};
  }
  return lines;
}

std::string scores_sentence(const Scores& scores) {
  if (const auto& c = scores.classes) {
    return std::to_string(c->rows) + " rows, accuracy " + shown(c->accuracy) + ", balanced " +
           shown(c->balanced_accuracy) + (c->auc ? ", AUC " + shown(*c->auc) : "") +
           (c->log_loss ? ", log loss " + shown(*c->log_loss) : "");
  }
  const auto& n = scores.numbers;
  return std::to_string(n->rows) + " rows, R2 " + shown(n->r2) + comment_on(n->r2) + ", RMSE " + shown(n->rmse) +
         ", MAE " + shown(n->mae);
}

std::string scores_json(const Scores& scores) { return report_json::dump(scores); }

}  // namespace slidemesh

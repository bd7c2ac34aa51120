#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>

#include "commands.h"
#include "new_data_arguments.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/data/load/sources.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

struct PredictArguments {
  NewDataArguments input;
  std::string out;
};

/// Lines to a file that is there as a whole or not at all; to a device or a pipe as it is, or to the standard output.
class LineSink {
 public:
  explicit LineSink(const std::string& path) : name_(path.empty() ? "standard output" : path) {
    std::error_code ignored;
    if (!path.empty() && std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
      file_ = std::fopen(path.c_str(), "we");
      check(file_ != nullptr);
    } else if (!path.empty()) {
      whole_.emplace(path);
    }
  }
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;
  ~LineSink() {
    if (file_ != nullptr && file_ != stdout) {
      std::fclose(file_);
    }
  }

  void write(const std::string& line) {
    pending_ += line + '\n';
    constexpr std::size_t kPiece = std::size_t{1} << 16U;
    if (!whole_ || pending_.size() >= kPiece) {
      flush();
    }
  }

  void finish() {
    flush();
    if (whole_) {
      whole_->keep();
    } else {
      check(std::fflush(file_) == 0);
    }
  }

 private:
  void flush() {
    if (whole_) {
      whole_->write(pending_);
    } else {
      check(std::fputs(pending_.c_str(), file_) >= 0);
    }
    pending_.clear();
  }
  void check(bool fine) const {
    if (!fine) {
      throw UsageError(fmt::format("{}: cannot write: {}", name_, std::generic_category().message(errno)));
    }
  }

  std::string name_;
  std::string pending_;
  std::optional<AtomicFile> whole_;
  std::FILE* file_ = stdout;
};

/// What is said of one row, as text.
class PredictionText {
 public:
  PredictionText(const Predictor& predictor, bool json)
      : predictor_(predictor), names_(predictor.class_names()), json_(json) {}

  [[nodiscard]] std::string header(bool has_ids) const {
    std::string line = is_matrix() ? "row,column," : has_ids ? "id," : "";
    line += "prediction";
    if (predictor_.classes() > 0 && !predictor_.gives_probabilities()) {
      line += ",score";
    }
    for (std::size_t c = 0; predictor_.gives_probabilities() && c < names_.size(); ++c) {
      line += "," + csv_field(fmt::format("P({})", names_[c]));
    }
    return line;
  }

  [[nodiscard]] std::string row(const NewRows& rows, Index r, ConstVectorRef scores) const {
    return json_ ? json_row(rows, r, scores) : csv_row(rows, r, scores);
  }

 private:
  [[nodiscard]] bool is_matrix() const { return predictor_.model().completes_a_matrix(); }

  /// Of matrix entries: the row and the column of one, by name where they have names, else by number.
  [[nodiscard]] std::array<nlohmann::ordered_json, 2> entry(const NewRows& rows, Index r) const {
    const Model& model = predictor_.model();
    const Index place = rows.rows.columns[rows.rows.offsets[rows.rows.storage_row(r)]];
    static const MatrixNames kNumbered;
    const MatrixNames& names = predictor_.map().matrix ? *predictor_.map().matrix : kNumbered;
    const auto called = [](Index number, const std::vector<std::string>& known) -> nlohmann::ordered_json {
      return known.empty() ? nlohmann::ordered_json(number)
                           : nlohmann::ordered_json(known[static_cast<std::size_t>(number)]);
    };
    return {called(place % model.rows, names.row_names), called(place / model.rows, names.column_names)};
  }

  [[nodiscard]] std::vector<double> probabilities(ConstVectorRef scores) const {
    return scores.size() == 1 ? std::vector{1.0 - scores(0), scores(0)}
                              : std::vector<double>(scores.begin(), scores.end());
  }

  [[nodiscard]] std::string csv_row(const NewRows& rows, Index r, ConstVectorRef scores) const {
    std::string line;
    if (is_matrix()) {
      for (const auto& name : entry(rows, r)) {
        line += (name.is_string() ? csv_field(name.get<std::string>()) : name.dump()) + ",";
      }
    } else if (!rows.ids.empty()) {
      line = csv_field(rows.ids[static_cast<std::size_t>(r)]) + ",";
    }
    if (predictor_.classes() == 0) {
      return line + text::shortest(scores(0));
    }
    line += csv_field(names_[static_cast<std::size_t>(predictor_.best_class(scores))]);
    if (!predictor_.gives_probabilities()) {
      return line + "," + text::shortest(scores(0));
    }
    for (const double p : probabilities(scores)) {
      line += "," + text::shortest(p);
    }
    return line;
  }

  [[nodiscard]] std::string json_row(const NewRows& rows, Index r, ConstVectorRef scores) const {
    nlohmann::ordered_json object;
    if (is_matrix()) {
      const auto place = entry(rows, r);
      object["row"] = place[0];
      object["column"] = place[1];
    } else if (!rows.ids.empty()) {
      object["id"] = rows.ids[static_cast<std::size_t>(r)];
    }
    if (predictor_.classes() == 0) {
      object["prediction"] = scores(0);
    } else {
      object["prediction"] = names_[static_cast<std::size_t>(predictor_.best_class(scores))];
    }
    if (predictor_.gives_probabilities()) {
      const std::vector<double> p = probabilities(scores);
      for (std::size_t c = 0; c < names_.size(); ++c) {
        object["probabilities"][names_[c]] = p[c];
      }
    } else if (predictor_.classes() > 0) {
      object["score"] = scores(0);
    }
    return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  const Predictor& predictor_;
  std::vector<std::string> names_;
  bool json_;
};

/// Predictions do not take the place of what they are made from.
void require_another_file(const std::string& out, const DataSpec& spec, const NewDataArguments& input) {
  const auto is_out = [&out](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && std::filesystem::equivalent(path, out, ignored);
  };
  if (is_out(spec.path) || is_out(input.data) || is_out(model_file(input))) {
    fail<UsageError>("--out", "another file than those of rows and model", out);
  }
}

ExitCode predict(const PredictArguments& arguments) {
  const Predictor predictor = read_predictor(arguments.input);
  const DataSpec spec = data_of(arguments.input, predictor);
  require_another_file(arguments.out, spec, arguments.input);
  const PredictionText text(predictor, arguments.input.json);
  LineSink sink(arguments.out);
  Count count = 0;
  predictor.scan(spec, false, [&](const NewRows& rows) {
    if (rows.first == 0 && !arguments.input.json) {
      sink.write(text.header(!rows.ids.empty()));
    }
    const Matrix scores = predictor.scores(rows.rows);
    for (Index r = 0; r < rows.rows.count; ++r) {
      sink.write(text.row(rows, r, scores.col(r)));
    }
    count += rows.rows.count;
  });
  if (count == 0 && !arguments.input.json) {  // a table without rows has columns
    sink.write(text.header(!spec.csv.id.empty() || source_of(spec.source).is_database));
  }
  sink.finish();
  if (!arguments.out.empty()) {
    write_to_log(fmt::format("{} rows predicted in {}\n", count, arguments.out));
  }
  return ExitCode::kOk;
}

}  // namespace

void add_predict_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command(app, "predict", "What a model says of new rows: labels, probabilities, values", action, predict);
  add_new_data_options(command, arguments->input);
  command->add_option("--out", arguments->out, "A file; without it the standard output");
  command->footer(
      "One line per row, in the order of the data: CSV with a header, or with --json an object per line. Labels need "
      "not "
      "be\n"
      "in the data. Columns are found by their names; what the model does not know is refused.\n\n"
      "Examples:\n"
      "  slidemesh predict runs/clicks new.csv --out predicted.csv\n"
      "  slidemesh predict model.json new.csv --set id=customer --json\n"
      "  slidemesh predict model.json clicks.db --set table=new");
}

}  // namespace slidemesh::app

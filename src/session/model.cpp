#include "slidemesh/session/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "report/json_fields.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/losses/registry.h"

namespace slidemesh {

using report_json::Field;

static void to_json(Json& object, const FeatureColumn& column) {
  object = {{"name", column.name}};
  if (!column.words.empty()) {
    object["words"] = column.words;
  }
  if (column.missing) {
    object["missing"] = *column.missing;
  }
}

namespace {

using LabelWord = std::pair<LabelKind, std::string_view>;
constexpr std::array<LabelWord, 3> kLabelKinds = {
    {{LabelKind::kBinary, "binary"}, {LabelKind::kReal, "real"}, {LabelKind::kClass, "class"}}};

/// Words are searched for by halving, so that their order matters.
std::vector<std::string> read_words(const Field& array) {
  std::vector<std::string> words = array.each(&Field::text);
  array.require(std::ranges::adjacent_find(words, std::greater_equal<>()) == words.end(),
                "different words in the order of their bytes");
  return words;
}

std::vector<FeatureColumn> read_columns(const Field& array) {
  std::vector<FeatureColumn> columns;
  std::set<std::string> names;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const Field object = array.at(i);
    FeatureColumn& column = columns.emplace_back(FeatureColumn{object.at("name").text()});
    object.at("name").require(names.insert(column.name).second, "a name that no other column has");
    if (object.has("words")) {
      column.words = read_words(object.at("words"));
      object.at("words").require(!column.words.empty(), "a word at least");
    }
    object.read_if_there("missing", &Field::finite_number, column.missing);
  }
  return columns;
}

LabelKind read_label_kind(const Field& field) {
  const auto found = std::ranges::find(kLabelKinds, field.text(), &LabelWord::second);
  field.require(found != kLabelKinds.end(), "binary, real or class");
  return found->first;
}

/// Values ascend, and where labels are words a value is the number of one.
void check_labels(const Field& object, const FeatureMap& map) {
  const std::vector<double>& values = map.labels.values;
  const bool ascend = std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
  const bool as_many = map.labels.kind == LabelKind::kReal     ? values.empty()
                       : map.labels.kind == LabelKind::kBinary ? values.size() == 2
                                                               : values.size() >= 2;
  object.at("label_kind").require(ascend && as_many, "as many label_values as it has classes, in ascending order");
  const auto words = static_cast<double>(map.label_words.size());
  const bool in_words =
      std::ranges::all_of(values, [&](double v) { return v >= 0.0 && v < words && v == std::floor(v); });
  object.at("label_words").require(map.label_words.empty() || in_words, "a word for each of the label_values");
}

Preparation read_preparation(const Field& object, Index features) {
  Preparation preparation;
  const Field scaling = object.at("scaling");
  constexpr std::array<Scaling, 3> kAll = {Scaling::kNone, Scaling::kMaxAbs, Scaling::kStandard};
  const auto found = std::ranges::find(kAll, scaling.text(), [](Scaling s) { return to_string(s); });
  scaling.require(found != kAll.end(), "none, max-abs or standard");
  preparation.options.scaling = *found;
  preparation.options.intercept = object.at("intercept").flag();
  preparation.shift = object.at("shift").each(&Field::finite_number);
  preparation.scale = object.at("scale").each(&Field::finite_number);
  const auto expect = [&](const char* key, const std::vector<double>& numbers, bool wanted) {
    object.at(key).require(static_cast<Index>(numbers.size()) == (wanted ? features : 0),
                           wanted ? "a number for each of " + std::to_string(features) + " features" : "none");
  };
  expect("shift", preparation.shift, *found == Scaling::kStandard);
  expect("scale", preparation.scale, *found != Scaling::kNone);
  object.at("scale").require(std::ranges::all_of(preparation.scale, [](double s) { return s > 0.0; }),
                             "positive numbers");
  return preparation;
}

/// What model.json says of the data: docs/models.md.
Json json_of(const FeatureMap& map) {
  Json object = {{"features", map.features},
                 {"columns", map.columns},
                 {"label", map.label},
                 {"label_kind", std::ranges::find(kLabelKinds, map.labels.kind, &LabelWord::first)->second},
                 {"label_words", map.label_words},
                 {"scaling", to_string(map.preparation.options.scaling)},
                 {"shift", map.preparation.shift},
                 {"scale", map.preparation.scale},
                 {"intercept", map.preparation.options.intercept}};
  if (map.matrix) {
    object["matrix"] = {{"row", map.matrix->row},
                        {"column", map.matrix->column},
                        {"row_names", map.matrix->row_names},
                        {"column_names", map.matrix->column_names}};
  }
  return object;
}

/// Trusts nothing. `label_values` are the model's.
FeatureMap read_feature_map(const Field& object, std::vector<double> label_values) {
  FeatureMap map;
  map.features = object.at("features").count();
  map.columns = read_columns(object.at("columns"));
  Index of_columns = 0;
  for (const FeatureColumn& column : map.columns) {
    of_columns += column.features();
  }
  object.at("features")
      .require(map.columns.empty() || of_columns == map.features,
               "as many as the columns have, " + std::to_string(of_columns));
  map.label = object.at("label").text();
  map.label_words = object.at("label_words").each(&Field::text);
  map.labels.kind = read_label_kind(object.at("label_kind"));
  map.labels.values = std::move(label_values);
  check_labels(object, map);
  map.preparation = read_preparation(object, map.features);
  if (object.has("matrix")) {
    const Field matrix = object.at("matrix");
    map.matrix = {matrix.at("row").text(), matrix.at("column").text(), read_words(matrix.at("row_names")),
                  read_words(matrix.at("column_names"))};
  }
  return map;
}

/// More parameters than any machine here would hold: keeps rows * columns from overflowing.
constexpr Count kLargestDimension = Count{1} << 31U;

/// visit(name, number) for what says how good a model is, where it is known.
template <class AnyModel, class Visit>
void visit_quality(AnyModel& model, const Visit& visit) {
  visit("objective", model.objective);
  visit("lower_bound", model.lower_bound);
  visit("certified_gap", model.certified_gap);
}

Json json_of(const Model& model) {
  Json object = {{"label", model.label}, {"method", model.method},   {"dimension", model.dimension()},
                 {"rows", model.rows},   {"columns", model.columns}, {"loss", model.loss},
                 {"set", model.set},     {"mu", model.mu},           {"label_values", model.label_values}};
  if (model.status) {
    object["status"] = to_string(*model.status);
  }
  visit_quality(model, [&](const char* key, const std::optional<double>& value) {
    if (value) {
      object[key] = *value;
    }
  });
  if (model.map) {
    object["data"] = json_of(*model.map);
    if (!model.completes_a_matrix()) {
      object["feature_names"] = model.map->feature_names();  // for people and other programs: follows from `data`
    }
  }
  object["parameters"] = std::vector<double>(model.parameters.begin(), model.parameters.end());
  if (model.dual.size() > 0) {
    object["dual"] = Json::array();
    for (const auto& column : model.dual.colwise()) {
      object["dual"].push_back(std::vector<double>(column.begin(), column.end()));
    }
  }
  return object;
}

Index read_extent(const Field& extent) {
  const Count value = extent.count();
  extent.require(value >= 1 && value <= kLargestDimension, "an extent from 1 to " + std::to_string(kLargestDimension));
  return value;
}

Vector read_vector(const Field& array) {
  const std::vector<double> numbers = array.each(&Field::finite_number);
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
}

/// All rows or columns of a matrix have a name, or none has.
void check_names(const Field& matrix, const char* key, const std::vector<std::string>& names, Index extent) {
  matrix.at(key).require(names.empty() || static_cast<Index>(names.size()) == extent,
                         fmt::format("a name for each of {}, or none", extent));
}

/// What the parameters multiply must be as many numbers as they are, and classes as many as the loss has outputs for.
void read_data(const Field& object, Model& model) {
  const Field data = object.at("data");
  FeatureMap map = read_feature_map(data, model.label_values);
  object.at("loss").require(std::ranges::find(loss_kinds(), model.loss, &LossKind::name) != loss_kinds().end(),
                            "the name of a loss");
  const LossSpec spec{.kind = model.loss, .classes = std::max<Index>(2, map.labels.classes())};
  const auto loss = make_loss(spec);
  data.at("label_kind")
      .require(loss->label_kind() == map.labels.kind, "what labels of the loss " + model.loss + " are");
  if (map.features > kLargestDimension || map.prepared_features() * loss->outputs() != model.dimension()) {
    data.at("features")
        .fail("as many features as the parameters are for, " + std::to_string(model.dimension() / loss->outputs()) +
              " with the intercept");
  }
  object.at("rows").require(model.completes_a_matrix() || model.rows == map.prepared_features(),
                            "a row for each feature, " + std::to_string(map.prepared_features()));
  if (map.matrix) {
    check_names(data.at("matrix"), "row_names", map.matrix->row_names, model.rows);
    check_names(data.at("matrix"), "column_names", map.matrix->column_names, model.columns);
  }
  model.map = std::move(map);
}

void read_dual(const Field& dual, Model& model) {
  model.dual.resize(model.dimension(), static_cast<Index>(dual.size()));
  for (Index i = 0; i < model.dual.cols(); ++i) {
    const Field column = dual.at(static_cast<std::size_t>(i));
    column.require(static_cast<Index>(column.size()) == model.dimension(),
                   "as many numbers as the dimension, " + std::to_string(model.dimension()));
    model.dual.col(i) = read_vector(column);
  }
}

Model read_model(const Field& object) {
  Model model;
  model.label = object.at("label").text();
  model.method = object.at("method").text();
  model.rows = read_extent(object.at("rows"));
  model.columns = read_extent(object.at("columns"));
  object.at("rows").require(model.rows <= kLargestDimension / model.columns,
                            "rows x columns of at most " + std::to_string(kLargestDimension));
  object.at("dimension")
      .require(object.at("dimension").count() == model.dimension(),
               "rows x columns = " + std::to_string(model.dimension()));
  const Field parameters = object.at("parameters");
  parameters.require(static_cast<Index>(parameters.size()) == model.dimension(),
                     "as many numbers as the dimension, " + std::to_string(model.dimension()));
  model.parameters = read_vector(parameters);
  model.loss = object.at("loss").text();
  model.set = object.at("set").text();
  model.mu = object.at("mu").finite_number();
  model.label_values = object.at("label_values").each(&Field::finite_number);
  if (object.has("dual")) {
    read_dual(object.at("dual"), model);
  }
  object.read_if_there("status", report_json::status_named, model.status);
  visit_quality(model, [&](const char* key, std::optional<double>& value) {
    object.read_if_there(key, &Field::optional_number, value);
  });
  if (object.has("data")) {
    read_data(object, model);
  }
  return model;
}

}  // namespace

void write_models(const std::filesystem::path& path, std::span<const Model> models) {
  Json document = {{"schema", kSchema}, {"models", Json::array()}};
  for (const Model& model : models) {
    require<InternalError>(model.parameters.size() == model.dimension(), path.string(),
                           fmt::format("{} parameters", model.dimension()), std::to_string(model.parameters.size()));
    document["models"].push_back(json_of(model));
  }
  atomic_write(path, report_json::dump(document, 1) + "\n");
}

std::vector<Model> read_models(const std::filesystem::path& path) {
  const Json document = report_json::read_document(path);
  return Field(document, path.string() + ":").at("models").each(read_model);
}

Model find_model(const std::filesystem::path& path, std::string_view label) {
  std::vector<Model> models = read_models(path);
  require<UsageError>(!label.empty() || models.size() == 1, path.string(), "one model or the label of one",
                      fmt::format("{} models and no label", models.size()));
  const auto found = std::ranges::find_if(models, [&](const Model& m) { return label.empty() || m.label == label; });
  require<UsageError>(found != models.end(), path.string(), fmt::format("a model labelled \"{}\"", label), "none");
  return std::move(*found);
}

Model find_model(const std::filesystem::path& path, std::string_view label, Index dimension) {
  Model model = find_model(path, label);
  require<UsageError>(model.dimension() == dimension, path.string(), fmt::format("a model of dimension {}", dimension),
                      std::to_string(model.dimension()));
  return model;
}

}  // namespace slidemesh

#include "feature_map_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace slidemesh {

using report_json::Field;
using report_json::Json;

namespace {

constexpr std::array<std::pair<LabelKind, std::string_view>, 3> kLabelKinds = {
    {{LabelKind::kBinary, "binary"}, {LabelKind::kReal, "real"}, {LabelKind::kClass, "class"}}};

Json to_json(const FeatureColumn& column) {
  Json object = {{"name", column.name}};
  if (!column.words.empty()) {
    object["words"] = column.words;
  }
  if (column.missing) {
    object["missing"] = *column.missing;
  }
  return object;
}

/// Words are searched for by halving, so that their order matters.
std::vector<std::string> read_words(const Field& array) {
  std::vector<std::string> words = array.each(&Field::text);
  if (std::adjacent_find(words.begin(), words.end(), std::greater_equal<>()) != words.end()) {
    array.fail("different words in the order of their bytes");
  }
  return words;
}

std::vector<FeatureColumn> read_columns(const Field& array) {
  std::vector<FeatureColumn> columns;
  std::set<std::string> names;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const Field object = array.at(i);
    FeatureColumn& column = columns.emplace_back(FeatureColumn{object.at("name").text()});
    if (!names.insert(column.name).second) {
      object.at("name").fail("a name that no other column has");
    }
    if (object.has("words")) {
      column.words = read_words(object.at("words"));
      if (column.words.empty()) {
        object.at("words").fail("a word at least");
      }
    }
    if (object.has("missing")) {
      column.missing = object.at("missing").finite_number();
    }
  }
  return columns;
}

LabelKind read_label_kind(const Field& field) {
  const std::string name = field.text();
  const auto found =
      std::find_if(kLabelKinds.begin(), kLabelKinds.end(), [&](const auto& kind) { return kind.second == name; });
  if (found == kLabelKinds.end()) {
    field.fail("binary, real or class");
  }
  return found->first;
}

/// Values ascend, and where labels are words a value is the number of one.
void check_labels(const Field& object, const FeatureMap& map) {
  const std::vector<double>& values = map.labels.values;
  const bool ascend = std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
  const bool as_many = map.labels.kind == LabelKind::kReal     ? values.empty()
                       : map.labels.kind == LabelKind::kBinary ? values.size() == 2
                                                               : values.size() >= 2;
  if (!ascend || !as_many) {
    object.at("label_kind").fail("as many label_values as it has classes, in ascending order");
  }
  const auto words = static_cast<double>(map.label_words.size());
  const bool in_words =
      std::all_of(values.begin(), values.end(), [&](double v) { return v >= 0.0 && v < words && v == std::floor(v); });
  if (!map.label_words.empty() && !in_words) {
    object.at("label_words").fail("a word for each of the label_values");
  }
}

Preparation read_preparation(const Field& object, Index features) {
  Preparation preparation;
  const Field scaling = object.at("scaling");
  const std::string name = scaling.text();
  const std::array<Scaling, 3> all = {Scaling::kNone, Scaling::kMaxAbs, Scaling::kStandard};
  const auto found = std::find_if(all.begin(), all.end(), [&](Scaling s) { return to_string(s) == name; });
  if (found == all.end()) {
    scaling.fail("none, max-abs or standard");
  }
  preparation.options.scaling = *found;
  preparation.options.intercept = object.at("intercept").flag();
  preparation.shift = object.at("shift").each(&Field::finite_number);
  preparation.scale = object.at("scale").each(&Field::finite_number);
  const auto expect = [&](const char* key, const std::vector<double>& numbers, bool wanted) {
    if (static_cast<Index>(numbers.size()) != (wanted ? features : 0)) {
      object.at(key).fail(wanted ? "a number for each of " + std::to_string(features) + " features" : "none");
    }
  };
  expect("shift", preparation.shift, *found == Scaling::kStandard);
  expect("scale", preparation.scale, *found != Scaling::kNone);
  if (std::any_of(preparation.scale.begin(), preparation.scale.end(), [](double s) { return !(s > 0.0); })) {
    object.at("scale").fail("positive numbers");
  }
  return preparation;
}

}  // namespace

Json to_json(const FeatureMap& map) {
  const auto kind = std::find_if(kLabelKinds.begin(), kLabelKinds.end(),
                                 [&](const auto& entry) { return entry.first == map.labels.kind; });
  Json object = {{"features", map.features},
                 {"columns", Json::array()},
                 {"label", map.label},
                 {"label_kind", kind->second},
                 {"label_words", map.label_words},
                 {"scaling", to_string(map.preparation.options.scaling)},
                 {"shift", map.preparation.shift},
                 {"scale", map.preparation.scale},
                 {"intercept", map.preparation.options.intercept}};
  for (const FeatureColumn& column : map.columns) {
    object["columns"].push_back(to_json(column));
  }
  if (map.matrix) {
    object["matrix"] = {{"row", map.matrix->row},
                        {"column", map.matrix->column},
                        {"row_names", map.matrix->row_names},
                        {"column_names", map.matrix->column_names}};
  }
  return object;
}

FeatureMap read_feature_map(const Field& object, std::vector<double> label_values) {
  FeatureMap map;
  map.features = object.at("features").count();
  map.columns = read_columns(object.at("columns"));
  Index of_columns = 0;
  for (const FeatureColumn& column : map.columns) {
    of_columns += column.features();
  }
  if (!map.columns.empty() && of_columns != map.features) {
    object.at("features").fail("as many as the columns have, " + std::to_string(of_columns));
  }
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

}  // namespace slidemesh

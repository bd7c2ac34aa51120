#include <algorithm>

#include "json_fields.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/report/writers.h"

namespace slidemesh {

using report_json::Field;
using report_json::Json;

namespace {

/// More parameters than any machine here would hold: keeps rows * columns from overflowing.
constexpr Count kLargestDimension = Count{1} << 31U;

Json to_json(const Model& model) {
  Json object = {{"label", model.label}, {"method", model.method},   {"dimension", model.dimension()},
                 {"rows", model.rows},   {"columns", model.columns}, {"loss", model.loss},
                 {"set", model.set},     {"mu", model.mu},           {"label_values", model.label_values}};
  object["parameters"] = Json::array();
  for (const double value : model.parameters) {
    object["parameters"].push_back(value);
  }
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
  if (value < 1 || value > kLargestDimension) {
    extent.fail("an extent from 1 to " + std::to_string(kLargestDimension));
  }
  return value;
}

Vector read_vector(const Field& array) {
  Vector result(static_cast<Index>(array.size()));
  for (Index i = 0; i < result.size(); ++i) {
    result[i] = array.at(static_cast<std::size_t>(i)).finite_number();
  }
  return result;
}

Model read_model(const Field& object) {
  Model model;
  model.label = object.at("label").text();
  model.method = object.at("method").text();
  model.rows = read_extent(object.at("rows"));
  model.columns = read_extent(object.at("columns"));
  if (model.rows > kLargestDimension / model.columns) {
    object.at("rows").fail("rows x columns of at most " + std::to_string(kLargestDimension));
  }
  if (object.at("dimension").count() != model.dimension()) {
    object.at("dimension").fail("rows x columns = " + std::to_string(model.dimension()));
  }
  const Field parameters = object.at("parameters");
  if (static_cast<Index>(parameters.size()) != model.dimension()) {
    parameters.fail("as many numbers as the dimension, " + std::to_string(model.dimension()));
  }
  model.parameters = read_vector(parameters);
  model.loss = object.at("loss").text();
  model.set = object.at("set").text();
  model.mu = object.at("mu").finite_number();
  const Field labels = object.at("label_values");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    model.label_values.push_back(labels.at(i).finite_number());
  }
  if (object.has("dual")) {
    const Field dual = object.at("dual");
    model.dual.resize(model.dimension(), static_cast<Index>(dual.size()));
    for (Index i = 0; i < model.dual.cols(); ++i) {
      const Field column = dual.at(static_cast<std::size_t>(i));
      if (static_cast<Index>(column.size()) != model.dimension()) {
        column.fail("as many numbers as the dimension, " + std::to_string(model.dimension()));
      }
      model.dual.col(i) = read_vector(column);
    }
  }
  return model;
}

}  // namespace

void write_models(const std::filesystem::path& path, std::span<const Model> models) {
  Json document = {{"schema", kSchema}, {"models", Json::array()}};
  for (const Model& model : models) {
    if (model.parameters.size() != model.dimension()) {
      throw InternalError(path.string() + ": expected " + std::to_string(model.dimension()) + " parameters, got " +
                          std::to_string(model.parameters.size()));
    }
    document["models"].push_back(to_json(model));
  }
  atomic_write(path, report_json::dump(document, 1) + "\n");
}

std::vector<Model> read_models(const std::filesystem::path& path) {
  const Json document = report_json::read_document(path);
  const Field models = Field(document, path.string() + ":").at("models");
  std::vector<Model> result;
  for (std::size_t i = 0; i < models.size(); ++i) {
    result.push_back(read_model(models.at(i)));
  }
  return result;
}

Model find_model(const std::filesystem::path& path, std::string_view label, Index dimension) {
  std::vector<Model> models = read_models(path);
  if (label.empty() && models.size() != 1) {
    throw UsageError(path.string() + ": expected one model or the label of one, got " + std::to_string(models.size()) +
                     " models and no label");
  }
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const Model& m) { return label.empty() || m.label == label; });
  if (found == models.end()) {
    throw UsageError(path.string() + ": expected a model labelled \"" + std::string(label) + "\", got none");
  }
  if (found->dimension() != dimension) {
    throw UsageError(path.string() + ": expected a model of dimension " + std::to_string(dimension) + ", got " +
                     std::to_string(found->dimension()));
  }
  return std::move(*found);
}

Vector warm_start(const std::filesystem::path& path, std::string_view label, Index dimension) {
  return find_model(path, label, dimension).parameters;
}

}  // namespace slidemesh

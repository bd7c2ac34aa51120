#include "coefficients.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "slidemesh/base/text.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/linalg/decompositions.h"

namespace slidemesh {

namespace {

/// Relative to the largest: a mean over nodes is hardly ever exactly zero.
constexpr double kNegligible = 1e-6;
constexpr std::size_t kMostShown = 20;
/// Of the shorter side: beyond that singular values take too long.
constexpr Index kLargestSide = 500;

Eigen::Map<const Matrix> as_matrix(const Model& model) { return {model.parameters.data(), model.rows, model.columns}; }

/// Of each column of the parameters; one column has no name.
std::vector<std::string> output_names(const Model& model) {
  std::vector<std::string> names(static_cast<std::size_t>(model.columns));
  for (Index c = 0; model.columns > 1 && c < model.columns; ++c) {
    names[static_cast<std::size_t>(c)] = model.map->class_name(c);
  }
  return names;
}

/// With a feature (a - shift) / scale and a coefficient x, the data's own a has x / scale, and the intercept loses
/// x shift / scale.
Matrix in_original_units(const Model& model) {
  const Preparation& p = model.map->preparation;
  const Index d = model.map->features;
  Matrix x = as_matrix(model);
  Matrix intercept = Matrix::Zero(1, model.columns);
  for (Index j = 0; j < d; ++j) {
    const auto at = static_cast<std::size_t>(j);
    x.row(j) /= p.scale.empty() ? 1.0 : p.scale[at];
    intercept -= x.row(j) * (p.shift.empty() ? 0.0 : p.shift[at]);
  }
  if (p.options.intercept) {
    intercept += x.row(d);
  }
  Matrix out(d + 1, model.columns);
  out << x.topRows(d), intercept;
  return out;
}

/// A name that a spreadsheet would take for a formula is made text by an apostrophe, as spreadsheets do it themselves.
std::string name_field(const std::string& name) {
  const bool is_formula = !name.empty() && std::string_view("=+-@\t\r").find(name.front()) != std::string_view::npos;
  return csv_field(is_formula ? "'" + name : name);
}

void append_model(const Model& model, std::string& csv) {
  std::vector<std::string> names = model.map->feature_names();
  names.resize(static_cast<std::size_t>(model.map->features));
  names.emplace_back("intercept");
  const std::vector<std::string> outputs = output_names(model);
  const Matrix original = in_original_units(model);
  for (Index c = 0; c < model.columns; ++c) {
    for (Index j = 0; j < original.rows(); ++j) {
      const std::string trained = j < model.rows ? text::shortest(as_matrix(model)(j, c)) : "";
      csv += name_field(model.label) + "," + name_field(outputs[static_cast<std::size_t>(c)]) + "," +
             name_field(names[static_cast<std::size_t>(j)]) + "," + trained + "," + text::shortest(original(j, c)) +
             "\n";
    }
  }
}

}  // namespace

CoefficientSummary summarize_coefficients(const Model& model) {
  CoefficientSummary out{model.rows, model.columns, 0, {}, {}};
  const auto x = as_matrix(model);
  const double negligible = kNegligible * x.cwiseAbs().maxCoeff();
  out.nonzeros = (x.cwiseAbs().array() > negligible).count();
  if (std::min(model.rows, model.columns) > 1 && std::min(model.rows, model.columns) <= kLargestSide) {
    const Vector values = singular_values(x);
    out.rank = (values.array() > kNegligible * values.maxCoeff()).count();
  }
  if (!model.map || model.completes_a_matrix()) {
    return out;
  }
  const std::vector<std::string> names = model.map->feature_names();
  const std::vector<std::string> outputs = output_names(model);
  for (Index c = 0; c < model.columns; ++c) {
    for (Index j = 0; j < model.map->features; ++j) {
      if (std::abs(x(j, c)) > negligible) {
        out.largest.push_back({names[static_cast<std::size_t>(j)], outputs[static_cast<std::size_t>(c)], x(j, c)});
      }
    }
  }
  std::stable_sort(out.largest.begin(), out.largest.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.value) > std::abs(b.value); });
  out.largest.resize(std::min(out.largest.size(), kMostShown));
  return out;
}

std::string coefficients_csv(std::span<const Model> models) {
  std::string csv;
  for (const Model& model : models) {
    if (model.map && !model.completes_a_matrix()) {
      append_model(model, csv);
    }
  }
  return csv.empty() ? csv : "model,output,name,coefficient,original_units\n" + csv;
}

}  // namespace slidemesh

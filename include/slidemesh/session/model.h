#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/core/termination.h"
#include "slidemesh/data/feature_map.h"
#include "slidemesh/linalg/types.h"

/// model.json: what `slidemesh predict`, `evaluate` and a warm start read. docs/models.md has its fields.

namespace slidemesh {

/// What a run found, and enough beside it to use it on new rows or to start another run from it.
struct Model {
  std::string label;
  std::string method;
  /// Of the parameters as a column-major matrix: features x outputs of the loss, or the shape of the matrix that is
  /// completed.
  Index rows = 0;
  Index columns = 1;
  Vector parameters;  ///< x̄
  std::string loss;   ///< "logistic"
  std::string set;    ///< described in words: "l1-ball, radius 10"
  double mu = 0.0;
  std::vector<double> label_values;  ///< of a classifier: the data's labels in the order of the loss's classes
  Stacked dual;                      ///< the multipliers s of consensus, a column per node (Method::dual); empty: none
  /// From fields of a row to what the parameters multiply, `label_values` among it. None in files of versions that did
  /// not keep it: they start other runs, and predict nothing.
  std::optional<FeatureMap> map;

  // How good it is known to be: F(x̄) and the certificate, where there is one.
  std::optional<Status> status;
  std::optional<double> objective;
  std::optional<double> lower_bound;
  std::optional<double> certified_gap;

  [[nodiscard]] Index dimension() const { return rows * columns; }
  [[nodiscard]] bool completes_a_matrix() const { return loss == "matrix-completion"; }
};

void write_models(const std::filesystem::path& path, std::span<const Model> models);

/// Trusts nothing: a DataError for shapes that do not fit the parameters or one another, numbers that are not finite,
/// missing or foreign fields of the wrong type.
[[nodiscard]] std::vector<Model> read_models(const std::filesystem::path& path);

/// The model of `label`, or the only one if `label` is empty. UsageError if there is no such model.
[[nodiscard]] Model find_model(const std::filesystem::path& path, std::string_view label);
/// The same to start from. UsageError where its dimension is not the problem's.
[[nodiscard]] Model find_model(const std::filesystem::path& path, std::string_view label, Index dimension);

}  // namespace slidemesh

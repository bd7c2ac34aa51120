#pragma once

#include <span>
#include <string>

#include "slidemesh/report/writers.h"
#include "slidemesh/session/model.h"

namespace slidemesh {

/// What a model looks like: how many coefficients matter, and which are the largest.
[[nodiscard]] CoefficientSummary summarize_coefficients(const Model& model);

/// coefficients.csv: every coefficient by name, as trained and in the units of the data. Empty where a model has no
/// features with a meaning of their own.
[[nodiscard]] std::string coefficients_csv(std::span<const Model> models);

}  // namespace slidemesh

#pragma once

#include "report/json_fields.h"
#include "slidemesh/data/feature_map.h"

namespace slidemesh {

/// What model.json says of the data: docs/models.md.
[[nodiscard]] report_json::Json to_json(const FeatureMap& map);

/// Trusts nothing. `label_values` are the model's.
[[nodiscard]] FeatureMap read_feature_map(const report_json::Field& object, std::vector<double> label_values);

}  // namespace slidemesh

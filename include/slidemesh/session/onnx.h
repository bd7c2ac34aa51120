#pragma once

#include <filesystem>
#include <string>

#include "slidemesh/session/model.h"

namespace slidemesh {

struct OnnxOptions {
  bool single = false;  ///< numbers of 32 bits, for runtimes that have no others
};

/// A model as an ONNX graph (opset 13): what other programs' runtimes compute predictions with. Input `features` is
/// N x d, the data's own units: scaling and intercept are in the graph; columns of words are their 0-or-1 features,
/// `feature_names` in the file's metadata. Outputs: `prediction`; or `label` and `probabilities` (`score` of a model
/// that has none). UsageError for a model of a matrix, which has nothing to compute, and one that does not know its
/// features.
[[nodiscard]] std::string to_onnx(const Model& model, const OnnxOptions& options = {});
void write_onnx(const std::filesystem::path& path, const Model& model, const OnnxOptions& options = {});

}  // namespace slidemesh

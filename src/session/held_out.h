#pragma once

#include <vector>

#include "slidemesh/control/control.h"
#include "slidemesh/session/config.h"
#include "slidemesh/session/experiment.h"
#include "slidemesh/session/prediction.h"

namespace slidemesh {

/// How good a model is on rows that it was not trained on: those that were held out, and those of data.test. Every
/// process calls it; processes tell one another labels and scores of held-out rows, and nothing else of them. With a
/// scope of this process, each judges by its own.
[[nodiscard]] std::vector<Scores> scores_of(const Model& model, const Config& config, const Experiment& experiment);

}  // namespace slidemesh

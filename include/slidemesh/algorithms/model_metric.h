#pragma once

#include "slidemesh/algorithms/local_model.h"
#include "slidemesh/algorithms/metric.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

// The metric that nodes measure a stage's steps by is that of the mean of their models. Each posts what its own adds.

/// How many numbers that is: H_jj, the model's tilt, its mean curvatures and their squares.
[[nodiscard]] Index metric_size(const LocalModel& model);

/// `may_be_tilted`: a sequence of projections takes the longer the less alike the directions of the metric are; where
/// local steps are that, it stays a diagonal.
void write_metric(const LocalModel& model, bool may_be_tilted, VectorRef out);

/// From sums of these over so many nodes.
[[nodiscard]] Metric read_metric(const Vector& sums, Index dimension, double nodes);

}  // namespace slidemesh

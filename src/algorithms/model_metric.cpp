#include "slidemesh/algorithms/model_metric.h"

namespace slidemesh {

Index metric_size(const LocalModel& model) { return 2 * (model.dimension() + model.loss().outputs()); }

void write_metric(const LocalModel& model, bool may_be_tilted, VectorRef out) {
  const Index d = model.dimension();
  out.setZero();
  for (Index j = 0; j < d; ++j) {
    out(j) = model.diagonal(j);
  }
  if (!may_be_tilted) {
    return;
  }
  for (Index j = 0; j < d; ++j) {
    out(d + j) = model.tilt(j);
  }
  const Index outputs = model.loss().outputs();
  for (Index a = 0; a < outputs; ++a) {
    out(2 * d + a) = model.mean_curvature(a);
    out(2 * d + outputs + a) = model.squared_curvature(a);
  }
}

Metric read_metric(const Vector& sums, Index d, double nodes) {
  const Index outputs = sums.size() / 2 - d;
  return Metric(sums.head(d) / nodes, sums.segment(d, d) / nodes, sums.segment(2 * d, outputs) / nodes,
                sums.tail(outputs) / (nodes * nodes));
}

}  // namespace slidemesh

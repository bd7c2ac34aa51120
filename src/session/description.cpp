#include "description.h"

#include <fmt/format.h>

namespace slidemesh {

std::vector<std::string> problem_lines(const Config& config, const Experiment& e, const Job& job) {
  const std::string smoothness = e.problem.smoothness > 0.0 ? fmt::format(", L~ {:.6g}", e.problem.smoothness) : "";
  const std::string split = job.party != nullptr ? std::string("each party's own")
                                                 : fmt::format("dealt {}", to_string(config.data.spec.split.rule));
  return {
      fmt::format("{} on {}", config.loss.kind, e.data_description),
      fmt::format("set {}, mu {}{}", e.set_description, config.mu, smoothness),
      fmt::format("{} graph, {} nodes, {} edges, lambda_max {:.6g}, lambda_2 {:.6g}, rows {}", config.graph.kind,
                  e.graph.nodes(), e.graph.edges(), e.spectrum.lambda_max, e.spectrum.lambda_2, split),
  };
}

ReportNetwork network_to_draw(const Config& config, const Experiment& e) {
  constexpr Index kDrawSpectrumUpTo = 1000;
  ReportNetwork network{config.graph.kind, e.graph, {}};
  if (e.graph.nodes() <= kDrawSpectrumUpTo) {
    const Vector spectrum = full_laplacian_spectrum(e.graph);
    network.eigenvalues.assign(spectrum.data(), spectrum.data() + spectrum.size());
  }
  return network;
}

}  // namespace slidemesh

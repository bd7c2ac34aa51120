// Traffic assignment: agencies own the links of a road network, and together find the flows at which no driver gains by
// another way. Usage: slidemesh_example_traffic [NET.tntp TRIPS.tntp]; without files a made-up town.

#include <cstdio>

#include "road_network.h"

using namespace traffic;

int main(int argc, char** argv) {
  const RoadNetwork roads = argc > 2 ? read_tntp(argv[1], argv[2]) : grid_town(4);
  const auto loss = std::make_shared<TravelTime>(roads.links);
  constexpr Index kAgencies = 4;
  const auto links = static_cast<Index>(roads.links.size());
  std::vector<std::shared_ptr<LocalObjective>> agencies;
  for (Index i = 0; i < kAgencies; ++i) {
    Rows own = rows_of(roads, links * i / kAgencies, links * (i + 1) / kAgencies);
    const RowObjective::Options sum{.weight = static_cast<double>(own.count())};  // a sum over links, not their mean
    agencies.push_back(std::make_shared<RowObjective>(std::make_shared<MemorySource>(std::move(own)), loss, sum));
  }
  const Problem problem = make_problem(std::move(agencies), std::make_shared<CarFlows>(roads));
  const Graph graph = make_graph({.kind = "ring", .nodes = kAgencies, .path = {}});
  SolveOptions options{.method = "tree-newton", .outer_steps = 200};
  options.stop.certified_gap = 1e-8;
  options.stop.time_limit_seconds = 50.0;
  const Solution solution = solve(problem, graph, options);
  std::printf("travel time %.12g, certified to %.1e, %lld passes, %lld hops, %lld oracle calls\n",
              *solution.last.measures.objective_at_average, solution.last.certified_gap.value_or(INFINITY),
              static_cast<long long>(solution.last.meters.data_oracle_calls / links),
              static_cast<long long>(solution.last.meters.hops),
              static_cast<long long>(solution.last.meters.largest_node_linear_oracle_calls));
}

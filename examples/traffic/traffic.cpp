// Traffic assignment: agencies own the links of a road network, and together find the flows at which no driver gains by
// another way. Usage: slidemesh_example_traffic [NET.tntp TRIPS.tntp] [--flows=FILE]; without a network a made-up town.
// FILE becomes a table of the links: from, to, cars, capacity, minutes.

#include <cstdio>
#include <string_view>

#include "road_network.h"

using namespace traffic;

namespace {

void write_flows(const std::string& path, const RoadNetwork& roads, const Vector& cars) {
  std::ofstream file(path);
  file << "from,to,cars,capacity,minutes\n";
  for (std::size_t l = 0; l < roads.links.size(); ++l) {
    const Link& link = roads.links[l];
    const double v = cars(static_cast<Index>(l));
    file << link.arc.from << ',' << link.arc.to << ',' << v << ',' << link.capacity << ','
         << link.free * (1.0 + link.b * std::pow(std::max(v, 0.0) / link.capacity, link.power)) << '\n';
  }
}

void assign_traffic(std::vector<std::string> words) {
  constexpr std::string_view kFlows = "--flows=";
  std::string flows;
  if (!words.empty() && words.back().starts_with(kFlows)) {
    flows = words.back().substr(kFlows.size());
    words.pop_back();
  }
  const RoadNetwork roads = words.size() > 1 ? read_tntp(words[0], words[1]) : grid_town(4);
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
  if (!flows.empty()) {
    write_flows(flows, roads, solution.x);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    assign_traffic({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "traffic: error: %s\n", error.what());
    return 2;
  }
}

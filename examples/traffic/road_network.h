#pragma once

// Roads and trips, the set of flows that carry the trips, and what travelling costs.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "slidemesh/sets/transport.h"
#include "slidemesh/slidemesh.h"

namespace traffic {

using namespace slidemesh;

/// Travelling a link takes free (1 + b (v/capacity)^power) where v cars use it.
struct Link {
  Arc arc;
  double capacity = 1.0, free = 1.0, b = 0.15, power = 4.0;
};

struct RoadNetwork {
  Index nodes = 0;
  Index first_through = 0;  ///< trips begin and end at nodes before this one, and do not pass them
  std::vector<Link> links;
  Matrix trips;  ///< from, to
};

/// Files of github.com/bstabler/TransportationNetworks.
inline RoadNetwork read_tntp(const std::string& net, const std::string& trips) {
  RoadNetwork roads;
  std::ifstream links(net);
  std::ifstream demand(trips);
  if (!links || !demand) {
    throw DataError((links ? trips : net) + ": expected a file that can be read, got none");
  }
  for (std::string line; std::getline(links, line);) {
    std::istringstream words(line);
    if (line.find("<NUMBER OF NODES>") == 0) {
      roads.nodes = std::stoll(line.substr(17));
    } else if (line.find("<FIRST THRU NODE>") == 0) {
      roads.first_through = std::stoll(line.substr(17)) - 1;
    } else if (Link l; words >> l.arc.from >> l.arc.to >> l.capacity >> l.free >> l.free >> l.b >> l.power) {
      --l.arc.from;
      --l.arc.to;
      roads.links.push_back(l);
    }
  }
  roads.trips = Matrix::Zero(roads.nodes, roads.nodes);
  Index from = 0;
  for (std::string word; demand >> word;) {
    if (word == "Origin") {
      demand >> from;
    } else if (char colon = ' '; from > 0 && std::isdigit(word[0]) != 0 && demand >> colon && colon == ':') {
      double cars = 0.0;
      demand >> cars >> colon;
      roads.trips(from - 1, std::stoll(word) - 1) = cars;
    }
  }
  if (roads.links.empty() || !(roads.trips.sum() > 0.0)) {
    throw DataError((roads.links.empty() ? net : trips) + ": expected links and trips in the format tntp, got none");
  }
  return roads;
}

/// A made-up town: a grid of two-way streets, everyone going to the three corners that are not theirs.
inline RoadNetwork grid_town(Index side) {
  RoadNetwork roads;
  roads.nodes = side * side;
  const auto street = [&](Index a, Index b) {
    const auto name = static_cast<double>((7 * a + 3 * b) % 5);
    roads.links.push_back({{a, b}, 20.0 + 5.0 * name, 1.0 + 0.2 * name, 0.15, 4.0});
    roads.links.push_back({{b, a}, 20.0 + 5.0 * name, 1.0 + 0.2 * name, 0.15, 4.0});
  };
  for (Index i = 0; i < roads.nodes; ++i) {
    if (i % side + 1 < side) {
      street(i, i + 1);
    }
    if (i + side < roads.nodes) {
      street(i, i + side);
    }
  }
  roads.trips = Matrix::Zero(roads.nodes, roads.nodes);
  const std::vector<Index> corners = {0, side - 1, roads.nodes - side, roads.nodes - 1};
  for (const Index a : corners) {
    for (const Index b : corners) {
      roads.trips(a, b) = a == b ? 0.0 : 12.0;
    }
  }
  return roads;
}

/// Cars per link that carry all trips: a sum of one flow per origin. The linear oracle sends everyone the cheapest way.
class CarFlows final : public FeasibleSet {
 public:
  explicit CarFlows(const RoadNetwork& roads) : links_(static_cast<Index>(roads.links.size())) {
    for (Index origin = 0; origin < roads.nodes; ++origin) {
      const double cars = roads.trips.row(origin).sum() - roads.trips(origin, origin);
      if (cars > 0.0) {
        flows_.push_back(flow_from(roads, origin, cars));
        diameter_ += flows_.back()->diameter();
      }
    }
  }
  CarFlows(const CarFlows& other) : links_(other.links_), diameter_(other.diameter_) {
    for (const auto& flow : other.flows_) {
      flows_.push_back(flow->clone());
    }
  }
  CarFlows& operator=(const CarFlows&) = delete;
  std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<CarFlows>(*this); }
  std::string_view name() const override { return "car-flows"; }
  Index dimension() const override { return links_; }
  void linear_minimizer(ConstVectorRef g, VectorRef v) override {
    v.setZero();
    for (const auto& flow : flows_) {
      Vector cost = Vector::Zero(flow->dimension());
      Vector cars(flow->dimension());
      cost.head(links_) = g;
      flow->linear_minimizer(cost, cars);
      v += cars.head(links_);
    }
  }
  double violation(ConstVectorRef x) const override { return std::max(0.0, -x.minCoeff()); }
  double diameter() const override { return diameter_; }
  void start(VectorRef x) const override { CarFlows(*this).linear_minimizer(Vector::Ones(links_), x); }

 private:
  /// From the origin over the links, and by an arc of its own from every destination to one sink. A link that nobody
  /// may enter begins at a node that nothing leads to.
  std::unique_ptr<FeasibleSet> flow_from(const RoadNetwork& roads, Index origin, double cars) const {
    constexpr double kRounded = 1.0 + 1e-12;  // what arrives must not be less than what leaves, however it is summed
    const Index nowhere = roads.nodes + 1;
    std::vector<Arc> arcs;
    for (const Link& link : roads.links) {
      const bool is_open = link.arc.from >= roads.first_through || link.arc.from == origin;
      arcs.push_back({is_open ? link.arc.from : nowhere, link.arc.to});
    }
    std::vector<double> capacity(arcs.size(), cars);
    for (Index j = 0; j < roads.nodes; ++j) {
      if (j != origin && roads.trips(origin, j) > 0.0) {
        arcs.push_back({j, roads.nodes});
        capacity.push_back(roads.trips(origin, j) * kRounded);
      }
    }
    const Vector limits = Eigen::Map<const Vector>(capacity.data(), static_cast<Index>(capacity.size()));
    return std::make_unique<FlowPolytope>(roads.nodes + 2, arcs, origin, roads.nodes, limits, cars);
  }

  Index links_;
  double diameter_ = 0.0;
  std::vector<std::unique_ptr<FeasibleSet>> flows_;
};

/// Beckmann's function of a link, the area under its travel time: its minimum over the flows is where no driver gains
/// by another way. A row is a link: its label is the link's number, and its only feature the link's flow.
class TravelTime final : public Loss {
 public:
  explicit TravelTime(std::vector<Link> links) : links_(std::move(links)) {}
  std::string_view name() const override { return "travel-time"; }
  LabelKind label_kind() const override { return LabelKind::kReal; }
  double curvature() const override { return 1.0; }  // nothing here goes by a smoothness constant
  bool has_single_features() const override { return true; }
  double evaluate(std::span<const double> labels, std::span<const double> flows, std::span<double> times,
                  bool /*want_value*/) const override {
    double sum = 0.0;
    for (std::size_t r = 0; r < labels.size(); ++r) {
      const Link& link = links_[static_cast<std::size_t>(labels[r])];
      const double v = std::max(flows[r], 0.0);
      const double slowed = link.b * std::pow(v / link.capacity, link.power);
      times[r] = link.free * (1.0 + slowed);
      sum += link.free * v * (1.0 + slowed / (link.power + 1.0));
    }
    return sum;
  }
  void curvatures(std::span<const double> labels, std::span<const double> flows, std::span<const double> /*moves*/,
                  std::span<double> curvatures) const override {
    for (std::size_t r = 0; r < labels.size(); ++r) {
      const Link& link = links_[static_cast<std::size_t>(labels[r])];
      const double used = std::max(flows[r] / link.capacity, 0.1);  // an empty road has no curvature to go by
      curvatures[r] = link.free * link.b * link.power / link.capacity * std::pow(used, link.power - 1.0);
    }
  }

 private:
  std::vector<Link> links_;
};

/// An agency's links as rows.
inline Rows rows_of(const RoadNetwork& roads, Index first, Index last) {
  Rows rows;
  rows.features = static_cast<Index>(roads.links.size());
  rows.offsets.push_back(0);
  for (Index link = first; link < last; ++link) {
    rows.labels.push_back(static_cast<double>(link));
    rows.columns.push_back(static_cast<std::int32_t>(link));
    rows.values.push_back(1.0);
    rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
  }
  return rows;
}

}  // namespace traffic

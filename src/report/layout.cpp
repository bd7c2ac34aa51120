#include "slidemesh/report/layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace slidemesh {
namespace {

std::vector<Position> circle(Index nodes, double turn) {
  std::vector<Position> positions;
  // From the top, clockwise, symmetric about the vertical where the circle is open.
  const double first =
      -0.5 * turn * static_cast<double>(nodes - 1) * (turn * static_cast<double>(nodes) < 6.28 ? 1 : 0);
  for (Index i = 0; i < nodes; ++i) {
    const double angle = first + turn * static_cast<double>(i);
    positions.push_back({0.5 + 0.5 * std::sin(angle), 0.5 - 0.5 * std::cos(angle)});
  }
  return positions;
}

/// Hops between all pairs, by a breadth-first search from each node. Pieces that are not joined are
/// put as far apart as the longest way within one.
Matrix distances(const Graph& graph) {
  const Index n = graph.nodes();
  Matrix hops = Matrix::Constant(n, n, -1.0);
  std::vector<Index> queue;
  for (Index source = 0; source < n; ++source) {
    queue.assign(1, source);
    hops(source, source) = 0.0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (const Index next : graph.neighbours(queue[head])) {
        if (hops(next, source) < 0.0) {
          hops(next, source) = hops(queue[head], source) + 1.0;
          queue.push_back(next);
        }
      }
    }
  }
  const double farthest = std::max(1.0, hops.maxCoeff());
  return (hops.array() < 0.0).select(farthest, hops);
}

/// Classical multidimensional scaling: the two leading eigenvectors of the centred squared distances,
/// by the power method. Only the start of what follows, so a fixed number of steps will do.
Matrix scaled(const Matrix& distance) {
  const Index n = distance.rows();
  Matrix gram = -0.5 * distance.array().square().matrix();
  gram.colwise() -= gram.rowwise().mean().eval();
  gram.rowwise() -= gram.colwise().mean().eval();
  Matrix axes(n, 2);
  constexpr int kSteps = 60;
  for (Index axis = 0; axis < 2; ++axis) {
    Vector v(n);
    for (Index i = 0; i < n; ++i) {  // no symmetry of the graph is likely to be orthogonal to this
      v[i] = std::sin(1.0 + 12.9898 * static_cast<double>(i + 1 + 7 * axis));
    }
    for (int step = 0; step < kSteps; ++step) {
      if (axis == 1) {
        v -= axes.col(0) * (axes.col(0).dot(v) / std::max(axes.col(0).squaredNorm(), 1e-300));
      }
      v = (gram * v).normalized();
    }
    axes.col(axis) = v * std::sqrt(std::max(v.dot(gram * v), 1e-6));
  }
  return axes;
}

/// Stress majorization (Gansner, Koren, North 2004), one node at a time: minimizes
/// sum over pairs of (|p_i - p_j| - d_ij)^2 / d_ij^2, which never rises.
void majorize(const Matrix& distance, Matrix& p) {
  const Index n = distance.rows();
  constexpr int kSweeps = 120;
  constexpr double kNearlyEqual = 1e-9;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (Index i = 0; i < n; ++i) {
      Eigen::RowVector2d sum = Eigen::RowVector2d::Zero();
      double weights = 0.0;
      for (Index j = 0; j < n; ++j) {
        if (j == i) {
          continue;
        }
        const double d = distance(j, i);
        const Eigen::RowVector2d apart = p.row(i) - p.row(j);
        const double length = apart.norm();
        const double weight = 1.0 / (d * d);
        sum += weight * p.row(j);
        if (length > kNearlyEqual) {
          sum += weight * d / length * apart;
        }
        weights += weight;
      }
      p.row(i) = sum / weights;
    }
  }
}

/// Turned so that it is widest from left to right, centred and fitted into the unit square.
std::vector<Position> fitted(Matrix p) {
  p.rowwise() -= p.colwise().mean().eval();
  const Eigen::Matrix2d moments = p.transpose() * p;
  const double angle = 0.5 * std::atan2(2.0 * moments(0, 1), moments(0, 0) - moments(1, 1));
  const Eigen::Matrix2d turn{{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}};
  p = p * turn;
  const Eigen::RowVector2d low = p.colwise().minCoeff();
  const Eigen::RowVector2d high = p.colwise().maxCoeff();
  const double extent = std::max({high[0] - low[0], high[1] - low[1], 1e-9});
  std::vector<Position> positions;
  for (Index i = 0; i < p.rows(); ++i) {
    positions.push_back(
        {0.5 + (p(i, 0) - 0.5 * (low[0] + high[0])) / extent, 0.5 + (p(i, 1) - 0.5 * (low[1] + high[1])) / extent});
  }
  return positions;
}

/// The order in which the nodes of a path or a ring follow each other.
std::vector<Index> walk(const Graph& graph) {
  Index at = 0;
  for (Index i = 0; i < graph.nodes(); ++i) {
    if (graph.degree(i) == 1) {
      at = i;
      break;
    }
  }
  std::vector<Index> order{at};
  Index before = -1;
  while (static_cast<Index>(order.size()) < graph.nodes()) {
    const auto next = graph.neighbours(at);
    const Index to = next[0] != before ? next[0] : next[1];
    before = at;
    at = to;
    order.push_back(at);
  }
  return order;
}

}  // namespace

std::vector<Position> layout(const Graph& graph) {
  const Index n = graph.nodes();
  if (n == 0 || n > kLargestDrawing) {
    return {};
  }
  if (n == 1) {
    return {{0.5, 0.5}};
  }
  constexpr double kFullTurn = 2.0 * std::numbers::pi;
  const bool complete = graph.edges() == n * (n - 1) / 2;
  if (complete) {
    return circle(n, kFullTurn / static_cast<double>(n));
  }
  const bool chain = graph.largest_degree() == 2 && graph.components() == 1;
  if (chain) {
    constexpr double kOpen = 0.85;  // of the circle, for a path
    const bool closed = graph.edges() == n;
    const auto along =
        circle(n, closed ? kFullTurn / static_cast<double>(n) : kOpen * kFullTurn / static_cast<double>(n - 1));
    std::vector<Position> positions(along.size());
    const std::vector<Index> order = walk(graph);
    for (std::size_t i = 0; i < order.size(); ++i) {
      positions[static_cast<std::size_t>(order[i])] = along[i];
    }
    return positions;
  }
  const Matrix distance = distances(graph);
  Matrix p = scaled(distance);
  majorize(distance, p);
  return fitted(std::move(p));
}

}  // namespace slidemesh

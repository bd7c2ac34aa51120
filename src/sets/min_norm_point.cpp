#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <vector>

#include "slidemesh/base/interruption.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/no_allocation.h"
#include "slidemesh/sets/set_base.h"

namespace slidemesh::detail {
namespace {

/// Vertices, seen from x, and the weights of the current point.
struct Corral {
  std::vector<Vector> vertices;
  std::vector<double> weights;
  Matrix products;  ///< inner products of the vertices

  [[nodiscard]] Index size() const { return static_cast<Index>(vertices.size()); }

  [[nodiscard]] bool has(const Vector& v) const {
    return std::any_of(vertices.begin(), vertices.end(), [&v](const Vector& other) { return other == v; });
  }

  void add(const Vector& v) {
    const Index k = size();
    products.conservativeResize(k + 1, k + 1);
    for (Index l = 0; l < k; ++l) {
      products(k, l) = products(l, k) = dot(v, vertices[static_cast<std::size_t>(l)]);
    }
    products(k, k) = squared_norm(v);
    vertices.push_back(v);
    weights.push_back(0.0);
  }

  void remove(Index k) {
    const Index last = size() - 1;
    products.col(k).swap(products.col(last));
    products.row(k).swap(products.row(last));
    products.conservativeResize(last, last);
    std::swap(vertices[static_cast<std::size_t>(k)], vertices.back());
    std::swap(weights[static_cast<std::size_t>(k)], weights.back());
    vertices.pop_back();
    weights.pop_back();
  }

  /// The weights, of any sign and sum 1, of the nearest point of the vertices' affine hull.
  [[nodiscard]] Vector affine_minimizer() const {
    const double scale = std::max(products.diagonal().maxCoeff(), 1e-300);
    const Matrix system = products / scale + Matrix::Ones(size(), size());
    const Vector solution = system.ldlt().solve(Vector::Ones(size()));
    return solution / solution.sum();
  }

  void point(Vector& p) const {
    p.setZero();
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      axpy(weights[k], vertices[k].data(), p.data(), p.size());
    }
  }
};

/// Moves to the nearest point of the affine hull, dropping a vertex wherever that would leave the hull.
void minor_cycle(Corral& corral) {
  while (corral.size() > 1) {
    if (interruption_is_due()) {
      return;
    }
    const Vector target = corral.affine_minimizer();
    double step = 1.0;
    Index blocking = -1;
    for (Index k = 0; k < corral.size(); ++k) {
      const double weight = corral.weights[static_cast<std::size_t>(k)];
      if (!(target[k] > 0.0) && weight - target[k] > 0.0 && weight / (weight - target[k]) <= step) {
        step = weight / (weight - target[k]);
        blocking = k;
      }
    }
    for (Index k = 0; k < corral.size(); ++k) {
      double& weight = corral.weights[static_cast<std::size_t>(k)];
      weight = std::max(weight + step * (target[k] - weight), 0.0);
    }
    if (blocking < 0) {
      return;
    }
    corral.remove(blocking);
  }
  corral.weights[0] = 1.0;
}

}  // namespace

void nearest_point_by_oracle(FeasibleSet& set, ConstVectorRef x, VectorRef nearest) {
  allow_allocation();
  const Index d = set.dimension();
  const double size = set.diameter() + 1e-300;
  const Vector origin = x;
  Vector p(d);
  Vector v(d);
  Corral corral;
  set.start(p);
  p -= origin;
  set.linear_minimizer(p, v);
  v -= origin;
  corral.add(v);
  corral.weights[0] = 1.0;
  double before = std::numeric_limits<double>::infinity();
  const Index most_steps = 200 + 50 * d;
  for (Index step = 0; step < most_steps && !interruption_is_due(); ++step) {
    corral.point(p);
    const double length = norm(p);
    constexpr double kRounding = 1e-14;
    if (length <= kRounding * size || !(length < before)) {
      break;
    }
    before = length;
    set.linear_minimizer(p, v);
    v -= origin;
    if (squared_norm(p) - dot(p, v) <= kRounding * size * length || corral.has(v)) {
      break;
    }
    corral.add(v);
    minor_cycle(corral);
  }
  corral.point(p);
  nearest = origin + p;
}

double distance_by_oracle(const FeasibleSet& set, ConstVectorRef x) {
  const auto copy = set.clone();
  Vector nearest(x.size());
  nearest_point_by_oracle(*copy, x, nearest);
  return std::sqrt(squared_distance(nearest, x));
}

}  // namespace slidemesh::detail

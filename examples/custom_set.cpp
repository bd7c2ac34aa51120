// A set of your own: the half-ball { x : |x| <= radius, x_1 >= 0 }. Every method takes it; those that project need the
// last two functions, the others do without.

#include "slidemesh/losses/least_squares.h"
#include "toy_problem.h"

using namespace slidemesh;

class HalfBall final : public FeasibleSet {
 public:
  HalfBall(Index dimension, double radius) : dimension_(dimension), radius_(radius) {}
  std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<HalfBall>(*this); }
  std::string_view name() const override { return "half-ball"; }
  Index dimension() const override { return dimension_; }

  /// -radius g / |g|; where that has a negative first coordinate, the best on the flat side.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override {
    v = -g;
    v[0] = std::max(v[0], 0.0);
    const double length = v.norm();
    v = length > 0.0 ? Vector(v * (radius_ / length)) : Vector(radius_ * Vector::Unit(dimension_, dimension_ - 1));
  }
  double violation(ConstVectorRef x) const override { return std::max(x.norm() - radius_, -x[0]); }
  double diameter() const override { return 2.0 * radius_; }
  void start(VectorRef x) const override { x.setZero(); }

  ProjectionKind projection_kind() const override { return ProjectionKind::kClosedForm; }
  void project(ConstVectorRef x, VectorRef nearest) override {
    nearest = x;
    nearest[0] = std::max(nearest[0], 0.0);
    nearest *= std::min(1.0, radius_ / nearest.norm());
  }

 private:
  Index dimension_;
  double radius_;
};

int main() { toy::solve_with_every_method(std::make_shared<HalfBall>(5, 1.0), std::make_shared<LeastSquares>()); }

// What a user of the installed library writes: a graph, and its spectrum.
#include <slidemesh/graphs/generators.h>
#include <slidemesh/graphs/spectrum.h>
#include <slidemesh/sets/norm_balls.h>

int main() {
  const auto ring = slidemesh::make_graph({.kind = "ring", .nodes = 4});
  slidemesh::L1Ball ball(3, 2.0);
  slidemesh::Vector v(3);
  ball.linear_minimizer(slidemesh::Vector::Ones(3), v);
  return slidemesh::laplacian_spectrum(ring).lambda_max > 3.999 && v(0) == -2.0 ? 0 : 1;
}

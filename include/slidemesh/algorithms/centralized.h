#pragma once

#include <memory>
#include <optional>

#include "slidemesh/algorithms/baseline_method.h"

namespace slidemesh {

/// A method that a centre runs on F, to see what doing without one costs. All nodes hold one point;
/// gradients are charged as everywhere, the centre's linear-oracle calls to node 0, and what travels
/// to and from the centre to nobody: rounds between neighbours are not what it would use.
///
/// Over the tree (Where::kTree) there is no centre: gradients are summed up and down a spanning tree, from neighbour to
/// neighbour and metered, and every node does by itself what the centre would do.
class CentralizedMethod : public BaselineMethod {
 public:
  [[nodiscard]] const Stacked& output() override;
  /// F* >= F(y) + min over v in X of <∇F(y), v - y>, for the y of the last gradient.
  [[nodiscard]] std::optional<Certificate> certificate() override;

 protected:
  enum class Where { kCentre, kTree };
  CentralizedMethod(std::string_view name, const Problem& problem, Network& network, int outer_steps,
                    Where where = Where::kCentre);

  /// The gradient of F/m at a common y, mu included, into g_.
  void mean_gradient(const Vector& y);
  /// The centre's set, whose linear-oracle calls are node 0's.
  [[nodiscard]] std::unique_ptr<FeasibleSet> centre_set() const;
  void visit_certificate(StateVisitor& visitor);
  /// The mean over all nodes of their columns.
  [[nodiscard]] Vector mean_of(const Stacked& columns);
  /// What the certificate is made from, where gradients are not had by `mean_gradient`: f~_i(y), and the gradient of
  /// F/m.
  void set_gradient(const Vector& y, const Vector& g, const Vector& values);
  /// There is none at this step.
  void clear_certificate() { y_.resize(0); }
  /// L of F/m: the mean of the nodes' constants, which is at most the L~ that is their largest. For those that ask for
  /// it.
  void find_mean_smoothness();
  [[nodiscard]] double mean_smoothness() const { return mean_smoothness_; }

  Vector x_;  ///< the output
  Vector g_;

 private:
  double mean_smoothness_ = 0.0;
  std::unique_ptr<FeasibleSet> certificate_set_;  ///< apart, so that measuring leaves no trace
  Where where_;
  Vector y_;
  Vector values_;
  Stacked stacked_, gradients_;
};

}  // namespace slidemesh

#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "slidemesh/core/data_oracle.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// What the baselines have in common: the same number of gradients in every step, a fixed number of steps, and mostly
/// one set X for all nodes, since they mix points of it. The mathematics is in each method's own file.
class BaselineMethod : public Method {
 public:
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] bool finished() const override { return t_ >= outer_steps_; }
  [[nodiscard]] int steps_done() const override { return static_cast<int>(t_); }
  [[nodiscard]] Count next_data_oracle_calls() const override;
  [[nodiscard]] bool uses_smoothness() const override { return uses_smoothness_; }

 protected:
  struct Sampling {
    std::optional<Count> batch;  ///< rows per node and step; none: all of them, exactly
    bool cap = true;
    std::uint64_t seed = 1;
  };

  /// Whether nodes may have sets of their own. A method that mixes points of X needs a common one; one that keeps
  /// multipliers of consensus, each node in its own X_i, does not.
  enum class Sets { kCommon, kOwn };

  /// A UsageError that names the method where the nodes' sets differ and it needs a common one.
  BaselineMethod(std::string_view name, const Problem& problem, Network& network, int outer_steps,
                 const Sampling& sampling, Sets sets = Sets::kCommon);

  /// Of local node i, where the length is not run. Unless overridden, the gradients of the options that were given.
  [[nodiscard]] virtual Count next_data_oracle_calls_of(Index i) const;

  /// g_i = gradient of f_i at x_i, the mu of the problem included. A step may take `gradients_per_step_` of them, each
  /// with a number from 0 on, which its draws depend on.
  void gradient(const Stacked& x, Stacked& g, int number = 0);
  /// f~_i where the last exact gradient was taken.
  [[nodiscard]] const Vector& values() const { return data_.values(); }
  /// v_i = linear_minimizer(g_i). One linear-oracle call per node.
  void linear_minimizers(const Stacked& g, Stacked& v);
  /// A node's set, whose oracle calls are charged to it.
  [[nodiscard]] FeasibleSet& node_set(Index i) { return *sets_[static_cast<std::size_t>(i)]; }
  /// x_i becomes its projection on X_i. UsageError at the end of construction, by `require_projection`, if there is
  /// none.
  void project(Stacked& x);
  void require_projection() const;
  /// What the nodes' sets remember from call to call is state too.
  void visit_sets(StateVisitor& visitor);
  /// The steps done, variables by their names, and the sets.
  void visit_steps(StateVisitor& visitor, std::initializer_list<std::pair<std::string_view, Stacked*>> variables);

  /// L~ + mu, for methods that go by it: computing it is part of their costs.
  [[nodiscard]] double use_smoothness();
  /// A UsageError where the objectives are not means over rows, so that there are none to keep anything about.
  void require_rows() const;
  /// A UsageError where a d x d matrix per node, or a diagonal, takes more than so many bytes over all nodes.
  void require_room_for_curvatures(Count bytes) const;

  /// Where each node starts: all at one point where they have one set.
  [[nodiscard]] Stacked start() const { return problem_.starts(); }
  [[nodiscard]] Stacked zero() const { return Stacked::Zero(problem_.dimension(), network_.local_nodes()); }

  const Problem& problem_;
  Network& network_;
  const FeasibleSet& set_;  ///< of all nodes; where they have sets of their own it is one of them
  Count t_ = 0;             ///< steps done
  bool uses_smoothness_ = false;
  int gradients_per_step_ = 1;
  DataOracle data_;

 private:
  std::string_view name_;
  Count outer_steps_;
  Sampling sampling_;
  std::vector<std::unique_ptr<FeasibleSet>> sets_;
};

}  // namespace slidemesh

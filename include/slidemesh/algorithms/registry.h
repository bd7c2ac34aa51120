#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/base/keys.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/core/termination.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

/// What a method may need beyond its own keys.
struct MethodContext {
  const Problem& problem;
  Network& network;
  double lambda_max = 0.0;  ///< of the graph's Laplacian, or a bound on it
  std::uint64_t seed = 1;
  std::optional<double> accuracy{};  ///< wanted F(x̄) - F*, absolute, where a target gives one
  double lambda_2 = 0.0;             ///< of the graph's Laplacian; 0: not known
  /// What a user should know of the choice that was made; may be empty.
  std::function<void(const std::string&)> tell{};
};

/// A method whose keys have been read.
struct MethodFactory {
  int outer_steps = 0;     ///< its length
  bool certifies = false;  ///< whether it has a lower bound on F*, so that a certified gap can end its run

  std::function<std::unique_ptr<Method>(const MethodContext&)> make;
  /// Whether the method will go by the problem's smoothness constant, which is known only then. May talk to all nodes.
  std::function<bool(const Problem&, Network&)> uses_smoothness;

  std::unique_ptr<Method> operator()(const MethodContext& context) const { return make(context); }
};

/// A method that can be named: one table of keys, from which configs are read and pages are written, and a maker.
/// To add a method, write its algorithm, a function that returns its MethodKind, and a line in registry.cpp.
struct MethodKind {
  std::string name;
  std::string description;
  int outer_steps = 100;   ///< where neither a number is given nor a target
  bool certifies = false;  ///< whether it has a lower bound on F* where its gradients are exact
  std::vector<KeyDoc> keys;
  std::function<MethodFactory(const MethodKind& kind, ConfigTable& table, std::optional<int> length,
                              const StopRule& stop)>
      read;

  /// Reads the method's own keys from the table. Without `length` it runs until a target that it can reach, or its
  /// own length.
  [[nodiscard]] MethodFactory parse(ConfigTable& table, std::optional<int> length, const StopRule& stop = {}) const {
    return read(*this, table, length, stop);
  }
};

/// Every method, the default first.
[[nodiscard]] const std::vector<MethodKind>& method_kinds();
/// Null if there is none of that name.
[[nodiscard]] const MethodKind* find_method(std::string_view name);

/// The length of a run that is to end at its target: a limit for what will never come, not a plan.
inline constexpr int kOpenEnd = 10'000'000;

/// Options with what a run knows of its graph, and its seed, where they have a place for it.
template <class Options>
Options in_context(Options options, const MethodContext& context) {
  if constexpr (requires { options.laplacian_lambda_max; }) {
    options.laplacian_lambda_max = context.lambda_max;
  }
  if constexpr (requires { options.laplacian_lambda_2; }) {
    options.laplacian_lambda_2 = context.lambda_2;
  }
  if constexpr (requires { options.seed; }) {
    options.seed = context.seed;
  }
  return options;
}

/// The maker of a method that takes its options as the keys have them.
template <class Made, class Options>
std::unique_ptr<Method> make_method(const Options& options, const MethodContext& context) {
  return std::make_unique<Made>(context.problem, context.network, in_context(options, context));
}

/// One that has a lower bound on F*.
[[nodiscard]] inline MethodKind certifying(MethodKind kind, int outer_steps = MethodKind{}.outer_steps) {
  kind.certifies = true;
  kind.outer_steps = outer_steps;
  return kind;
}

/// A MethodKind from a table of keys, what must hold between them (may be null) and a maker. `Options` has outer_steps.
template <class Options>
MethodKind method_kind(std::string name, std::string description, Keys<Options> keys,
                       void (*check)(const ConfigTable&, const Options&),
                       std::unique_ptr<Method> (*make)(const Options&, const MethodContext&),
                       bool (*uses_smoothness)(const Options&, const Problem&, Network&) = nullptr) {
  MethodKind kind;
  kind.name = std::move(name);
  kind.description = std::move(description);
  kind.keys = keys.docs();
  kind.read = [keys = std::move(keys), check, make, uses_smoothness](const MethodKind& self, ConfigTable& table,
                                                                     std::optional<int> length,
                                                                     const StopRule& stop) -> MethodFactory {
    Options options{};
    keys.read(table, options);
    bool certifies = self.certifies;
    if constexpr (requires { options.sampled; }) {
      certifies = certifies && !options.sampled;  // gradients of some rows prove nothing about all
    }
    const bool can_reach = stop.target_gap || (stop.certified_gap && certifies);
    options.outer_steps = length.value_or(can_reach ? kOpenEnd : self.outer_steps);
    if (check != nullptr) {
      check(table, options);
    }
    return {options.outer_steps, certifies,
            [options, make](const MethodContext& context) { return make(options, context); },
            [options, uses_smoothness](const Problem& problem, Network& network) {
              return uses_smoothness == nullptr || uses_smoothness(options, problem, network);
            }};
  };
  return kind;
}

}  // namespace slidemesh

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config_table.h"
#include "slidemesh/core/method.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/network/network.h"

namespace slidemesh::app {

/// What a method may need beyond its own keys.
struct MethodContext {
  const Problem& problem;
  Network& network;
  double lambda_max = 0.0;  ///< of the graph's Laplacian
  std::uint64_t seed = 1;
  std::optional<double> accuracy;  ///< wanted F(x̄) - F*, absolute, where [stop] gives one
};

using MethodFactory = std::function<std::unique_ptr<Method>(const MethodContext&)>;

/// One [[method]] of a config, its keys already checked.
struct MethodConfig {
  std::string name;
  std::string label;
  int outer_steps = 100;
  MethodFactory make;
  std::vector<std::pair<std::string, std::string>> settings;  ///< key and value as written
};

/// A method that configs can name. `parse` reads its own keys from the table and returns a maker.
struct MethodKind {
  std::string name;
  std::string description;
  MethodFactory (*parse)(ConfigTable& table, int outer_steps);
  int outer_steps = 100;          ///< where the config names none,
  int outer_steps_to_stop = 100;  ///< and has a gap to stop at
};
[[nodiscard]] const std::vector<MethodKind>& method_kinds();

/// `has_target`: a gap to stop at, so that the length is a limit only.
[[nodiscard]] MethodConfig parse_method(ConfigTable& table, bool has_target);

// One file each.
MethodFactory parse_ipds(ConfigTable& table, int outer_steps);
MethodFactory parse_ipds_restarted(ConfigTable& table, int outer_steps);
MethodFactory parse_ipds_vr(ConfigTable& table, int outer_steps);
// method_baselines.cpp
MethodFactory parse_defw(ConfigTable& table, int outer_steps);
MethodFactory parse_dpg(ConfigTable& table, int outer_steps);
MethodFactory parse_pg_extra(ConfigTable& table, int outer_steps);
MethodFactory parse_nids(ConfigTable& table, int outer_steps);
MethodFactory parse_centralized_fw(ConfigTable& table, int outer_steps);
MethodFactory parse_centralized_cgs(ConfigTable& table, int outer_steps);
MethodFactory parse_centralized_fista(ConfigTable& table, int outer_steps);

// Checks that many keys share.
[[nodiscard]] inline bool is_positive(double value) { return value > 0.0; }
[[nodiscard]] inline bool is_not_negative(double value) { return value >= 0.0; }
[[nodiscard]] inline bool is_probability(double value) { return value >= 0.0 && value <= 1.0; }

/// A positive number, or the word given; nothing where the key is absent.
struct NumberOrWord {
  std::optional<double> number;
  std::string word;
};
[[nodiscard]] std::optional<NumberOrWord> number_or_word(ConfigTable& table, const std::string& key,
                                                         const std::vector<std::string>& words);

}  // namespace slidemesh::app

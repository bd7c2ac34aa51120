#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/session/config.h"
#include "slidemesh/session/model.h"

namespace slidemesh::app {

/// Reads a TOML file and applies `key=value` overrides, where a key is dotted (`problem.mu`,
/// `method.outer_steps` for every method, `method.0.R` for the first). UsageError for anything that
/// is not understood.
[[nodiscard]] Config read_config(const std::filesystem::path& path, const std::vector<std::string>& overrides);

/// DATA of `predict` and `evaluate`: a file of rows, a TOML file whose [data] says where they are, or the name of a
/// source whose keys are all in `overrides` (`table=clicks`, `data.table=clicks`); `model` is what they are for.
[[nodiscard]] DataSpec read_new_data(const std::string& data, const std::vector<std::string>& overrides,
                                     const Model& model);

/// The tree of values that a config is made from, overrides applied, before anybody asks what it means.
[[nodiscard]] Value::Table read_tree(const std::filesystem::path& path, const std::vector<std::string>& overrides);
/// The same from text; `name` stands for the file in messages.
[[nodiscard]] Value::Table parse_tree(const std::string& text, const std::string& name,
                                      const std::vector<std::string>& overrides);

}  // namespace slidemesh::app

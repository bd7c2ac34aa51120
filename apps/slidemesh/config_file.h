#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "slidemesh/session/config.h"

namespace slidemesh::app {

/// Reads a TOML file and applies `key=value` overrides, where a key is dotted (`problem.mu`,
/// `method.outer_steps` for every method, `method.0.R` for the first). UsageError for anything that
/// is not understood.
[[nodiscard]] Config read_config(const std::filesystem::path& path, const std::vector<std::string>& overrides);

/// The same from text; `name` stands for the file in messages.
[[nodiscard]] Config parse_config(const std::string& text, const std::string& name,
                                  const std::vector<std::string>& overrides);

}  // namespace slidemesh::app

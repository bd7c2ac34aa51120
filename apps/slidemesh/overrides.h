#pragma once

#include <toml++/toml.h>

#include <string>

namespace slidemesh::app {

/// Puts `key=value` into the table. The key is dotted, the value is TOML (a bare word is a string).
void apply_override(toml::table& root, const std::string& assignment);

}  // namespace slidemesh::app

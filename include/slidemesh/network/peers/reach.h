#pragma once

#include <string>

namespace slidemesh::peers {

/// Why nobody can listen at HOST:PORT on this machine now; empty if one can.
[[nodiscard]] std::string why_not_listening(const std::string& address);

}  // namespace slidemesh::peers

#pragma once

#include <string>

namespace slidemesh::peers {

/// Why nobody can listen at HOST:PORT on this machine now; empty if one can.
[[nodiscard]] std::string why_not_listening(const std::string& address);

/// Why no connection to HOST:PORT comes about within `seconds`; empty if one does. Nothing is sent over it.
[[nodiscard]] std::string why_not_reached(const std::string& address, double seconds);

}  // namespace slidemesh::peers

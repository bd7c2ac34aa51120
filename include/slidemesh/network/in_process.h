#pragma once

#include "slidemesh/network/network.h"

namespace slidemesh {

/// A network whose nodes are all in this process.
class InProcessNetwork final : public Network {
 public:
  explicit InProcessNetwork(const Graph& graph);
};

}  // namespace slidemesh

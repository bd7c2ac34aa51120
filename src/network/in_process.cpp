#include "slidemesh/network/in_process.h"

#include "slidemesh/transport/transport.h"

namespace slidemesh {

InProcessNetwork::InProcessNetwork(const Graph& graph) : Network(std::make_unique<InProcessTransport>(graph)) {}

}  // namespace slidemesh

#pragma once

#include <memory>

#include "slidemesh/network/network.h"
#include "slidemesh/network/peers/mesh.h"

namespace slidemesh::peers {

/// A network over the mesh whose local node is this party. Good for one epoch: once the mesh is in another, every use
/// throws MeshChanged, and a network over the new view must be made. The mesh must outlive it.
[[nodiscard]] std::unique_ptr<Network> make_peer_network(Mesh& mesh, const MeshView& view);

}  // namespace slidemesh::peers

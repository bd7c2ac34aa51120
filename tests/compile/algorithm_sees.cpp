// Compiled as a file of src/algorithms would be. See CMakeLists.txt for which of the variants must fail, and why.

#include "slidemesh/network/network.h"

#ifdef CONTROL
#include "slidemesh/control/control.h"
#endif
#ifdef TRANSPORT
#include "slidemesh/transport/transport.h"
#endif

double what_a_method_may_do(slidemesh::Network& network, const slidemesh::Stacked& x) {
  slidemesh::Stacked y = x;
  network.laplacian(x, y);
#ifdef PRIVATE_MEMBER
  network.laplacian(x, static_cast<slidemesh::Traffic>(0), y);
#endif
  return network.agree_sum(y.topRows(1))(0);
}

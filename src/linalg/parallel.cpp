#include "slidemesh/linalg/parallel.h"

#include <omp.h>

namespace slidemesh {

namespace {
int wanted_threads = 0;
}  // namespace

void set_threads(int threads) { wanted_threads = threads; }

int threads() { return wanted_threads > 0 ? wanted_threads : omp_get_max_threads(); }

}  // namespace slidemesh

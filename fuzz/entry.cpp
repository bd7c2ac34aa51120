// What libFuzzer calls; one executable a target, chosen when it is compiled.

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  slidemesh::fuzz::SLIDEMESH_FUZZ_TARGET({data, size});
  return 0;
}

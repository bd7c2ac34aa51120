// Once warm, an outer step's inner loop must not touch the heap. Every allocation of this executable
// goes through here and is counted.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "slidemesh/algorithms/ipds.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/linalg/parallel.h"
#include "slidemesh/network/in_process.h"
#include "slidemesh/sets/norm_balls.h"
#include "support/tiny_problem.h"

namespace {
std::atomic<long> allocations{0};
}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc,misc-new-delete-overloads)
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND(cppcoreguidelines-no-malloc,misc-new-delete-overloads)

namespace slidemesh {
namespace {

class Allocations : public ::testing::TestWithParam<const char*> {};

TEST_P(Allocations, DoNotGrowWithTheInnerSteps) {
  const Graph ring = make_graph({.kind = "ring", .nodes = 6});
  InProcessNetwork network(ring);
  const Problem problem = testing::make_problem(testing::toy_rows(), network, std::make_unique<L1Ball>(5, 2.0));
  IpdsOptions options;
  options.outer_steps = 400;
  options.inner = GetParam();
  options.laplacian_lambda_max = laplacian_spectrum(ring).lambda_max;
  Ipds ipds(problem, network, options);
  const auto allocations_of_a_step = [&] {
    const long before = allocations;
    ipds.step();
    return allocations - before;
  };
  for (int warm = 0; warm < 10; ++warm) {
    ipds.step();
  }
  const long early = allocations_of_a_step();  // 11 inner steps
  for (int k = 0; k < 100; ++k) {
    ipds.step();
  }
  EXPECT_EQ(allocations_of_a_step(), early) << "112 inner steps must not allocate more than 11";
}

INSTANTIATE_TEST_SUITE_P(Inner, Allocations, ::testing::Values("projection", "cgs"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace slidemesh

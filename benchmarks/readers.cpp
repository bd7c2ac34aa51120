// How fast files are read, in bytes of plain text a second of one core.
//
//   slidemesh_readers [--benchmark_filter=...]

#include <benchmark/benchmark.h>

#include <sstream>
#include <string>

#include "slidemesh/data/formats/csv.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/matrix_market.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/formats/writers.h"

namespace slidemesh {
namespace {

/// Six decimals, as data files mostly have.
Rows rounded_table() {
  Rows rows = make_synthetic({.rows = 100000});
  for (double& v : rows.values) {
    v = static_cast<double>(static_cast<long>(v * 1e6)) / 1e6;
  }
  return rows;
}

std::string text_of(void (*write)(std::ostream&, const Rows&)) {
  std::ostringstream out;
  write(out, rounded_table());
  return out.str();
}

void account(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}

void libsvm(benchmark::State& state) {
  const std::string text = text_of(write_libsvm);
  for (auto _ : state) {
    benchmark::DoNotOptimize(parse_libsvm(text, "memory"));
  }
  account(state, text);
}
BENCHMARK(libsvm)->Unit(benchmark::kMillisecond);

void csv(benchmark::State& state) {
  const std::string text = text_of(write_csv);
  for (auto _ : state) {
    benchmark::DoNotOptimize(parse_csv(text, "memory"));
  }
  account(state, text);
}
BENCHMARK(csv)->Unit(benchmark::kMillisecond);

void matrix_market(benchmark::State& state) {
  const std::string text = text_of(write_matrix_market);
  for (auto _ : state) {
    benchmark::DoNotOptimize(parse_matrix_market(text, "memory"));
  }
  account(state, text);
}
BENCHMARK(matrix_market)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace slidemesh

BENCHMARK_MAIN();

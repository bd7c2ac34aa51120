// How fast a gradient pass over rows is: beside plain loops (one dot and one axpy per row, as inlined in
// linalg/kernels_inline.h), and as a share of what the memory can deliver (STREAM's triad), all in one run. Prints ns
// per row and ratios; also whether the bits are equal.
//
//     build/bench/benchmarks/slidemesh_row_kernels

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/core/objective.h"
#include "slidemesh/linalg/kernels_inline.h"
#include "slidemesh/losses/logistic.h"

namespace {

using namespace slidemesh;

/// Processor time of this thread: what others run meanwhile does not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double fastest_seconds(int repeats, Work&& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) {
    const double begin = thread_seconds();
    work();
    best = std::min(best, thread_seconds() - begin);
  }
  return best;
}

/// Bytes per second of a = b + s c.
double triad(std::size_t numbers) {
  std::vector<double> a(numbers, 0.0);
  std::vector<double> b(numbers, 1.0);
  std::vector<double> c(numbers, 2.0);
  const double seconds = fastest_seconds(10, [&] {
    for (std::size_t i = 0; i < numbers; ++i) {
      a[i] = b[i] + 3.0 * c[i];
    }
  });
  return 3.0 * static_cast<double>(numbers) * sizeof(double) / seconds;
}

Rows dense_rows(Index count, Index features) {
  RandomStream random(1, Purpose::kTest);
  Rows rows;
  rows.features = features;
  rows.labels.resize(static_cast<std::size_t>(count));
  rows.values.resize(static_cast<std::size_t>(count * features));
  std::generate(rows.labels.begin(), rows.labels.end(), [&] { return random.unit() < 0.5 ? -1.0 : 1.0; });
  std::generate(rows.values.begin(), rows.values.end(), [&] { return random.uniform(-1.0, 1.0); });
  return rows;
}

Rows sparse_rows(Index count, Index features, Index nonzeros) {
  RandomStream random(2, Purpose::kTest);
  Rows rows;
  rows.features = features;
  rows.offsets.push_back(0);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(features));
  std::iota(columns.begin(), columns.end(), 0);
  for (Index r = 0; r < count; ++r) {
    rows.labels.push_back(random.unit() < 0.5 ? -1.0 : 1.0);
    shuffle(columns, random);
    std::sort(columns.begin(), columns.begin() + nonzeros);
    rows.columns.insert(rows.columns.end(), columns.begin(), columns.begin() + nonzeros);
    for (Index k = 0; k < nonzeros; ++k) {
      rows.values.push_back(random.uniform(-1.0, 1.0));
    }
    rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
  }
  return rows;
}

double plain_dot(const Rows& rows, Index r, const Vector& x) {
  if (!rows.is_sparse()) {
    return inlined::dot(rows.values.data() + r * rows.features, x.data(), rows.features);
  }
  double lane[4] = {};
  const Index first = rows.offsets[static_cast<std::size_t>(r)];
  const Index last = rows.offsets[static_cast<std::size_t>(r) + 1];
  for (Index i = first; i < last; ++i) {
    const auto at = static_cast<std::size_t>(i);
    lane[(i - first) % 4] = inlined::multiply_add(rows.values[at], x(rows.columns[at]), lane[(i - first) % 4]);
  }
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

void plain_axpy(double c, const Rows& rows, Index r, Vector& g) {
  if (!rows.is_sparse()) {
    inlined::axpy(c, rows.values.data() + r * rows.features, g.data(), rows.features);
    return;
  }
  for (Index i = rows.offsets[static_cast<std::size_t>(r)]; i < rows.offsets[static_cast<std::size_t>(r) + 1]; ++i) {
    const auto at = static_cast<std::size_t>(i);
    double& sum = g(rows.columns[at]);
    sum = inlined::multiply_add(c, rows.values[at], sum);
  }
}

void plain_gradient(const Rows& rows, const Loss& loss, const Vector& x, Vector& g) {
  std::vector<double> predictions(static_cast<std::size_t>(kBlockRows));
  g.setZero();
  for (Index begin = 0; begin < rows.count(); begin += kBlockRows) {
    const Index end = std::min(begin + kBlockRows, rows.count());
    const auto count = static_cast<std::size_t>(end - begin);
    for (Index r = begin; r < end; ++r) {
      predictions[static_cast<std::size_t>(r - begin)] = plain_dot(rows, r, x);
    }
    const std::span<double> used(predictions.data(), count);
    loss.evaluate(std::span(rows.labels.data() + begin, count), used, used, true);
    for (Index r = begin; r < end; ++r) {
      plain_axpy(predictions[static_cast<std::size_t>(r - begin)], rows, r, g);
    }
  }
  g /= static_cast<double>(rows.count());
}

void compare(const char* name, Rows table, int repeats, double bandwidth) {
  const auto rows = std::make_shared<const Rows>(std::move(table));
  const auto loss = std::make_shared<const Logistic>();
  RowObjective objective(std::make_shared<MemorySource>(rows, 0, rows->count()), loss);
  const Vector x = Vector::Constant(rows->features, 0.1);
  Vector plain(rows->features);
  Vector ours(rows->features);
  const double plain_seconds = fastest_seconds(repeats, [&] { plain_gradient(*rows, *loss, x, plain); });
  const double seconds = fastest_seconds(repeats, [&] { objective.gradient(AccessPurpose::kGradient, x, ours); });
  const bool same =
      std::memcmp(plain.data(), ours.data(), static_cast<std::size_t>(plain.size()) * sizeof(double)) == 0;
  const double bytes = static_cast<double>(rows->values.size() + rows->labels.size()) * sizeof(double) +
                       static_cast<double>(rows->columns.size()) * sizeof(std::int32_t);
  const auto count = static_cast<double>(rows->count());
  std::printf("%-34s %8.1f %8.1f %7.2f %9.0f %% %6s\n", name, 1e9 * plain_seconds / count, 1e9 * seconds / count,
              plain_seconds / seconds, 100.0 * bytes / seconds / bandwidth, same ? "yes" : "NO");
}

}  // namespace

int main() {
  constexpr std::size_t kInCache = 150'000;      // three arrays of the size of a table of 20,000 x 22 together
  constexpr std::size_t kInMemory = 40'000'000;  // far beyond any cache
  const double cache = triad(kInCache);
  const double memory = triad(kInMemory);
  std::printf("triad: %.1f GB/s at the size of the small tables, %.1f GB/s in memory\n\n", cache / 1e9, memory / 1e9);
  std::printf("%-34s %8s %8s %7s %11s %6s\n", "logistic gradient, one thread", "plain ns", "ours ns", "ratio",
              "of triad", "bits =");
  compare("dense 20,000 x 22", dense_rows(20'000, 22), 50, cache);
  compare("dense 20,000 x 24", dense_rows(20'000, 24), 50, cache);
  compare("dense 20,000 x 50", dense_rows(20'000, 50), 30, cache);
  compare("sparse 20,000 x 123, 14 a row", sparse_rows(20'000, 123, 14), 50, cache);
  compare("sparse 20,000 x 5,000, 30 a row", sparse_rows(20'000, 5'000, 30), 20, cache);
  compare("dense 2,000,000 x 22", dense_rows(2'000'000, 22), 15, memory);
  return 0;
}

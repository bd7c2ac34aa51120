// How fast a gradient pass over rows is: beside the first kernels (one row after the other; exp and log by Eigen's
// arrays), which are kept here as they were, beside plain loops with the loss of today, and as a share of what the
// memory can deliver: STREAM's triad, as it is usually counted (three numbers per entry: what is written must be
// fetched first, and that is not counted), and reading alone. All in one run. Prints ns per row and ratios; also
// whether the bits are equal.
//
//     build/bench/benchmarks/slidemesh_row_kernels

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

#include <Eigen/Core>
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

/// Bytes per second of adding up: nothing is written.
double reading(std::size_t numbers) {
  const std::vector<double> a(numbers, 1.0);
  volatile double sink = 0.0;
  const double seconds = fastest_seconds(10, [&] {
    double lane[32] = {};
    for (std::size_t i = 0; i + 32 <= numbers; i += 32) {
      for (std::size_t l = 0; l < 32; ++l) {
        lane[l] += a[i + l];
      }
    }
    sink = std::accumulate(lane, lane + 32, 0.0);
  });
  return static_cast<double>(numbers) * sizeof(double) / seconds;
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

/// The first version's kernels, loss included.
namespace first_version {

double sparse_dot(const std::int32_t* column, const double* value, Index n, const double* x) noexcept {
  double lane[4] = {};
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    for (Index l = 0; l < 4; ++l) {
      lane[l] = inlined::multiply_add(value[i + l], x[column[i + l]], lane[l]);
    }
  }
  for (Index l = 0; i < n; ++i, ++l) {
    lane[l] = inlined::multiply_add(value[i], x[column[i]], lane[l]);
  }
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

void predict(const RowBlock& block, Index begin, Index end, const double* x, Index outputs, double* out) noexcept {
  for (Index r = begin; r < end; ++r) {
    const Index row = block.storage_row(r);
    for (Index k = 0; k < outputs; ++k) {
      const double* model = x + k * block.features;
      *out++ = block.offsets == nullptr
                   ? inlined::dot(block.values + row * block.features, model, block.features)
                   : sparse_dot(block.columns + block.offsets[row], block.values + block.offsets[row],
                                block.offsets[row + 1] - block.offsets[row], model);
    }
  }
}

void accumulate(const RowBlock& block, Index begin, Index end, const double* coefficients, Index outputs,
                double* g) noexcept {
  for (Index r = begin; r < end; ++r) {
    const Index row = block.storage_row(r);
    for (Index k = 0; k < outputs; ++k) {
      const double c = *coefficients++;
      double* out = g + k * block.features;
      if (block.offsets == nullptr) {
        inlined::axpy(c, block.values + row * block.features, out, block.features);
      } else {
        for (Index i = block.offsets[row]; i < block.offsets[row + 1]; ++i) {
          out[block.columns[i]] = inlined::multiply_add(c, block.values[i], out[block.columns[i]]);
        }
      }
    }
  }
}

double evaluate(const double* b, const double* t, double* derivative, Index count) {
  constexpr Index kLanes = 8;
  const Index filled = (count + kLanes - 1) / kLanes * kLanes;
  alignas(64) double s[kBlockRows];
  alignas(64) double e[kBlockRows];
  const auto array = [&](double* numbers) { return Eigen::Map<Eigen::ArrayXd, Eigen::Aligned64>(numbers, filled); };
  for (Index r = 0; r < count; ++r) {
    s[r] = b[r] * t[r];
  }
  std::fill(s + count, s + filled, 0.0);
  array(e) = (-array(s).abs()).exp();
  for (Index r = 0; r < count; ++r) {
    derivative[r] = -b[r] * (s[r] > 0.0 ? e[r] : 1.0) / (1.0 + e[r]);
  }
  array(e) = (1.0 + array(e)).log();
  for (Index r = 0; r < count; ++r) {
    e[r] += s[r] < 0.0 ? -s[r] : 0.0;
  }
  return inlined::sum(e, count);
}

double gradient(const RowBlock& block, Index outputs, const Vector& x, Vector& g) {
  std::vector<double> labels(static_cast<std::size_t>(kBlockRows));
  std::vector<double> predictions(labels.size());
  double sum = 0.0;
  g.setZero();
  for (Index begin = 0; begin < block.count; begin += kBlockRows) {
    const Index end = std::min(begin + kBlockRows, block.count);
    for (Index r = begin; r < end; ++r) {
      labels[static_cast<std::size_t>(r - begin)] = block.label(r);
    }
    predict(block, begin, end, x.data(), outputs, predictions.data());
    sum += evaluate(labels.data(), predictions.data(), predictions.data(), end - begin);
    accumulate(block, begin, end, predictions.data(), outputs, g.data());
  }
  g /= static_cast<double>(block.count);
  return sum / static_cast<double>(block.count);
}

}  // namespace first_version

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

bool same_bits(const Vector& a, const Vector& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

RowBlock block_of(const Rows& rows) {
  RowBlock block;
  block.count = rows.count();
  block.features = rows.features;
  block.labels = rows.labels.data();
  block.values = rows.values.data();
  block.offsets = rows.is_sparse() ? rows.offsets.data() : nullptr;
  block.columns = rows.columns.data();
  return block;
}

struct Bandwidth {
  double triad;
  double reading;
};

void compare(const char* name, Rows table, int repeats, const Bandwidth& bandwidth) {
  const auto rows = std::make_shared<const Rows>(std::move(table));
  const std::shared_ptr<const Loss> loss = std::make_shared<const Logistic>();  // of what kind, kernels do not know
  RowObjective objective(std::make_shared<MemorySource>(rows, 0, rows->count()), loss);
  const Vector x = Vector::Constant(rows->features, 0.1);
  Vector first(rows->features);
  Vector plain(rows->features);
  Vector ours(rows->features);
  double first_value = 0.0;
  double value = 0.0;
  double seconds[3] = {1e9, 1e9, 1e9};
  for (int k = 0; k < repeats; ++k) {  // they take turns, so that a busy machine is as busy for each
    seconds[0] = std::min(seconds[0], fastest_seconds(1, [&] {
                            first_value = first_version::gradient(block_of(*rows), loss->outputs(), x, first);
                          }));
    seconds[1] = std::min(seconds[1], fastest_seconds(1, [&] { plain_gradient(*rows, *loss, x, plain); }));
    seconds[2] = std::min(seconds[2],
                          fastest_seconds(1, [&] { value = objective.gradient(AccessPurpose::kGradient, x, ours); }));
  }
  const bool same = same_bits(first, ours) && same_bits(plain, ours) && first_value == value;
  const double bytes = static_cast<double>(rows->values.size() + rows->labels.size()) * sizeof(double) +
                       static_cast<double>(rows->columns.size()) * sizeof(std::int32_t);
  const double per_row = 1e9 / static_cast<double>(rows->count());
  std::printf("%-34s %8.1f %8.1f %8.1f %7.2f %9.0f %% %9.0f %% %6s\n", name, per_row * seconds[0], per_row * seconds[1],
              per_row * seconds[2], seconds[0] / seconds[2], 100.0 * bytes / seconds[2] / bandwidth.triad,
              100.0 * bytes / seconds[2] / bandwidth.reading, same ? "yes" : "NO");
}

}  // namespace

int main() {
  constexpr std::size_t kInCache = 450'000;      // of a table of 20,000 x 22
  constexpr std::size_t kInMemory = 48'000'000;  // far beyond any cache
  const Bandwidth cache = {triad(kInCache / 3), reading(kInCache)};
  const Bandwidth memory = {triad(kInMemory), reading(kInMemory)};
  std::printf("GB/s: triad %.1f, reading %.1f at the size of the small tables; triad %.1f, reading %.1f in memory\n\n",
              cache.triad / 1e9, cache.reading / 1e9, memory.triad / 1e9, memory.reading / 1e9);
  std::printf("%-34s %8s %8s %8s %7s %11s %11s %6s\n", "logistic gradient, one thread", "first ns", "plain ns",
              "ours ns", "ratio", "of triad", "of reading", "bits =");
  compare("dense 20,000 x 22", dense_rows(20'000, 22), 50, cache);
  compare("dense 20,000 x 24", dense_rows(20'000, 24), 50, cache);
  compare("dense 20,000 x 50", dense_rows(20'000, 50), 30, cache);
  compare("sparse 20,000 x 123, 14 a row", sparse_rows(20'000, 123, 14), 50, cache);
  compare("sparse 20,000 x 5,000, 30 a row", sparse_rows(20'000, 5'000, 30), 20, cache);
  compare("dense 2,000,000 x 22", dense_rows(2'000'000, 22), 15, memory);
  return 0;
}

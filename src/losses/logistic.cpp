#include "slidemesh/losses/logistic.h"

#include "blocks.h"
#include "exp_and_log.h"

namespace slidemesh {

// With s = b t and e = exp(-|s|), which cannot overflow:
//     l = log(1 + e) + max(-s, 0),     l' = -b (e or 1) / (1 + e)   for s > 0 or not.
// One exp serves both; the log is taken only where values are wanted.

namespace {

using losses::Buffer;

/// Rows that are worked through at a time: what they need stays in the nearest of caches.
constexpr Index kSome = 32;

struct Some {
  alignas(32) double number[kSome];

  double& operator[](Index i) { return number[i]; }
  const double& operator[](Index i) const { return number[i]; }
};

#if defined(__AVX2__) && defined(__FMA__)

using losses::four::all;
using wide::kWidth;

/// work(r, load, store) for every four of `count` places, where load and store leave places beyond the end alone.
template <class Work>
inline void by_fours(Index count, const Work& work) {
  Index r = 0;
  for (; r + kWidth <= count; r += kWidth) {
    work(
        r, [](const double* from) { return _mm256_loadu_pd(from); },
        [](double* to, __m256d four) { _mm256_storeu_pd(to, four); });
  }
  if (r < count) {
    const __m256i inside = wide::first_places(count - r);
    work(
        r, [inside](const double* from) { return _mm256_maskload_pd(from, inside); },
        [inside](double* to, __m256d four) { _mm256_maskstore_pd(to, inside, four); });
  }
}

/// e = exp(-|s|).
void take_exp(const double* s, Index count, Some& e) {
  by_fours(count, [&](Index r, auto load, auto) {
    _mm256_store_pd(e.number + r, losses::four::exp_of_negatives(_mm256_or_pd(load(s + r), all(-0.0))));
  });
}

/// -b (e or 1) / (1 + e).
void take_derivatives(const double* b, const Some& s, const Some& e, Index count, double* derivatives) {
  by_fours(count, [&](Index r, auto load, auto store) {
    const __m256d four = _mm256_load_pd(e.number + r);
    const __m256d is_positive = _mm256_cmp_pd(_mm256_load_pd(s.number + r), _mm256_setzero_pd(), _CMP_GT_OQ);
    const __m256d top =
        _mm256_mul_pd(_mm256_xor_pd(load(b + r), all(-0.0)), _mm256_blendv_pd(all(1.0), four, is_positive));
    store(derivatives + r, _mm256_div_pd(top, _mm256_add_pd(all(1.0), four)));
  });
}

/// log(1 + e) + max(-s, 0).
void take_values(const Some& s, const Some& e, Index count, double* values) {
  by_fours(count, [&](Index r, auto, auto store) {
    const __m256d log = losses::four::log_from_one_to_two(_mm256_add_pd(all(1.0), _mm256_load_pd(e.number + r)));
    const __m256d opposite = _mm256_xor_pd(_mm256_load_pd(s.number + r), all(-0.0));
    store(values + r, _mm256_add_pd(log, _mm256_max_pd(opposite, _mm256_setzero_pd())));
  });
}

#else

auto array(Some& some, Index n) { return Eigen::Map<Eigen::ArrayXd, Eigen::Aligned32>(some.number, n); }

void take_exp(const double* s, Index count, Some& e) {
  const Index filled = losses::filled_up(count);
  std::copy_n(s, count, e.number);
  std::fill(e.number + count, e.number + filled, 0.0);
  array(e, filled) = (-array(e, filled).abs()).exp();
}

void take_derivatives(const double* b, const Some& s, const Some& e, Index count, double* derivatives) {
  for (Index r = 0; r < count; ++r) {
    derivatives[r] = -b[r] * (s[r] > 0.0 ? e[r] : 1.0) / (1.0 + e[r]);
  }
}

void take_values(const Some& s, const Some& e, Index count, double* values) {
  const Index filled = losses::filled_up(count);
  Some logs = e;
  array(logs, filled) = (1.0 + array(logs, filled)).log();
  for (Index r = 0; r < count; ++r) {
    values[r] = logs[r] + (s[r] < 0.0 ? -s[r] : 0.0);
  }
}

#endif

/// Derivatives and, unless `values` is null, values.
void take_all(const double* b, const double* t, Index rows, double* derivatives, double* values) {
  Some s;
  Some e;
  for (Index first = 0; first < rows; first += kSome) {
    const Index count = std::min(kSome, rows - first);
    for (Index r = 0; r < count; ++r) {
      s[r] = b[first + r] * t[first + r];
    }
    take_exp(s.number, count, e);
    take_derivatives(b + first, s, e, count, derivatives + first);
    if (values != nullptr) {
      take_values(s, e, count, values + first);
    }
  }
}

}  // namespace

double Logistic::evaluate(std::span<const double> labels, std::span<const double> predictions,
                          std::span<double> derivatives, bool want_value) const {
  return losses::over_pieces(static_cast<Index>(labels.size()), [&](Index first, Index count) {
    Buffer values;
    take_all(labels.data() + first, predictions.data() + first, count, derivatives.data() + first,
             want_value ? values.number : nullptr);
    return want_value ? losses::sum(values, count) : 0.0;
  });
}

void Logistic::evaluate_each(std::span<const double> labels, std::span<const double> predictions,
                             std::span<double> derivatives, std::span<double> values) const {
  take_all(labels.data(), predictions.data(), static_cast<Index>(labels.size()), derivatives.data(), values.data());
}

// l'' = e / (1 + e)^2 with e = exp(-|t|): even in t, and so the same for both labels.
void Logistic::curvatures(std::span<const double> labels, std::span<const double> predictions,
                          std::span<const double> /*moves*/, std::span<double> curvatures) const {
  const auto rows = static_cast<Index>(labels.size());
  Some e;
  for (Index first = 0; first < rows; first += kSome) {
    const Index count = std::min(kSome, rows - first);
    take_exp(predictions.data() + first, count, e);
    for (Index r = 0; r < count; ++r) {
      curvatures[static_cast<std::size_t>(first + r)] = e[r] / ((1.0 + e[r]) * (1.0 + e[r]));
    }
  }
}

}  // namespace slidemesh

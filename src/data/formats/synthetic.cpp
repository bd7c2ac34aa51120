#include "slidemesh/data/formats/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/random.h"
#include "slidemesh/base/text.h"
#include "slidemesh/base/words.h"
#include "slidemesh/data/formats/row_reader.h"

namespace slidemesh {
namespace {

constexpr Words<SyntheticKind, 4> kKinds = {{
    {SyntheticKind::kClassification, "classification"},
    {SyntheticKind::kRegression, "regression"},
    {SyntheticKind::kMulticlass, "multiclass"},
    {SyntheticKind::kMatrix, "matrix"},
}};

// Streams of one seed. Features, labels and models must not share numbers.
enum Stream : std::uint32_t { kSignal = 1, kContext = 2, kModel = 3, kLabelNoise = 4, kFeatures = 5, kEntries = 6 };

RandomStream stream(const SyntheticOptions& options, Stream which) {
  return {options.seed, Purpose::kSynthetic, which};
}

/// Mean 0, deviation 1, bell-shaped: the sum of twelve uniform numbers (Irwin and Hall). Unlike a true
/// normal it needs no logarithm, whose last bit differs between mathematical libraries.
double bell(RandomStream& random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) {
    sum += random.unit();
  }
  return sum;
}

std::vector<double> bells(Index count, RandomStream& random) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  std::generate(numbers.begin(), numbers.end(), [&] { return bell(random); });
  return numbers;
}

/// A first-order autoregression of deviation 1 that forgets over about `memory` steps.
class SlowSignal {
 public:
  SlowSignal(RandomStream random, double memory)
      : random_(random), keep_(1.0 - 1.0 / memory), push_(std::sqrt(1.0 - keep_ * keep_)), value_(bell(random_)) {}
  double next() {
    value_ = keep_ * value_ + push_ * bell(random_);
    return value_;
  }

 private:
  RandomStream random_;
  double keep_;
  double push_;
  double value_;
};

Rows dense_rows(const SyntheticOptions& options) {
  Rows rows;
  rows.features = options.features;
  rows.values.assign(static_cast<std::size_t>(options.rows) * static_cast<std::size_t>(options.features), 0.0);
  rows.labels.assign(static_cast<std::size_t>(options.rows), 0.0);
  return rows;
}

double* row_of(Rows& rows, Index r) { return rows.values.data() + r * rows.features; }

/// -1 .. 1 from the first row to the last.
double place(const SyntheticOptions& options, Index r) {
  return options.rows < 2 ? 0.0 : 2.0 * static_cast<double>(r) / static_cast<double>(options.rows - 1) - 1.0;
}

double score(const double* row, const std::vector<double>& model) {
  return std::inner_product(model.begin(), model.end(), row, 0.0);
}

void add_noise(std::vector<double>& scores, double noise, RandomStream random) {
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  double square = 0.0;
  for (const double s : scores) {
    square += (s - mean) * (s - mean);
  }
  const double deviation = std::sqrt(square / static_cast<double>(scores.size()));
  for (double& s : scores) {
    s += noise * deviation * bell(random);
  }
}

/// Like ijcnn1, a row is one tick of a running engine: which of its turns it is (one-hot), two slow
/// quantities, and a window of the newest values of one signal. The signal is loud or quiet, and lies
/// high or low, as the slow quantities wander, so rows far apart differ in law.
void fill_windows(const SyntheticOptions& options, Rows& rows) {
  const Index d = options.features;
  const Index turns = d >= 6 ? (d - 2) / 2 : 0;
  const Index slow = d >= 6 ? 2 : 0;
  const Index window = d - turns - slow;
  constexpr double kWindowScale = 0.1;
  constexpr double kContextScale = 0.3;

  SlowSignal wave(stream(options, kSignal), 8.0);
  SlowSignal level(stream(options, kContext), std::max(20.0, static_cast<double>(options.rows) / 10.0));
  std::vector<double> signal(static_cast<std::size_t>(options.rows + window));
  std::vector<double> levels(signal.size());
  for (std::size_t t = 0; t < signal.size(); ++t) {
    levels[t] = level.next();
    const double loudness = 1.0 + 0.5 * options.heterogeneity * (levels[t] > 0.0 ? levels[t] : 0.0);
    signal[t] = kWindowScale * (loudness * wave.next() + 0.5 * options.heterogeneity * levels[t]);
  }
  for (Index r = 0; r < options.rows; ++r) {
    double* row = row_of(rows, r);
    if (turns > 0) {
      row[r % turns] = 1.0;
      row[turns] = kContextScale *
                   (options.heterogeneity * (0.5 * place(options, r) + levels[static_cast<std::size_t>(r)]) - 1.0);
      row[turns + 1] =
          kContextScale * (0.5 + options.heterogeneity * 0.25 * levels[static_cast<std::size_t>(r + window)]);
    }
    std::copy_n(signal.begin() + r, window, row + turns + slow);
  }
}

Rows make_classification(const SyntheticOptions& options) {
  Rows rows = dense_rows(options);
  fill_windows(options, rows);
  RandomStream random = stream(options, kModel);
  std::vector<double> model = bells(options.features, random);
  const Index turns = options.features >= 6 ? (options.features - 2) / 2 : 0;
  for (std::size_t j = 0; j < model.size(); ++j) {
    model[j] *= static_cast<Index>(j) < turns ? 0.4 : 2.0;  // a turn counts, a signal counts more
  }
  std::vector<double> scores(rows.labels.size());
  for (Index r = 0; r < options.rows; ++r) {
    scores[static_cast<std::size_t>(r)] = score(row_of(rows, r), model);
  }
  add_noise(scores, options.noise, stream(options, kLabelNoise));

  // The threshold is a quantile, so that the share of positives is what was asked for.
  std::vector<double> sorted = scores;
  const auto n = static_cast<Index>(sorted.size());
  const Index positives = std::clamp<Index>(std::llround(options.positive * static_cast<double>(n)), 1, n - 1);
  const auto threshold = sorted.begin() + (n - positives);
  std::nth_element(sorted.begin(), threshold, sorted.end());
  for (std::size_t r = 0; r < scores.size(); ++r) {
    rows.labels[r] = scores[r] >= *threshold ? 1.0 : -1.0;
  }
  return rows;
}

/// Independent features around a mean that drifts from the first row to the last.
void fill_drifting(const SyntheticOptions& options, Rows& rows) {
  RandomStream random = stream(options, kFeatures);
  RandomStream context = stream(options, kContext);
  const double scale = 1.0 / std::sqrt(static_cast<double>(options.features));
  std::vector<double> drift = bells(options.features, context);
  for (double& v : drift) {
    v *= options.heterogeneity;
  }
  for (Index r = 0; r < options.rows; ++r) {
    double* row = row_of(rows, r);
    const double here = place(options, r);
    for (std::size_t j = 0; j < drift.size(); ++j) {
      row[j] = scale * (bell(random) + here * drift[j]);
    }
  }
}

Rows make_regression(const SyntheticOptions& options) {
  Rows rows = dense_rows(options);
  fill_drifting(options, rows);
  RandomStream random = stream(options, kModel);
  std::vector<double> model = bells(options.features, random);
  for (std::size_t j = 0; j < model.size(); ++j) {
    model[j] = j % 3 == 0 ? model[j] : 0.0;
  }
  for (Index r = 0; r < options.rows; ++r) {
    rows.labels[static_cast<std::size_t>(r)] = score(row_of(rows, r), model);
  }
  add_noise(rows.labels, options.noise, stream(options, kLabelNoise));
  return rows;
}

Rows make_multiclass(const SyntheticOptions& options) {
  Rows rows = dense_rows(options);
  fill_drifting(options, rows);
  RandomStream random = stream(options, kModel);
  RandomStream noise = stream(options, kLabelNoise);
  const auto classes = static_cast<std::size_t>(options.classes);
  std::vector<std::vector<double>> models;
  std::generate_n(std::back_inserter(models), classes, [&] { return bells(options.features, random); });
  for (Index r = 0; r < options.rows; ++r) {
    std::size_t best = 0;
    double largest = 0.0;
    for (std::size_t c = 0; c < classes; ++c) {
      const double s = score(row_of(rows, r), models[c]) + options.noise * bell(noise);
      if (c == 0 || s > largest) {
        best = c;
        largest = s;
      }
    }
    // The first rows name every class, so that no class is missing from a small table.
    rows.labels[static_cast<std::size_t>(r)] =
        static_cast<double>(r < options.classes ? static_cast<std::size_t>(r) : best);
  }
  return rows;
}

Rows make_matrix(const SyntheticOptions& options) {
  const Index p = options.matrix_rows;
  const Index q = options.matrix_columns;
  RandomStream random = stream(options, kModel);
  const std::vector<double> left = bells(p * options.rank, random);
  const std::vector<double> right = bells(q * options.rank, random);

  // Which entries are seen: the front of a shuffled list of all of them.
  std::vector<std::int32_t> entries(static_cast<std::size_t>(p * q));
  std::iota(entries.begin(), entries.end(), 0);
  RandomStream order = stream(options, kEntries);
  shuffle(entries, order);

  Rows rows;
  rows.features = p * q;
  rows.offsets.push_back(0);
  const double scale = 1.0 / std::sqrt(static_cast<double>(options.rank));
  for (Index r = 0; r < options.rows; ++r) {
    const Index entry = entries[static_cast<std::size_t>(r)];
    double value = 0.0;
    for (Index k = 0; k < options.rank; ++k) {
      value += left[static_cast<std::size_t>(entry % p * options.rank + k)] *
               right[static_cast<std::size_t>(entry / p * options.rank + k)];
    }
    rows.labels.push_back(scale * value);
    rows.columns.push_back(static_cast<std::int32_t>(entry));
    rows.values.push_back(1.0);
    rows.offsets.push_back(r + 1);
  }
  add_noise(rows.labels, options.noise, stream(options, kLabelNoise));
  return rows;
}

void expect(bool holds, const std::string& key, const std::string& expected, const std::string& got) {
  require<UsageError>(holds, fmt::format("data.{}", key), expected, got);
}

Index default_rows(const SyntheticOptions& o) {
  constexpr Index kRows = 20000;  // as many as the published runs take of ijcnn1
  if (o.kind != SyntheticKind::kMatrix || o.matrix_rows < 1 || o.matrix_columns < 1 ||
      o.matrix_rows > kMostFeatures / o.matrix_columns) {
    return kRows;
  }
  return std::max<Index>(2, o.matrix_rows * o.matrix_columns * 2 / 5);
}

void check(const SyntheticOptions& o) {
  constexpr Index kMostNumbers = Index{1} << 33U;
  expect(o.rows >= 2, "rows", "at least 2 rows", std::to_string(o.rows));
  expect(o.noise >= 0.0 && std::isfinite(o.noise), "noise", "a number of at least 0", text::shortest(o.noise));
  expect(o.heterogeneity >= 0.0 && std::isfinite(o.heterogeneity), "heterogeneity", "a number of at least 0",
         text::shortest(o.heterogeneity));
  if (o.kind == SyntheticKind::kMatrix) {
    expect(o.matrix_rows >= 1 && o.matrix_columns >= 1 && o.matrix_rows <= kMostFeatures / o.matrix_columns,
           "matrix_rows", "a matrix of 1 to 2147483646 entries",
           std::to_string(o.matrix_rows) + " x " + std::to_string(o.matrix_columns));
    expect(o.rank >= 1 && o.rank <= std::min(o.matrix_rows, o.matrix_columns), "rank", "1 to the smaller side",
           std::to_string(o.rank));
    expect(o.rows <= o.matrix_rows * o.matrix_columns, "rows", "no more than the matrix has entries",
           std::to_string(o.rows));
    return;
  }
  expect(o.features >= 1 && o.features <= kMostNumbers / o.rows, "features",
         "at least 1 and rows x features under 2^33", std::to_string(o.features));
  if (o.kind == SyntheticKind::kClassification) {
    expect(o.positive > 0.0 && o.positive < 1.0, "positive", "a share between 0 and 1", text::shortest(o.positive));
  }
  if (o.kind == SyntheticKind::kMulticlass) {
    expect(o.classes >= 2 && o.classes <= o.rows, "classes", "2 to the number of rows", std::to_string(o.classes));
  }
}

}  // namespace

SyntheticKind parse_synthetic_kind(std::string_view name) { return value_for(kKinds, name, "data.kind"); }

std::string_view to_string(SyntheticKind kind) { return word_for(kKinds, kind); }

Rows make_synthetic(const SyntheticOptions& wanted) {
  SyntheticOptions options = wanted;
  if (options.rows == 0) {
    options.rows = default_rows(options);
  }
  check(options);
  switch (options.kind) {
    case SyntheticKind::kClassification:
      return make_classification(options);
    case SyntheticKind::kRegression:
      return make_regression(options);
    case SyntheticKind::kMulticlass:
      return make_multiclass(options);
    case SyntheticKind::kMatrix:
      return make_matrix(options);
  }
  throw InternalError("an unknown kind of generated data");
}

}  // namespace slidemesh

// DeFW (defw.cpp has the paper and its letters) where every row has a single feature, as an entry of a matrix has, and
// vertices are matrices of rank one.
//
// A gradient is zero but at its node's entries, and a mixture of gradients but at the entries of all nodes: those
// places are agreed upon once, over the spanning tree, and from then on tracked gradients are kept, mixed and sent
// there alone. The oracle works on the sparse matrix, and its answer is two vectors. Iterates are dense as ever: what a
// node has not seen is what is looked for. But a step reads of them no more than those places, so that one process
// works out the others for several steps at once, or when somebody asks for them (matrix_iterates.h).
//
// Departure: the oracle's accuracy follows the step size. A vertex whose <G, v> misses the least by a share of at most
// γ_t/10 leaves the method's rate as it is (M. Jaggi 2013, theorem 1), and takes a few products with G in place of
// dozens.

#include "slidemesh/algorithms/entry_defw.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "slidemesh/algorithms/sparse_defw.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/core/row_numbers.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh {

namespace {

constexpr double kWorkPerEntry =
    80.0;  ///< operations of a derivative, with its place in an iterate beyond the near caches

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Counts of up to `nodes` that one double adds up exactly, side by side: digits of a number below 2^53.
struct Digits {
  explicit Digits(Index nodes) {
    while (base <= static_cast<double>(nodes)) {
      base *= 2.0;
      --bits_left;
    }
    per_number = std::max<Index>(1, 53 / (53 - bits_left));
  }
  double base = 1.0;
  Index bits_left = 53;
  Index per_number = 1;
};

}  // namespace

bool EntryDefw::fits(const Problem& problem, Network& network, const DefwOptions& options) {
  const FeasibleSet& set = problem.common_set("defw");
  if (!set.has_rank_one_vertices() || problem.mu != 0.0 || options.batch || !options.tracking) {
    return false;
  }
  Matrix others = Matrix::Zero(1, network.local_nodes());
  for (Index i = 0; i < others.cols(); ++i) {
    const LocalObjective& objective = *problem.objectives[at(i)];
    const Loss* loss = objective.row_loss();
    const bool has_entries = loss != nullptr && loss->has_single_features() && objective.derivative_count() > 0;
    others(0, i) = has_entries ? 0.0 : 1.0;
  }
  return network.agree_max(others)(0) == 0.0;
}

EntryDefw::EntryDefw(const Problem& problem, Network& network, const DefwOptions& options)
    : BaselineMethod("defw", problem, network, options.outer_steps, {std::nullopt, true, options.seed}),
      mixing_rounds_(options.mixing_rounds),
      oracle_share_(options.oracle_share),
      w_(mixing_weights(network.graph(), options.weights, options.laplacian_lambda_max)),
      theta_(network, w_, start(), set_.matrix_rows()),
      entries_(at(network.local_nodes())),
      derivatives_(at(network.local_nodes())),
      fresh_(at(network.local_nodes())),
      left_(set_.matrix_rows(), network.local_nodes()),
      right_(set_.matrix_columns(), network.local_nodes()) {
  for (Index i = 0; i < network.local_nodes(); ++i) {
    node_sets_.push_back(&node_set(i));
  }
  if (mixing_rounds_ && *mixing_rounds_ < 1) {
    fail<UsageError>("method.mixing_rounds", "at least 1", std::to_string(*mixing_rounds_));
  }
}

void EntryDefw::step() {
  const auto t = static_cast<double>(++t_);
  const double gamma = 2.0 / (t + 1.0);
  mix_iterates();  // θ̄_t = W θ_t
  const bool is_first = places_.empty();
  if (is_first) {
    find_places();
  }
  for_each_node(network_.local_nodes(), kWorkPerEntry * static_cast<double>(data_.rows(0)), [&](Index i) {
    if (!is_first) {
      data_.derivatives(i, theta_.at_own_places(i), derivatives_[at(i)]);
    }
    track(i);
  });
  mix_tracked();  // G_t = W (G_{t−1} + ∇f(θ̄_t) − ∇f(θ̄_{t−1})),  G_0 = ∇f(θ̄_0) = 0
  find_vertices(oracle_share_ * gamma);
  theta_.move(gamma, left_, right_);  // θ_{t+1} = (1 − γ_t) θ̄_t + γ_t a
}

const Stacked& EntryDefw::output() { return theta_.whole(); }

/// a = argmin over X of <G_t, v>.
void EntryDefw::find_vertices(double accuracy) {
  const bool is_finite = oracle_.find(node_sets_, matrix_, tracked_, accuracy, left_, right_);
  for (Index i = 0; i < tracked_.cols(); ++i) {
    if (!is_finite) {
      require_finite_point(tracked_.col(i), network_.global(i));
    }
    require_finite_point(right_.col(i), network_.global(i));
  }
}

/// The pass of the first gradient shows where the rows' entries are.
void EntryDefw::find_places() {
  std::vector<std::vector<Count>> features(entries_.size());
  const Stacked& theta = theta_.whole();
  for (Index i = 0; i < theta.cols(); ++i) {
    std::vector<Index> numbers(at(data_.rows(i)));
    std::iota(numbers.begin(), numbers.end(), Index{0});
    data_.touch(i, theta.col(i), numbers, [&](const TouchedRows& rows) {
      std::vector<double>& derivatives = derivatives_[at(i)];
      const std::size_t before = derivatives.size();
      derivatives.resize(before + rows.labels.size());
      data_.objective(i).row_loss()->evaluate(rows.labels, rows.predictions, std::span(derivatives).subspan(before),
                                              false);
      for (Index r = rows.begin; r < rows.end; ++r) {
        Count feature = 0;
        double factor = 0.0;
        for_each_number(rows.block, r, [&](Index j, double value) {
          feature = value != 0.0 ? static_cast<Count>(j) : feature;
          factor += value;
        });
        features[at(i)].push_back(feature);
        entries_[at(i)].factor.push_back(factor);
      }
    });
  }
  agree_places(features);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    for (const Count feature : features[i]) {
      entries_[i].place.push_back(std::lower_bound(places_.begin(), places_.end(), feature) - places_.begin());
    }
  }
  tracked_ = Stacked::Zero(static_cast<Index>(places_.size()), network_.local_nodes());
  use_places();
  for (Entries& entries : entries_) {
    entries.last_gradient.assign(entries.own.size(), 0.0);
  }
}

/// How many nodes have an entry at each place, some places to a number; what is counted is in places_.
void EntryDefw::agree_places(std::vector<std::vector<Count>>& features) {
  const Digits digits(network_.nodes());
  const Index d = problem_.dimension();
  Matrix counts = Matrix::Zero((d + digits.per_number - 1) / digits.per_number, network_.local_nodes());
  for (Index i = 0; i < counts.cols(); ++i) {
    std::vector<Count> own = features[at(i)];
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (const Count feature : own) {
      counts(feature / digits.per_number, i) += std::pow(digits.base, static_cast<double>(feature % digits.per_number));
    }
  }
  const Vector sums = network_.agree_sum(counts);
  for (Index k = 0; k < sums.size(); ++k) {
    double rest = sums(k);
    for (Index l = 0; l < digits.per_number && rest > 0.0; ++l) {
      const double after = std::floor(rest / digits.base);
      if (rest - after * digits.base > 0.0) {
        places_.push_back(k * digits.per_number + l);
      }
      rest = after;
    }
  }
}

/// Makes ready what follows from the places.
void EntryDefw::use_places() {
  matrix_ = SparseColumns(set_.matrix_rows(), set_.matrix_columns(), places_);
  std::vector<std::vector<Count>> own;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entries& entries = entries_[i];
    entries.own = entries.place;
    std::sort(entries.own.begin(), entries.own.end());
    entries.own.erase(std::unique(entries.own.begin(), entries.own.end()), entries.own.end());
    entries.slot.clear();
    for (const Count place : entries.place) {
      entries.slot.push_back(std::lower_bound(entries.own.begin(), entries.own.end(), place) - entries.own.begin());
    }
    derivatives_[i].resize(entries.place.size());
    fresh_[i].resize(static_cast<Index>(entries.own.size()));
    own.push_back(entries.own);
  }
  theta_.watch(places_, std::move(own));
}

/// tracked += ∇f(θ̄_t) − ∇f(θ̄_{t−1}), at the node's own places.
void EntryDefw::track(Index i) {
  Entries& entries = entries_[at(i)];
  const std::vector<double>& derivatives = derivatives_[at(i)];
  Vector& fresh = fresh_[at(i)];
  fresh.setZero();
  for (std::size_t r = 0; r < derivatives.size(); ++r) {
    fresh(entries.slot[r]) += derivatives[r] * entries.factor[r];
  }
  fresh /= static_cast<double>(derivatives.size()) / problem_.objectives[at(i)]->weight();
  for (std::size_t k = 0; k < entries.own.size(); ++k) {
    const auto slot = static_cast<Index>(k);
    tracked_(entries.own[k], i) += fresh(slot) - entries.last_gradient[k];
    entries.last_gradient[k] = fresh(slot);
  }
}

void EntryDefw::mix_iterates() {
  const int rounds = defw_mixing_rounds(mixing_rounds_, t_);
  for (int round = 0; round < rounds; ++round) {
    theta_.mix();
  }
}

void EntryDefw::mix_tracked() {
  const int rounds = defw_mixing_rounds(mixing_rounds_, t_);
  for (int round = 0; round < rounds; ++round) {
    network_.mix(w_, tracked_);
  }
}

/// What a checkpoint may hold: places within the matrix, and every row's among them.
void EntryDefw::require_state() const {
  const Count d = problem_.dimension();
  const auto count = static_cast<Count>(places_.size());
  bool fits = tracked_.rows() == count && (count == 0 || tracked_.cols() == network_.local_nodes());
  fits = fits && (count > 0 || t_ == 0);
  for (std::size_t k = 0; k < places_.size() && fits; ++k) {
    fits = places_[k] > (k > 0 ? places_[k - 1] : -1) && places_[k] < d;
  }
  for (std::size_t i = 0; i < entries_.size() && fits && count > 0; ++i) {
    const Entries& entries = entries_[i];
    fits = entries.place.size() == at(data_.rows(static_cast<Index>(i))) &&
           entries.factor.size() == entries.place.size() &&
           std::all_of(entries.place.begin(), entries.place.end(), [&](Count p) { return p >= 0 && p < count; });
  }
  if (!fits) {
    fail<DataError>("checkpoint", "places of a matrix's entries", "something else");
  }
}

void EntryDefw::visit_state(StateVisitor& visitor) {
  visitor.visit("t", t_);
  visitor.visit("theta", theta_.whole());
  visitor.visit("places", places_);
  visitor.visit("tracked", tracked_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    visitor.node(static_cast<Index>(i));
    visitor.visit("entry_places", entries_[i].place);
    visitor.visit("entry_factors", entries_[i].factor);
    visitor.visit("last_gradient", entries_[i].last_gradient);
  }
  visitor.all_nodes();
  if (visitor.is_reading()) {
    require_state();
    use_places();
    for (const Entries& entries : entries_) {
      if (entries.last_gradient.size() != entries.own.size()) {
        fail<DataError>("checkpoint", "a gradient at a node's entries", "one of another size");
      }
    }
  }
  visit_sets(visitor);
}

std::unique_ptr<Method> make_defw(const Problem& problem, Network& network, const DefwOptions& options) {
  if (EntryDefw::fits(problem, network, options)) {
    return std::make_unique<EntryDefw>(problem, network, options);
  }
  if (SparseDefw::fits(problem, network, options)) {
    return std::make_unique<SparseDefw>(problem, network, options);
  }
  return std::make_unique<Defw>(problem, network, options);
}

}  // namespace slidemesh

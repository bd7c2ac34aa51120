#include "slidemesh/core/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "row_kernels.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/core/row_numbers.h"
#include "slidemesh/core/values_by_row.h"
#include "slidemesh/linalg/block_lanczos.h"
#include "slidemesh/linalg/decompositions.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/kernels_inline.h"

namespace slidemesh {

namespace {

/// Up to so many features the Gram matrix of the rows is made in one pass and decomposed.
constexpr Index kDenseGramFeatures = 256;

/// Calls body(begin, end) for groups of at most `size` rows of begin .. end-1.
template <class Body>
void for_each_group(Index begin, Index end, Index size, Body&& body) {
  for (; begin < end; begin += size) {
    body(begin, std::min(begin + size, end));
  }
}

/// The same for groups of kBlockRows out of `count`.
template <class Body>
void for_each_group(Index count, Body&& body) {
  for_each_group(0, count, kBlockRows, body);
}

/// Rows that a pass predicts and then adds to the gradient, while they are in the nearest cache: a derivative has the
/// same bits however many rows are taken at a time, and a gradient is added up row by row.
Index rows_at_a_time(const RowBlock& block) {
  constexpr Index kBytes = 16384;
  constexpr Index kFewest = 8;
  constexpr Index kMost = 32;
  return block.offsets != nullptr
             ? kMost
             : std::clamp(kBytes / (block.features * Index{sizeof(double)}) / kFewest * kFewest, kFewest, kMost);
}

/// Adds the gradients of rows begin .. end-1, at most kBlockRows of one output and without a selection, to g. The sum
/// of their values; their derivatives are left in `derivatives`.
double add_gradients(const RowBlock& block, Index begin, Index end, const ValuesByRow& loss, const double* x, double* g,
                     double* derivatives) {
  double values[kBlockRows];
  for_each_group(begin, end, rows_at_a_time(block), [&](Index first, Index last) {
    const auto count = static_cast<std::size_t>(last - first);
    const std::span<double> some(derivatives + (first - begin), count);
    predict(block, first, last, x, 1, some.data());
    loss.evaluate_each({block.labels + first, count}, some, some, {values + (first - begin), count});
    accumulate(block, first, last, some.data(), 1, g);
  });
  return inlined::sum(values, end - begin);
}

}  // namespace

void LocalObjective::sampled_gradient(ConstVectorRef x, std::span<const Index> /*rows*/, VectorRef g) {
  if (rows() != 1) {
    throw InternalError("sampled_gradient was asked of an objective that cannot tell its rows apart");
  }
  gradient(AccessPurpose::kGradient, x, g);
}

double LocalObjective::corrected_gradient(ConstVectorRef, std::span<const Index>, std::span<const double>, VectorRef) {
  throw InternalError("corrected_gradient was asked of an objective that keeps no derivatives");
}

void LocalObjective::keep_derivatives(ConstVectorRef, std::span<const Index>, std::span<double>, VectorRef) {
  throw InternalError("keep_derivatives was asked of an objective that keeps no derivatives");
}

void LocalObjective::derivatives(AccessPurpose, ConstVectorRef, std::span<double>) {
  throw InternalError("derivatives were asked of an objective that keeps none");
}

void LocalObjective::touch(AccessPurpose, ConstVectorRef, std::span<const Index>, const TouchVisit&) {
  throw InternalError("touch was asked of an objective that is not a mean over rows");
}

double FunctionObjective::value(AccessPurpose /*purpose*/, ConstVectorRef x) {
  unused_gradient_.resize(dimension_);
  return function_(x, unused_gradient_);
}

double FunctionObjective::gradient(AccessPurpose /*purpose*/, ConstVectorRef x, VectorRef g, std::span<double>) {
  return function_(x, g);
}

RowObjective::RowObjective(std::shared_ptr<RowSource> source, std::shared_ptr<const Loss> loss, const Options& options)
    : source_(std::move(source)),
      loss_(std::move(loss)),
      labels_(static_cast<std::size_t>(kBlockRows)),
      predictions_(static_cast<std::size_t>(kBlockRows * loss_->outputs())),
      weight_(options.weight),
      prefetch_(options.prefetch) {
  require<DataError>(source_->rows() > 0, "a node's data", "at least one row", "none");
  constexpr Index kMost = std::numeric_limits<RowNumber>::max();
  require<DataError>(source_->rows() <= kMost, "a node's data", fmt::format("at most {} rows", kMost),
                     std::to_string(source_->rows()));
}

void RowObjective::predict_group(const RowBlock& block, Index begin, Index end, const double* x) {
  for (Index r = begin; r < end; ++r) {
    labels_[static_cast<std::size_t>(r - begin)] = block.label(r);
  }
  predict(block, begin, end, x, loss_->outputs(), predictions_.data());
}

double RowObjective::evaluate(const RowBlock& block, Index begin, Index end, const double* x, bool want_value) {
  const Index outputs = loss_->outputs();
  const auto count = static_cast<std::size_t>(end - begin);
  predict_group(block, begin, end, x);
  const std::span<double> predictions(predictions_.data(), count * static_cast<std::size_t>(outputs));
  return loss_->evaluate(std::span<const double>(labels_.data(), count), predictions, predictions, want_value);
}

double RowObjective::value(AccessPurpose purpose, ConstVectorRef x) {
  double sum = 0.0;
  source_->scan(purpose, [&](const RowBlock& block, Index) {
    for_each_group(block.count, [&](Index begin, Index end) { sum += evaluate(block, begin, end, x.data(), true); });
  });
  return sum / divisor(rows());
}

double RowObjective::gradient(AccessPurpose purpose, ConstVectorRef x, VectorRef g, std::span<double> derivatives) {
  const Index outputs = loss_->outputs();
  const auto* by_row = outputs == 1 ? dynamic_cast<const ValuesByRow*>(loss_.get()) : nullptr;
  double sum = 0.0;
  g.setZero();
  source_->scan(purpose, [&](const RowBlock& block, Index first) {
    for_each_group(block.count, [&](Index begin, Index end) {
      if (by_row != nullptr && block.selection == nullptr) {
        sum += add_gradients(block, begin, end, *by_row, x.data(), g.data(), predictions_.data());
      } else {
        sum += evaluate(block, begin, end, x.data(), true);
        accumulate(block, begin, end, predictions_.data(), outputs, g.data());
      }
      if (!derivatives.empty()) {
        std::copy_n(predictions_.data(), (end - begin) * outputs, derivatives.data() + (first + begin) * outputs);
      }
    });
  });
  g /= divisor(rows());
  return sum / divisor(rows());
}

template <class Look>
void RowObjective::drawn_gradient(ConstVectorRef x, std::span<const Index> rows, VectorRef g, Look&& look) {
  const Index outputs = loss_->outputs();
  g.setZero();
  source_->visit(AccessPurpose::kGradient, rows, [&](const RowBlock& block, Index first) {
    for_each_group(0, block.count, rows_at_a_time(block), [&](Index begin, Index end) {
      evaluate(block, begin, end, x.data(), false);
      for (Index r = begin; r < end; ++r) {
        look(block, r, rows[static_cast<std::size_t>(first + r)], predictions_.data() + (r - begin) * outputs);
      }
      accumulate(block, begin, end, predictions_.data(), outputs, g.data());
    });
  });
  g /= divisor(static_cast<Index>(rows.size()));
}

void RowObjective::sampled_gradient(ConstVectorRef x, std::span<const Index> rows, VectorRef g) {
  drawn_gradient(x, rows, g, [](const RowBlock&, Index, Index, const double*) {});
}

double RowObjective::corrected_gradient(ConstVectorRef x, std::span<const Index> rows,
                                        std::span<const double> derivatives, VectorRef g) {
  const Index outputs = loss_->outputs();
  double squares = 0.0;
  drawn_gradient(x, rows, g, [&](const RowBlock& block, Index r, Index row, double* derivative) {
    // Row r's difference is the outer product of its features and the change of its derivatives.
    double change = 0.0;
    for (Index k = 0; k < outputs; ++k) {
      derivative[k] -= derivatives[static_cast<std::size_t>(row * outputs + k)];
      change += derivative[k] * derivative[k];
    }
    squares += change * squared_row_norm(block, r);
  });
  return weight_ * squares / divisor(static_cast<Index>(rows.size()));  // mean squared length of weighted differences
}

void RowObjective::keep_derivatives(ConstVectorRef x, std::span<const Index> rows, std::span<double> derivatives,
                                    VectorRef g) {
  const Index outputs = loss_->outputs();
  drawn_gradient(x, rows, g, [&](const RowBlock&, Index, Index row, const double* derivative) {
    std::copy_n(derivative, outputs, derivatives.data() + row * outputs);
  });
}

void RowObjective::derivatives(AccessPurpose purpose, ConstVectorRef x, std::span<double> derivatives) {
  const Index outputs = loss_->outputs();
  source_->scan(purpose, [&](const RowBlock& block, Index first) {
    for_each_group(block.count, [&](Index begin, Index end) {
      evaluate(block, begin, end, x.data(), false);
      std::copy_n(predictions_.data(), (end - begin) * outputs, derivatives.data() + (first + begin) * outputs);
    });
  });
}

void RowObjective::touch(AccessPurpose purpose, ConstVectorRef x, std::span<const Index> rows,
                         const TouchVisit& visit) {
  const auto outputs = static_cast<std::size_t>(loss_->outputs());
  source_->visit(purpose, rows, [&](const RowBlock& block, Index first) {
    for_each_group(block.count, [&](Index begin, Index end) {
      const auto count = static_cast<std::size_t>(end - begin);
      predict_group(block, begin, end, x.data());
      visit({block, begin, end, rows.subspan(static_cast<std::size_t>(first + begin), count),
             std::span<const double>(labels_.data(), count),
             std::span<const double>(predictions_.data(), count * outputs)});
    });
  });
}

double RowObjective::smoothness() {
  if (smoothness_ < 0.0) {
    // The second derivative of f~_i is (weight/n) A' (l'' ...) A, at most weight * curvature * lambda_max(A'A / n).
    const bool is_small = source_->features() <= kDenseGramFeatures;
    const double largest = loss_->has_single_features() ? largest_squared_column()
                           : is_small                   ? largest_eigenvalue_by_gram()
                                                        : largest_eigenvalue_by_blocks();
    smoothness_ = weight_ * loss_->curvature() * largest;
    if (!std::isfinite(smoothness_)) {
      throw DataError("expected numbers whose squares can be summed, got an overflow");
    }
  }
  return smoothness_;
}

double RowObjective::largest_eigenvalue_by_gram() {
  const Index d = source_->features();
  Matrix gram = Matrix::Zero(d, d);
  Vector row = Vector::Zero(d);
  smoothness_calls_ += rows();
  source_->scan(AccessPurpose::kSmoothness, [&](const RowBlock& block, Index) {
    for (Index r = 0; r < block.count; ++r) {
      const Index at = block.storage_row(r);
      if (block.offsets == nullptr) {
        const double* a = block.values + at * d;
        for (Index j = 0; j < d; ++j) {
          axpy(a[j], a, gram.col(j).data(), j + 1);
        }
        continue;
      }
      for (Index j = block.offsets[at]; j < block.offsets[at + 1]; ++j) {
        for (Index i = block.offsets[at]; i <= j; ++i) {
          gram(block.columns[i], block.columns[j]) += block.values[i] * block.values[j];
        }
      }
    }
  });
  gram /= static_cast<double>(rows());
  return largest_eigenvalue(gram);
}

double RowObjective::largest_eigenvalue_by_blocks() {
  const Index d = source_->features();
  const EigenvalueSearch search = plan_eigenvalue_search(d);
  std::vector<double> product(static_cast<std::size_t>(search.width));
  return bound_largest_eigenvalue(
      d,
      [&](const VectorBlock& x, VectorBlock& y) {
        const Index width = x.cols();
        smoothness_calls_ += rows();
        source_->scan(AccessPurpose::kSmoothness, [&](const RowBlock& block, Index) {
          for (Index r = 0; r < block.count; ++r) {  // y += a (a'x)
            std::fill_n(product.data(), width, 0.0);
            for_each_number(block, r,
                            [&](Index j, double value) { axpy(value, x.row(j).data(), product.data(), width); });
            for_each_number(block, r,
                            [&](Index j, double value) { axpy(value, product.data(), y.row(j).data(), width); });
          }
        });
        y /= static_cast<double>(rows());
      },
      search);
}

/// Where every row has a single number, A'A is diagonal.
double RowObjective::largest_squared_column() {
  Vector squares = Vector::Zero(source_->features());
  smoothness_calls_ += rows();
  source_->scan(AccessPurpose::kSmoothness, [&](const RowBlock& block, Index) {
    for (Index r = 0; r < block.count; ++r) {
      for_each_number(block, r, [&](Index j, double value) { squares(j) += value * value; });
    }
  });
  return squares.maxCoeff() / static_cast<double>(rows());
}

}  // namespace slidemesh

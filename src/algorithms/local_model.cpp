#include "slidemesh/algorithms/local_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slidemesh/base/errors.h"
#include "slidemesh/core/row_numbers.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/triangular.h"

namespace slidemesh {

namespace {

constexpr double kUnknown = -1.0;  ///< a move of a row that was touched once; finite, so that a checkpoint can have it

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void Prediction::add(const Prediction& other) {
  before += other.before;
  predicted += other.predicted;
  found += other.found;
}

LocalModel::LocalModel(const LocalObjective& objective, double mu, ModelShape shape)
    : loss_(*objective.row_loss()),
      shape_(shape),
      outputs_(loss_.outputs()),
      mu_(mu),
      weight_(objective.weight()),
      rows_(objective.rows()),
      H_(Matrix::Zero(objective.dimension(), shape == ModelShape::kDense ? objective.dimension() : 1)),
      h_(Vector::Zero(objective.dimension())),
      linear_(h_),
      predictions_(at(rows_ * outputs_), 0.0),
      moves_(at(rows_), kUnknown) {
  if (shape == ModelShape::kDiagonal && outputs_ > 1) {
    throw UsageError("a diagonal model: expected a loss of one output, got " + std::to_string(outputs_));
  }
  const std::size_t group = at(kBlockRows);
  const std::size_t k = at(outputs_);
  for (Polynomials* p : {&new_, &old_}) {
    p->slopes.resize(group * k);
    p->curvatures.resize(group * k * k);
  }
  old_predictions_.resize(group * k);
  coefficients_.resize(k * k);
  old_moves_.resize(group);
  new_moves_.resize(group);
}

void LocalModel::expand(std::span<const double> labels, std::span<const double> predictions,
                        std::span<const double> moves, Polynomials& out) const {
  const std::size_t rows = labels.size();
  const std::size_t k = at(outputs_);
  out.values = loss_.evaluate(labels, predictions, std::span(out.slopes).first(rows * k), true);
  loss_.curvatures(labels, predictions, moves.first(rows), std::span(out.curvatures).first(rows * k * k));
}

void LocalModel::touch(const TouchedRows& rows, bool again) {
  const std::size_t count = rows.labels.size();
  const std::size_t k = at(outputs_);
  std::fill(new_moves_.begin(), new_moves_.end(), std::numeric_limits<double>::infinity());
  if (again) {
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t j = at(rows.numbers[r]);
      std::copy_n(predictions_.begin() + static_cast<std::ptrdiff_t>(j * k), k,
                  old_predictions_.begin() + static_cast<std::ptrdiff_t>(r * k));
      old_moves_[r] = moves_[j] < 0.0 ? std::numeric_limits<double>::infinity() : moves_[j];
      if (k == 1) {
        new_moves_[r] = std::abs(rows.predictions[r] - old_predictions_[r]);
      }
    }
    const auto predictions = std::span<const double>(old_predictions_).first(count * k);
    expand(rows.labels, predictions, old_moves_, old_);
    add(rows, old_, predictions, -1.0);
  } else {
    touched_ += static_cast<Count>(count);
  }
  expand(rows.labels, rows.predictions, new_moves_, new_);
  add(rows, new_, rows.predictions, 1.0);
  if (again) {
    compare(rows.predictions, count);
  }
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t j = at(rows.numbers[r]);
    std::copy_n(rows.predictions.begin() + static_cast<std::ptrdiff_t>(r * k), k,
                predictions_.begin() + static_cast<std::ptrdiff_t>(j * k));
    moves_[j] = std::isfinite(new_moves_[r]) ? new_moves_[r] : kUnknown;
  }
}

/// What the old polynomials said about the new predictions, and what is true there.
void LocalModel::compare(std::span<const double> predictions, std::size_t rows) {
  const std::size_t k = at(outputs_);
  double change = 0.0;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t a = 0; a < k; ++a) {
      const double move = predictions[r * k + a] - old_predictions_[r * k + a];
      change += old_.slopes[r * k + a] * move;
      for (std::size_t b = 0; b < k; ++b) {
        change +=
            0.5 * old_.curvatures[(r * k + a) * k + b] * move * (predictions[r * k + b] - old_predictions_[r * k + b]);
      }
    }
  }
  prediction_.add({old_.values, old_.values + change, new_.values});
}

/// l_j + <l'_j, t - t_j> + (t - t_j)'l''_j (t - t_j)/2 = t'l''_j t/2 + <o_j, t> + constant,  o_j = l'_j - l''_j t_j.
void LocalModel::add(const TouchedRows& rows, const Polynomials& p, std::span<const double> predictions, double sign) {
  const Index features = rows.block.features;
  const std::size_t k = at(outputs_);
  constant_ += sign * p.values;
  for (Index r = rows.begin; r < rows.end; ++r) {
    const std::size_t i = at(r - rows.begin);
    const double* curvature = p.curvatures.data() + i * k * k;
    for (std::size_t a = 0; a < k; ++a) {
      double bent = 0.0;  // (l''_j t_j)_a
      for (std::size_t b = 0; b < k; ++b) {
        bent += curvature[a * k + b] * predictions[i * k + b];
      }
      const double slope = p.slopes[i * k + a];
      constant_ -= sign * (slope - 0.5 * bent) * predictions[i * k + a];
      const double offset = sign * (slope - bent);
      double* h = h_.data() + static_cast<Index>(a) * features;
      for_each_number(rows.block, r, [&](Index j, double value) { h[j] += offset * value; });
    }
    double square = 0.0;
    for_each_number(rows.block, r, [&](Index, double value) { square += value * value; });
    largest_squared_row_ = std::max(largest_squared_row_, square);
    add_curvature(rows.block, r, curvature, sign);
  }
}

/// H += l''_j ⊗ a a': its lower triangle.
void LocalModel::add_curvature(const RowBlock& block, Index r, const double* curvature, double sign) {
  const Index features = block.features;
  if (shape_ == ModelShape::kDiagonal) {
    const Index row = block.storage_row(r);
    if (block.offsets == nullptr ? features > 1 : block.offsets[row + 1] - block.offsets[row] > 1) {
      throw InternalError("a diagonal model was shown a row of several features");
    }
    for_each_number(block, r, [&](Index j, double value) { H_(j, 0) += sign * curvature[0] * value * value; });
    return;
  }
  for (Index a = 0; a < outputs_; ++a) {
    for (Index b = 0; b <= a; ++b) {
      const double c = sign * curvature[a * outputs_ + b];
      if (block.offsets == nullptr) {
        const double* values = block.values + block.storage_row(r) * features;
        for (Index j = 0; j < features; ++j) {
          const Index first = a == b ? j : 0;
          axpy(c * values[j], values + first, &H_(a * features + first, b * features + j), features - first);
        }
        continue;
      }
      const Index row = block.storage_row(r);
      const Index first = block.offsets[row];
      const Index last = block.offsets[row + 1];
      for (Index k = first; k < last; ++k) {  // columns ascend, so that what follows k is below the diagonal
        double* column = &H_(a * features, b * features + block.columns[k]);
        const double scaled = c * block.values[k];
        for (Index l = a == b ? k : first; l < last; ++l) {
          column[block.columns[l]] += scaled * block.values[l];
        }
      }
    }
  }
}

Prediction LocalModel::finish_touch() {
  if (shape_ == ModelShape::kDense) {
    for (Index j = 0; j < H_.cols(); ++j) {
      for (Index i = j + 1; i < H_.rows(); ++i) {
        H_(j, i) = H_(i, j);
      }
    }
  }
  linear_ = h_ / divisor();
  const Prediction told = {prediction_.before * weight_, prediction_.predicted * weight_, prediction_.found * weight_};
  prediction_ = {};
  return told;
}

void LocalModel::multiply(ConstVectorRef v, VectorRef out) const {
  const double count = divisor();
  if (shape_ == ModelShape::kDiagonal) {
    out = H_.col(0).cwiseProduct(v) / count + mu_ * v;
    return;
  }
  out.setZero();
  add_columns(H_.data(), H_.rows(), v, out.data(), v.size());
  out = out / count + mu_ * v;
}

void LocalModel::gradient(ConstVectorRef x, VectorRef g) const {
  multiply(x, g);
  g += linear_;
}

double LocalModel::value(ConstVectorRef x) const {
  Vector g(x.size());
  multiply(x, g);
  return 0.5 * dot(g, x) + dot(linear_, x) + constant_ / divisor();
}

double LocalModel::diagonal(Index j) const { return H_(j, shape_ == ModelShape::kDense ? j : 0) / divisor() + mu_; }

void LocalModel::visit_state(StateVisitor& visitor) {
  visitor.visit("touched", touched_);
  visitor.visit("model_hessian", H_);
  visitor.visit("model_linear", h_);
  visitor.visit("model_constant", constant_);
  visitor.visit("largest_squared_row", largest_squared_row_);
  visitor.visit("predictions", predictions_);
  visitor.visit("prediction_moves", moves_);
  if (visitor.is_reading()) {
    if (touched_ < 0 || touched_ > rows_ || predictions_.size() != at(rows_ * outputs_) || moves_.size() != at(rows_)) {
      throw DataError("checkpoint: expected a model of " + std::to_string(rows_) + " rows, got something else");
    }
    linear_ = h_ / divisor();
  }
}

}  // namespace slidemesh

#include "slidemesh/algorithms/local_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "outer_product.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/core/row_numbers.h"
#include "slidemesh/linalg/kernels.h"
#include "slidemesh/linalg/triangular.h"

namespace slidemesh {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A move of a row that was touched once; finite, so that a checkpoint can have it.
constexpr double kUnknown = std::numeric_limits<double>::max();
/// Of a prediction: the mean second derivative over less than that differs from the second derivative by less than
/// that.
constexpr double kHardlyMoved = 1e-4;

bool has_moved(double move) { return std::abs(move) > kHardlyMoved && std::abs(move) < kUnknown; }

bool turned_back(double move_before, double move) {
  return has_moved(move_before) && has_moved(move) && (move_before > 0.0) != (move > 0.0);
}

/// to(j, i) = from(i, j) for kRows rows i of so many columns j; each matrix has `stride` numbers per column.
template <Index kRows>
void transpose_tile(const double* from, double* to, Index columns, Index stride) {
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < kRows; ++i) {
      to[j + i * stride] = from[i + j * stride];
    }
  }
}

/// The upper triangle becomes that of a symmetric matrix, a tile at a time: along rows every number is in a line of the
/// cache of its own.
void reflect_lower_triangle(Matrix& H) {
  constexpr Index kTile = 16;
  const Index n = H.rows();
  for (Index left = 0; left < n; left += kTile) {
    const Index right = std::min(left + kTile, n);
    for (Index j = left; j < right; ++j) {
      for (Index i = j + 1; i < right; ++i) {
        H(j, i) = H(i, j);
      }
    }
    Index top = right;
    for (; top + kTile <= n; top += kTile) {
      transpose_tile<kTile>(&H(top, left), &H(left, top), right - left, n);
    }
    for (; top < n; ++top) {
      transpose_tile<1>(&H(top, left), &H(left, top), right - left, n);
    }
  }
}

constexpr Index kGroupRows = 64;  ///< that are added to H at once: enough for a matrix product to be worth while

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void Prediction::add(const Prediction& other) {
  before += other.before;
  predicted += other.predicted;
  found += other.found;
}

double model_bytes(const LocalObjective& objective, ModelShape shape) {
  constexpr double kPerElement = sizeof(double) + sizeof(std::int32_t);
  const auto d = static_cast<double>(objective.dimension());
  switch (shape) {
    case ModelShape::kDense:
      return sizeof(double) * d * d;
    case ModelShape::kDiagonal:
      return sizeof(double) * d;
    case ModelShape::kSparse:
      break;
  }
  const auto source = objective.row_source();
  const std::optional<RowLengths> lengths = source ? source->lengths() : std::nullopt;
  return lengths ? kPerElement * std::min(lengths->squares, d * d) : kInfinity;
}

ModelShape shape_for(const LocalObjective& objective, bool allows_sparse) {
  constexpr double kNear = 2e6;   // bytes of a matrix that a near cache holds: nothing is gained by a smaller one
  constexpr double kLess = 0.25;  // of the dense matrix: an element of a sparse one takes a few times as long
  const Loss& loss = *objective.row_loss();
  if (loss.has_single_features()) {
    return ModelShape::kDiagonal;
  }
  const double bytes = model_bytes(objective, ModelShape::kDense);
  const bool is_sparse = allows_sparse && loss.outputs() == 1 && bytes > kNear &&
                         model_bytes(objective, ModelShape::kSparse) <= kLess * bytes;
  return is_sparse ? ModelShape::kSparse : ModelShape::kDense;
}

LocalModel::LocalModel(const LocalObjective& objective, double mu, ModelCurvature curvature, ModelShape shape)
    : loss_(*objective.row_loss()),
      shape_(shape),
      takes_secants_(curvature == ModelCurvature::kSecant && loss_.outputs() == 1 &&
                     loss_.third_derivative_ratio() > 0.0 && loss_.third_derivative_ratio() < kInfinity),
      outputs_(loss_.outputs()),
      mu_(mu),
      weight_(objective.weight()),
      rows_(objective.rows()),
      H_(Matrix::Zero(shape_ == ModelShape::kSparse ? 0 : objective.dimension(),
                      shape_ == ModelShape::kDense ? objective.dimension() : 1)),
      sparse_H_(shape_ == ModelShape::kSparse ? objective.dimension() : 0),
      h_(Vector::Zero(objective.dimension())),
      tilt_(h_),
      curvature_sum_(Vector::Zero(outputs_)),
      squared_curvature_sum_(curvature_sum_),
      linear_(h_),
      predictions_(at(rows_ * outputs_), 0.0),
      moves_(at(rows_), kUnknown),
      secants_(at(rows_), kUnknown) {
  require<UsageError>(shape_ == ModelShape::kDense || outputs_ == 1, "a diagonal or sparse model",
                      "a loss of one output", std::to_string(outputs_));
  const std::size_t group = at(kBlockRows);
  const std::size_t k = at(outputs_);
  for (Polynomials* p : {&new_, &old_}) {
    p->slopes.resize(group * k);
    p->curvatures.resize(group * k * k);
  }
  old_predictions_.resize(group * k);
  reach_.resize(group);
  ahead_.resize(group);
  new_offsets_.resize(group * k);
  old_offsets_.resize(group * k);
  if (shape_ == ModelShape::kDense) {
    group_.resize(objective.dimension() / outputs_, kGroupRows);
    scaled_.resize(objective.dimension() / outputs_, kGroupRows);
    group_curvatures_.resize(outputs_ * outputs_, kGroupRows);
  }
  old_secants_.resize(group);
  new_secants_.resize(group);
}

void LocalModel::expand(std::span<const double> labels, std::span<const double> predictions,
                        std::span<const double> secants, Polynomials& out) {
  const std::size_t rows = labels.size();
  const std::size_t k = at(outputs_);
  for (std::size_t r = 0; r < rows; ++r) {
    reach_[r] = std::abs(secants[r]) < kUnknown ? std::abs(secants[r]) : kInfinity;
  }
  out.values = loss_.evaluate(labels, predictions, std::span(out.slopes).first(rows * k), true);
  loss_.curvatures(labels, predictions, std::span(reach_).first(rows), std::span(out.curvatures).first(rows * k * k));
  if (takes_secants_) {
    take_secants(labels, predictions, secants, out);
  }
}

/// A prediction that has moved by so much is expected to go on: its curvature is taken ahead. Where it does, as those
/// of separable rows do for ever, the tangent parabola would end the step too early; where moves die down, so does the
/// difference. A prediction that turned back is expected to stay on the way that it came: where l'' ahead is next to
/// nothing, as it is far on either side of logistic losses, the row would be thrown from one side to the other whenever
/// it is touched.
double LocalModel::secant_after(std::size_t row, double move, bool exact) {
  const bool back = turned_back(moves_[row], move);
  moves_[row] = move;
  if (!takes_secants_) {
    return move;
  }
  return exact ? 0.0 : (back ? -move : move);
}

/// (l'(t + secant) − l'(t)) / secant.
void LocalModel::take_secants(std::span<const double> labels, std::span<const double> predictions,
                              std::span<const double> secants, Polynomials& out) {
  const std::size_t rows = labels.size();
  for (std::size_t r = 0; r < rows; ++r) {
    ahead_[r] = predictions[r] + (has_moved(secants[r]) ? secants[r] : 0.0);
  }
  loss_.evaluate(labels, std::span<const double>(ahead_).first(rows), std::span(ahead_).first(rows), false);
  for (std::size_t r = 0; r < rows; ++r) {
    if (has_moved(secants[r])) {
      out.curvatures[r] = std::clamp((ahead_[r] - out.slopes[r]) / secants[r], 0.0, loss_.curvature());
    }
  }
}

void LocalModel::begin_anew() {
  is_anew_ = true;
  touched_ = 0;
  constant_ = 0.0;
  H_.setZero();
  if (shape_ == ModelShape::kSparse) {
    sparse_H_ = SparseSymmetric(h_.size());
  }
  for (Vector* sum : {&h_, &tilt_, &curvature_sum_, &squared_curvature_sum_}) {
    sum->setZero();
  }
}

void LocalModel::touch(const TouchedRows& rows, bool again, bool exact) {
  const std::size_t count = rows.labels.size();
  const std::size_t k = at(outputs_);
  std::fill(new_secants_.begin(), new_secants_.end(), kUnknown);
  if (again) {
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t j = at(rows.numbers[r]);
      std::copy_n(predictions_.begin() + static_cast<std::ptrdiff_t>(j * k), k,
                  old_predictions_.begin() + static_cast<std::ptrdiff_t>(r * k));
      old_secants_[r] = secants_[j];
      if (k == 1) {
        new_secants_[r] = secant_after(j, rows.predictions[r] - old_predictions_[r], exact);
      }
    }
    const auto predictions = std::span<const double>(old_predictions_).first(count * k);
    expand(rows.labels, predictions, old_secants_, old_);
  }
  touched_ += again && !is_anew_ ? 0 : static_cast<Count>(count);
  expand(rows.labels, rows.predictions, new_secants_, new_);
  if (again) {
    compare(rows.predictions, count);
  }
  add(rows, again && !is_anew_);
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t j = at(rows.numbers[r]);
    std::copy_n(rows.predictions.begin() + static_cast<std::ptrdiff_t>(r * k), k,
                predictions_.begin() + static_cast<std::ptrdiff_t>(j * k));
    secants_[j] = new_secants_[r];
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
/// The sum of the constants.
double LocalModel::offsets(const Polynomials& p, std::span<const double> predictions, std::size_t rows,
                           std::vector<double>& out) const {
  const std::size_t k = at(outputs_);
  double constant = p.values;
  for (std::size_t r = 0; r < rows; ++r) {
    const double* curvature = p.curvatures.data() + r * k * k;
    for (std::size_t a = 0; a < k; ++a) {
      double bent = 0.0;  // (l''_j t_j)_a
      for (std::size_t b = 0; b < k; ++b) {
        bent += curvature[a * k + b] * predictions[r * k + b];
      }
      constant -= (p.slopes[r * k + a] - 0.5 * bent) * predictions[r * k + a];
      out[r * k + a] = p.slopes[r * k + a] - bent;
    }
  }
  return constant;
}

/// The new polynomials in and, where there are any, the old ones out.
void LocalModel::add(const TouchedRows& rows, bool again) {
  const std::size_t count = rows.labels.size();
  const std::size_t k = at(outputs_);
  constant_ += offsets(new_, rows.predictions, count, new_offsets_);
  if (again) {
    constant_ -= offsets(old_, old_predictions_, count, old_offsets_);
    for (std::size_t i = 0; i < count * k; ++i) {
      new_offsets_[i] -= old_offsets_[i];
    }
    for (std::size_t i = 0; i < count * k * k; ++i) {
      new_.curvatures[i] -= old_.curvatures[i];
    }
  }
  for (Index r = rows.begin; r < rows.end; ++r) {
    const std::size_t i = at(r - rows.begin);
    const double* change = new_.curvatures.data() + i * k * k;
    add_row(rows.block, r, new_offsets_.data() + i * k, change);
    for (std::size_t a = 0; a < k; ++a) {
      const std::size_t own = a * (k + 1);
      const double before = again ? old_.curvatures[i * k * k + own] : 0.0;
      curvature_sum_(static_cast<Index>(a)) += change[own];
      squared_curvature_sum_(static_cast<Index>(a)) += change[own] * (2.0 * before + change[own]);  // (b + c)² − b²
    }
    add_curvature(rows.block, r, change);
  }
}

/// What is linear in the row: h += o a and tilt += l'' a, of each output.
void LocalModel::add_row(const RowBlock& block, Index r, const double* offsets, const double* curvature) {
  for (Index a = 0; a < outputs_; ++a) {
    double* h = h_.data() + a * block.features;
    double* tilt = tilt_.data() + a * block.features;
    const double offset = offsets[a];
    const double own = shape_ == ModelShape::kDiagonal ? 0.0 : curvature[a * (outputs_ + 1)];
    double square = 0.0;
    for_each_number(block, r, [&](Index j, double value) {
      square += value * value;
      h[j] += offset * value;
      tilt[j] += own * value;
    });
    largest_squared_row_ = std::max(largest_squared_row_, square);
  }
}

/// H += l''_j ⊗ a a': its lower triangle. Dense rows are put aside and added some at a time.
void LocalModel::add_curvature(const RowBlock& block, Index r, const double* curvature) {
  const Index features = block.features;
  if (shape_ == ModelShape::kDiagonal) {
    const Index row = block.storage_row(r);
    if (block.offsets == nullptr ? features > 1 : block.offsets[row + 1] - block.offsets[row] > 1) {
      throw InternalError("a diagonal model was shown a row of several features");
    }
    for_each_number(block, r, [&](Index j, double value) { H_(j, 0) += curvature[0] * value * value; });
    return;
  }
  if (shape_ == ModelShape::kSparse) {
    if (block.offsets == nullptr) {
      throw InternalError("a sparse model was shown a dense row");
    }
    const Index row = block.storage_row(r);
    const auto length = at(block.offsets[row + 1] - block.offsets[row]);
    sparse_H_.add(curvature[0], std::span(block.columns + block.offsets[row], length),
                  block.values + block.offsets[row]);
    return;
  }
  if (block.offsets == nullptr) {
    group_.col(grouped_) = Eigen::Map<const Vector>(block.values + block.storage_row(r) * features, features);
    std::copy_n(curvature, outputs_ * outputs_, group_curvatures_.col(grouped_).data());
    if (++grouped_ == kGroupRows) {
      add_group();
    }
    return;
  }
  const Index row = block.storage_row(r);
  const Index first = block.offsets[row];
  const Index last = block.offsets[row + 1];
  const bool has_ones =
      std::all_of(block.values + first, block.values + last, [](double value) { return value == 1.0; });
  for (Index a = 0; a < outputs_; ++a) {
    for (Index b = 0; b <= a; ++b) {
      const double c = curvature[a * outputs_ + b];
      double* corner = &H_(a * features, b * features);
      if (has_ones) {
        add_outer_product(block.columns, first, last, a == b, corner, H_.rows(), c, [](Index) { return 1.0; });
      } else {
        add_outer_product(block.columns, first, last, a == b, corner, H_.rows(), c,
                          [&](Index k) { return block.values[k]; });
      }
    }
  }
}

/// At the speed of a matrix product. Groups depend on the order of the rows alone, and not on how a source deals them
/// out, so that H has the same bits whatever the rows come from.
void LocalModel::add_group() {
  if (grouped_ == 0) {
    return;
  }
  const Index features = group_.rows();
  const auto rows = group_.leftCols(grouped_);
  for (Index a = 0; a < outputs_; ++a) {
    for (Index b = 0; b <= a; ++b) {
      scaled_.leftCols(grouped_).noalias() = rows * group_curvatures_.row(a * outputs_ + b).head(grouped_).asDiagonal();
      auto part = H_.block(a * features, b * features, features, features);
      if (a == b) {
        part.triangularView<Eigen::Lower>() += rows * scaled_.leftCols(grouped_).transpose();
      } else {
        part.noalias() += rows * scaled_.leftCols(grouped_).transpose();
      }
    }
  }
  grouped_ = 0;
}

Prediction LocalModel::finish_touch() {
  is_anew_ = false;
  if (shape_ == ModelShape::kDense) {
    add_group();
    reflect_lower_triangle(H_);
  } else if (shape_ == ModelShape::kSparse) {
    sparse_H_.finish();
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
  if (shape_ == ModelShape::kSparse) {
    sparse_H_.add_product(v, out);
  } else {
    add_columns(H_.data(), H_.rows(), v, out.data(), v.size());
  }
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

void LocalModel::add_elements(double s, std::span<const Index> rows, Index j, double* out) const {
  const double share = s / divisor();
  if (shape_ == ModelShape::kDense) {
    const double* column = H_.col(j).data();
    for (std::size_t l = 0; l < rows.size(); ++l) {
      out[l] += share * column[rows[l]];
    }
  } else if (shape_ == ModelShape::kSparse) {
    sparse_H_.add_elements(share, rows, j, out);
  }
  const double of_diagonal = s * (shape_ == ModelShape::kDiagonal ? diagonal(j) : mu_);
  for (std::size_t l = 0; l < rows.size() && of_diagonal != 0.0; ++l) {
    out[l] += rows[l] == j ? of_diagonal : 0.0;
  }
}

double LocalModel::diagonal(Index j) const {
  if (shape_ == ModelShape::kSparse) {
    return sparse_H_.diagonal(j) / divisor() + mu_;
  }
  return H_(j, shape_ == ModelShape::kDense ? j : 0) / divisor() + mu_;
}

void LocalModel::visit_sparse(StateVisitor& visitor) {
  SparseSymmetric::Triangle triangle = sparse_H_.lower_triangle();
  visitor.visit("model_hessian_counts", triangle.counts);
  visitor.visit("model_hessian_rows", triangle.rows);
  visitor.visit("model_hessian_values", triangle.values);
  require<DataError>(!visitor.is_reading() || sparse_H_.assign(triangle), "checkpoint",
                     "the lower triangle of a sparse model", "something else");
}

void LocalModel::visit_state(StateVisitor& visitor) {
  visitor.visit("touched", touched_);
  if (shape_ == ModelShape::kSparse) {
    visit_sparse(visitor);
  } else {
    visitor.visit("model_hessian", H_);
  }
  visitor.visit("model_linear", h_);
  visitor.visit("model_tilt", tilt_);
  visitor.visit("model_curvature_sum", curvature_sum_);
  visitor.visit("model_squared_curvature_sum", squared_curvature_sum_);
  visitor.visit("model_constant", constant_);
  visitor.visit("largest_squared_row", largest_squared_row_);
  visitor.visit("predictions", predictions_);
  visitor.visit("prediction_moves", moves_);
  visitor.visit("prediction_secants", secants_);
  if (visitor.is_reading()) {
    const bool fits = touched_ >= 0 && touched_ <= rows_ && predictions_.size() == at(rows_ * outputs_) &&
                      moves_.size() == at(rows_) && secants_.size() == at(rows_);
    require<DataError>(fits, "checkpoint", "a model of " + std::to_string(rows_) + " rows", "something else");
    linear_ = h_ / divisor();
  }
}

}  // namespace slidemesh

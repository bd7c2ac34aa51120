#include "slidemesh/sets/combinators.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "checks.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

namespace {

/// Calls `f(part, first coordinate, size)` block by block.
template <class Parts, class F>
void for_each_block(Parts& parts, const F& f) {
  Index first = 0;
  for (auto& part : parts) {
    f(*part, first, part->dimension());
    first += part->dimension();
  }
}

}  // namespace

ProductSet::ProductSet(std::vector<std::unique_ptr<FeasibleSet>> parts)
    : parts_(std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end())) {
  require<UsageError>(!parts_.empty(), "product", "parts", "none");
  for (const auto& part : parts_) {
    dimension_ += part->dimension();
  }
}

void ProductSet::linear_minimizer(ConstVectorRef g, VectorRef v) {
  for_each_block(parts_, [&](FeasibleSet& part, Index first, Index size) {
    part.linear_minimizer(g.segment(first, size), v.segment(first, size));
  });
}

bool ProductSet::is_curved() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->is_curved(); });
}

ProjectionKind ProductSet::projection_kind() const {
  for (const ProjectionKind kind : {ProjectionKind::kNone, ProjectionKind::kExpensive}) {
    if (std::ranges::any_of(parts_, [kind](const auto& part) { return part->projection_kind() == kind; })) {
      return kind;
    }
  }
  return ProjectionKind::kClosedForm;
}

void ProductSet::project(ConstVectorRef x, VectorRef nearest) {
  for_each_block(parts_, [&](FeasibleSet& part, Index first, Index size) {
    part.project(x.segment(first, size), nearest.segment(first, size));
  });
}

double ProductSet::violation(ConstVectorRef x) const {
  double worst = -std::numeric_limits<double>::infinity();
  for_each_block(parts_, [&](const FeasibleSet& part, Index first, Index size) {
    worst = std::max(worst, part.violation(x.segment(first, size)));
  });
  return worst;
}

std::optional<BoxAndBall> ProductSet::box_and_ball() const {
  BoxAndBall all = BoxAndBall::box(Vector(dimension_), Vector(dimension_));
  Index first = 0;
  for (const auto& part : parts_) {
    std::optional<BoxAndBall> one = part->box_and_ball();
    if (!one || (!one->in_ball.empty() && !all.in_ball.empty())) {
      return std::nullopt;
    }
    all.lower.segment(first, part->dimension()) = one->lower;
    all.upper.segment(first, part->dimension()) = one->upper;
    if (!one->in_ball.empty()) {
      all.in_ball = std::move(one->in_ball);
      std::ranges::for_each(all.in_ball, [first](Index& j) { j += first; });
      all.centre = one->centre;
      all.radius = one->radius;
    }
    first += part->dimension();
  }
  return all;
}

double ProductSet::diameter() const {
  double square = 0.0;
  for (const auto& part : parts_) {
    square += part->diameter() * part->diameter();
  }
  return std::sqrt(square);
}

void ProductSet::start(VectorRef x) const {
  for_each_block(parts_, [&](const FeasibleSet& part, Index first, Index size) { part.start(x.segment(first, size)); });
}

void ProductSet::visit_state(StateVisitor& visitor) {
  for (const auto& part : parts_) {
    part->visit_state(visitor);
  }
}

AffineSet::AffineSet(std::unique_ptr<FeasibleSet> base, double factor, Vector offset)
    : WrappedSet(std::move(base)), factor_(factor), offset_(std::move(offset)), work_(dimension()) {
  require<UsageError>(std::isfinite(factor_) && factor_ != 0.0, "scaled", "a factor other than 0",
                      text::shortest(factor_));
  require<UsageError>(offset_.size() == dimension(), "shifted", fmt::format("an offset of {} numbers", dimension()),
                      std::to_string(offset_.size()));
  detail::require_finite(offset_, "shifted", "offset");
}

void AffineSet::linear_minimizer(ConstVectorRef g, VectorRef v) {
  if (factor_ > 0.0) {
    base().linear_minimizer(g, v);
  } else {
    work_ = -g;
    base().linear_minimizer(work_, v);
  }
  v = offset_ + factor_ * v;
}

void AffineSet::project(ConstVectorRef x, VectorRef nearest) {
  work_ = (x - offset_) / factor_;
  base().project(work_, nearest);
  nearest = offset_ + factor_ * nearest;
}

double AffineSet::violation(ConstVectorRef x) const {
  return std::abs(factor_) * base().violation((x - offset_) / factor_);
}

std::optional<BoxAndBall> AffineSet::box_and_ball() const {
  std::optional<BoxAndBall> moved = base().box_and_ball();
  if (moved) {
    for (std::size_t k = 0; k < moved->in_ball.size(); ++k) {
      const auto n = static_cast<Index>(k);
      moved->centre(n) = offset_(moved->in_ball[k]) + factor_ * moved->centre(n);
    }
    moved->radius *= std::abs(factor_);
    if (factor_ < 0.0) {
      moved->lower.swap(moved->upper);
    }
    moved->lower = offset_ + factor_ * moved->lower;
    moved->upper = offset_ + factor_ * moved->upper;
  }
  return moved;
}

double AffineSet::diameter() const { return std::abs(factor_) * base().diameter(); }

void AffineSet::start(VectorRef x) const {
  base().start(x);
  x = offset_ + factor_ * x;
}

std::unique_ptr<FeasibleSet> shifted(std::unique_ptr<FeasibleSet> base, Vector offset) {
  return std::make_unique<AffineSet>(std::move(base), 1.0, std::move(offset));
}

std::unique_ptr<FeasibleSet> scaled(std::unique_ptr<FeasibleSet> base, double factor) {
  const Index d = base->dimension();
  return std::make_unique<AffineSet>(std::move(base), factor, Vector::Zero(d));
}

FreeRowSet::FreeRowSet(std::unique_ptr<FeasibleSet> others, Index columns, double bound)
    : others_(std::move(others)), rows_(others_->dimension() / columns + 1), columns_(columns), bound_(bound) {}

template <class Answer, class OfLastRow>
void FreeRowSet::part_by_part(ConstVectorRef x, VectorRef out, const Answer& answer, const OfLastRow& of_last_row) {
  const auto matrix = as_matrix(x);
  const Matrix upper = matrix.topRows(rows_ - 1);
  const Vector last = matrix.row(rows_ - 1).unaryExpr(of_last_row);
  Vector result(upper.size());
  answer(Eigen::Map<const Vector>(upper.data(), upper.size()), VectorRef(result));
  Eigen::Map<Matrix> to(out.data(), rows_, columns_);
  to.topRows(rows_ - 1) = Eigen::Map<const Matrix>(result.data(), rows_ - 1, columns_);
  to.row(rows_ - 1) = last.transpose();
}

void FreeRowSet::linear_minimizer(ConstVectorRef g, VectorRef v) {
  part_by_part(
      g, v, [this](ConstVectorRef of_others, VectorRef answer) { others_->linear_minimizer(of_others, answer); },
      [this](double slope) { return slope > 0.0 ? -bound_ : bound_; });
}

/// Of one column: the others' vertex, and behind it the bound.
void FreeRowSet::sparse_minimizer(const SparseView& g, SparseVector& v) {
  const bool has_last = !g.places.empty() && g.places.back() == rows_ - 1;
  const std::size_t others = g.places.size() - (has_last ? 1 : 0);
  others_->sparse_minimizer({g.places.first(others), g.numbers.first(others)}, v);
  v.append(rows_ - 1, has_last && g.numbers.back() > 0.0 ? -bound_ : bound_);
}

void FreeRowSet::project(ConstVectorRef x, VectorRef nearest) {
  part_by_part(
      x, nearest, [this](ConstVectorRef of_others, VectorRef answer) { others_->project(of_others, answer); },
      [this](double value) { return std::clamp(value, -bound_, bound_); });
}

double FreeRowSet::violation(ConstVectorRef x) const {
  const auto matrix = as_matrix(x);
  const Matrix upper = matrix.topRows(rows_ - 1);
  const double beyond = matrix.row(rows_ - 1).cwiseAbs().maxCoeff() - bound_;
  return std::max(beyond, others_->violation(Eigen::Map<const Vector>(upper.data(), upper.size())));
}

std::optional<BoxAndBall> FreeRowSet::box_and_ball() const {
  std::optional<BoxAndBall> others = others_->box_and_ball();
  if (!others) {
    return std::nullopt;
  }
  const auto with_last = [this](const Vector& numbers, double last) {
    Matrix whole = Matrix::Constant(rows_, columns_, last);
    whole.topRows(rows_ - 1) = Eigen::Map<const Matrix>(numbers.data(), rows_ - 1, columns_);
    return Vector(whole.reshaped());
  };
  others->lower = with_last(others->lower, -bound_);
  others->upper = with_last(others->upper, bound_);
  std::ranges::for_each(others->in_ball, [this](Index& j) { j += j / (rows_ - 1); });
  return others;
}

double FreeRowSet::diameter() const {
  return std::hypot(others_->diameter(), 2.0 * bound_ * std::sqrt(static_cast<double>(columns_)));
}

void FreeRowSet::start(VectorRef x) const {
  Vector upper((rows_ - 1) * columns_);
  others_->start(upper);
  Eigen::Map<Matrix> to(x.data(), rows_, columns_);
  to.topRows(rows_ - 1) = Eigen::Map<const Matrix>(upper.data(), rows_ - 1, columns_);
  to.row(rows_ - 1).setZero();
}

}  // namespace slidemesh

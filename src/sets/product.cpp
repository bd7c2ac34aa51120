#include "slidemesh/sets/product.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "slidemesh/base/fail.h"

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
  if (parts_.empty()) {
    fail<UsageError>("product", "parts", "none");
  }
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
  ProjectionKind kind = ProjectionKind::kClosedForm;
  for (const auto& part : parts_) {
    const ProjectionKind own = part->projection_kind();
    if (own == ProjectionKind::kNone || kind == ProjectionKind::kNone) {
      kind = ProjectionKind::kNone;
    } else if (own == ProjectionKind::kExpensive) {
      kind = ProjectionKind::kExpensive;
    }
  }
  return kind;
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

}  // namespace slidemesh

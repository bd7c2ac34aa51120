#pragma once

#include <string_view>

#include "slidemesh/core/method.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/kept_columns.h"

namespace slidemesh {

/// The dual variable, put away.
struct KeptDual {
  KeptDual() = default;
  KeptDual(const Dual& dual) : s(dual.s), w(dual.w) {}  // NOLINT(google-explicit-constructor): the same numbers

  KeptColumns s;
  KeptColumns w;
};

/// As the matrix that was put away.
inline void visit_kept(StateVisitor& visitor, std::string_view name, KeptColumns& value) {
  Matrix whole;
  value.expand(whole);
  visitor.visit(name, whole);
  if (visitor.is_reading()) {
    value.assign(whole);
  }
}

}  // namespace slidemesh

#pragma once

#include <memory>
#include <string_view>

#include "slidemesh/core/feasible_set.h"

namespace slidemesh {

/// What every set of this module would otherwise repeat: its dimension, its name and its copy.
/// `Derived` declares `static constexpr std::string_view kName`.
template <class Derived>
class SetBase : public FeasibleSet {
 public:
  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const final {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  [[nodiscard]] std::string_view name() const final { return Derived::kName; }
  [[nodiscard]] Index dimension() const final { return dimension_; }

 protected:
  explicit SetBase(Index dimension) : dimension_(dimension) {}

 private:
  Index dimension_;
};

}  // namespace slidemesh

#include "slidemesh/core/problem.h"

#include <fmt/format.h>

#include <utility>

#include "slidemesh/base/fail.h"

namespace slidemesh {

const FeasibleSet& Problem::common_set(std::string_view method) const {
  require<UsageError>(!sets_differ, "method.name", "a method for nodes with sets of their own",
                      fmt::format("\"{}\", which needs one set for all", method));
  return *sets.front();
}

Stacked Problem::starts() const {
  Stacked x = start.replicate(1, static_cast<Index>(sets.size()));
  for (Index i = 0; i < x.cols() && sets_differ; ++i) {
    if (set(i).contains(start)) {
      continue;
    }
    if (set(i).projection_kind() == ProjectionKind::kNone) {
      set(i).start(x.col(i));
    } else {
      set(i).clone()->project(start, x.col(i));
    }
  }
  return x;
}

std::vector<std::shared_ptr<const FeasibleSet>> same_set(std::shared_ptr<const FeasibleSet> set, std::size_t nodes) {
  return {nodes, std::move(set)};
}

Vector start_of(const FeasibleSet& set) {
  Vector x = Vector::Zero(set.dimension());
  set.start(x);
  return x;
}

}  // namespace slidemesh

#pragma once

#include <Eigen/Core>

namespace slidemesh {

/// While one lives, Eigen asserts where it would allocate. Does nothing unless built with
/// SLIDEMESH_CHECK_ALLOCATIONS (the `dev` preset).
class NoAllocationScope {
 public:
#ifdef EIGEN_RUNTIME_NO_MALLOC
  NoAllocationScope() : before_(Eigen::internal::is_malloc_allowed()) { Eigen::internal::set_is_malloc_allowed(false); }
  ~NoAllocationScope() { Eigen::internal::set_is_malloc_allowed(before_); }

 private:
  bool before_;

 public:
#else
  NoAllocationScope() = default;
  ~NoAllocationScope() {}  // NOLINT(modernize-use-equals-default): a non-trivial one, so that no scope is unused
#endif
  NoAllocationScope(const NoAllocationScope&) = delete;
  NoAllocationScope& operator=(const NoAllocationScope&) = delete;
};

/// For code whose method allocates whatever we do (an eigensolver, a simplex code): lifts the ban for the rest of the
/// scope that set it.
inline void allow_allocation() {
#ifdef EIGEN_RUNTIME_NO_MALLOC
  Eigen::internal::set_is_malloc_allowed(true);
#endif
}

}  // namespace slidemesh

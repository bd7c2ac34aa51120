#pragma once

#include <memory>

#include "slidemesh/control/control.h"
#include "slidemesh/network/riding_sums.h"

namespace slidemesh {

/// What all processes must know of one another's clocks and signals before each decides alike.
struct Shared {
  double elapsed_seconds = 0.0;  ///< the root's
  double method_seconds = 0.0;   ///< the root's, inside the method
  bool interrupted = false;      ///< anywhere
  bool gave_up = false;          ///< anywhere: a step was left half done
};

/// Brings it to all processes, once a step: by an agreement of its own; or late, on the method's own messages, and then
/// what is taken is a step or a few old, and the same at every node.
class StopAgreement {
 public:
  StopAgreement(const Control& control, bool is_late, double seconds);

  [[nodiscard]] bool is_late() const { return sums_ != nullptr; }
  [[nodiscard]] const Shared& exchange(const Shared& here);

 private:
  void exchange_late(const Vector& here);

  const Control control_;
  Network& network_;
  std::unique_ptr<RidingSums> sums_;  ///< where it is late
  Count rounds_ = -1;
  Shared last_;
};

}  // namespace slidemesh

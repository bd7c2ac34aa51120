#include "stop_agreement.h"

namespace slidemesh {

StopAgreement::StopAgreement(const Control& control, bool is_late, double seconds)
    : control_(control),
      network_(control.network()),
      sums_(is_late ? RidingSums::uncharged(network_) : nullptr),
      last_{seconds, seconds} {}

/// The clocks are the root's: others have 0 for theirs.
const Shared& StopAgreement::exchange(const Shared& here) {
  Vector numbers = Vector::Zero(4);
  if (control_.is_root()) {
    numbers.head(2) << here.elapsed_seconds, here.method_seconds;
  }
  numbers.tail(2) << (here.interrupted ? 1.0 : 0.0), (here.gave_up ? 1.0 : 0.0);
  if (is_late()) {
    exchange_late(numbers.head(3));
  } else {
    const Vector all = control_.maxima_of(numbers);
    last_ = {all(0), all(1), all(2) > 0.0, all(3) > 0.0};
  }
  return last_;
}

/// After a step. A method that made no round in it carries nothing: then by messages of its own.
void StopAgreement::exchange_late(const Vector& here) {
  if (network_.meters().communication_rounds == rounds_) {
    sums_->flush();
  }
  rounds_ = network_.meters().communication_rounds;
  while (sums_->ready()) {
    const Vector sum = sums_->take();
    last_ = {sum(0), sum(1), sum(2) > 0.0, false};
  }
  if (sums_->under_way() == 0) {
    Matrix values = Matrix::Zero(here.size(), network_.local_nodes());
    values.col(0) = here;
    sums_->post(values);
  }
}

}  // namespace slidemesh

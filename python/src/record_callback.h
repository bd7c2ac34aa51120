#pragma once

#include <string>
#include <utility>

#include "bindings.h"
#include "interrupts.h"

namespace slidemesh::python {

/// A function of the user's that sees every record once and may end the run at it. A record that would not be the last
/// is shown before that is decided, by `ends_at`; the one that a run ends with by itself when it is complete, by
/// `tell`.
class RecordCallback {
 public:
  /// `function` may be None. With the interpreter's lock.
  RecordCallback(py::object function, Interrupts& interrupts)
      : function_(std::move(function)), is_set_(!function_.is_none()), interrupts_(interrupts) {}

  /// From here on records are of this method; without it they have no label.
  void begin(std::string label) {
    label_ = std::move(label);
    shown_step_ = -1;
  }

  /// Without the lock. True also stops whatever the session would do next.
  [[nodiscard]] bool ends_at(const Record& record) {
    shown_step_ = record.step;
    return show(record);
  }
  void tell(const Record& record) {
    if (record.step != shown_step_) {
      static_cast<void>(show(record));
    }
  }

 private:
  [[nodiscard]] bool show(const Record& record) {
    if (!is_set_) {
      return false;
    }
    const py::gil_scoped_acquire lock;
    try {
      py::dict fields = to_dict(record);
      if (!label_.empty()) {
        fields["label"] = label_;
      }
      if (!py::bool_(call(function_, fields))) {
        return false;
      }
      interrupts_.stop();
    } catch (const py::error_already_set&) {
      interrupts_.stop_with(std::current_exception());
    }
    return true;
  }

  py::object function_;
  bool is_set_;
  Interrupts& interrupts_;
  std::string label_;
  int shown_step_ = -1;
};

}  // namespace slidemesh::python

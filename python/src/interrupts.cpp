#include "interrupts.h"

#include <atomic>

namespace slidemesh::python {

namespace py = pybind11;

namespace {

constexpr auto kPause = std::chrono::milliseconds(50);
std::atomic<bool> came_up_in_a_function = false;

}  // namespace

bool take_keyboard_interrupt() { return came_up_in_a_function.exchange(false); }
void note_keyboard_interrupt() { came_up_in_a_function = true; }

// Only the main thread is told of signals.
Interrupts::Interrupts() : next_(std::chrono::steady_clock::now()) {
  const py::module_ threading = py::module_::import("threading");
  on_main_thread_ = threading.attr("current_thread")().is(threading.attr("main_thread")());
  if (on_main_thread_) {
    static_cast<void>(take_keyboard_interrupt());
  }
}

bool Interrupts::asked() {
  if (asked_ || !on_main_thread_) {
    return asked_;
  }
  if (take_keyboard_interrupt()) {
    asked_ = by_keyboard_ = true;
    return true;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) {
    return false;
  }
  next_ = now + kPause;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) {
    asked_ = true;
    py::error_already_set error;
    if (error.matches(PyExc_KeyboardInterrupt)) {
      by_keyboard_ = true;
    } else {
      error_ = std::make_exception_ptr(error);
    }
  }
  return asked_;
}

void Interrupts::stop_with(std::exception_ptr error) {
  asked_ = true;
  error_ = error_ ? error_ : std::move(error);
}

void Interrupts::rethrow() {
  if (error_) {
    std::rethrow_exception(error_);
  }
}

}  // namespace slidemesh::python

#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <utility>

namespace slidemesh::python {

/// Ctrl-C while C++ runs without the interpreter's lock: asked between steps, at most every 50 ms. A KeyboardInterrupt
/// becomes a wish to stop, so that the run ends with what it has; anything else that a signal handler raises is kept
/// and thrown by `rethrow`. One object for one run.
class Interrupts {
 public:
  Interrupts();

  /// Without the lock. Once true, always true.
  [[nodiscard]] bool asked();
  /// With the lock: what a handler or a callback raised, if anything.
  void rethrow();
  /// With the lock, inside a handler of py::error_already_set: stops the run, which then raises what was caught.
  void stop_with(std::exception_ptr error);
  /// Stops the run as if Ctrl-C had been pressed, without a warning.
  void stop() { asked_ = true; }
  [[nodiscard]] bool by_keyboard() const { return by_keyboard_; }

 private:
  std::chrono::steady_clock::time_point next_;
  bool on_main_thread_ = false;
  bool asked_ = false;
  bool by_keyboard_ = false;
  std::exception_ptr error_;
};

/// Whether a KeyboardInterrupt came up inside a function of the user's and nobody has acted on it; forgets it.
[[nodiscard]] bool take_keyboard_interrupt();
void note_keyboard_interrupt();

/// Calls a function of the user's, with the lock. Ctrl-C comes up in whatever Python code runs at the time: so that a
/// step can be brought to its end, the function is called once more, and the run stops after the step.
template <class... Arguments>
pybind11::object call(const pybind11::object& function, Arguments&&... arguments) {
  try {
    return function(arguments...);
  } catch (pybind11::error_already_set& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) {
      throw;
    }
    note_keyboard_interrupt();
  }
  return function(std::forward<Arguments>(arguments)...);
}

}  // namespace slidemesh::python

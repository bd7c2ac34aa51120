#include "bindings.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/linalg/parallel.h"

namespace slidemesh::python {

namespace {

/// Python's own kinds of exceptions, with our messages.
void translate(std::exception_ptr error) {
  try {
    if (error) {
      std::rethrow_exception(error);
    }
  } catch (const UsageError& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const DataError& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const PeerLostError& e) {
    PyErr_SetString(PyExc_ConnectionError, e.what());
  } catch (const Error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

}  // namespace

PYBIND11_MODULE(_slidemesh, module) {
  module.doc() = "C++ objects behind the package slidemesh; not for use by itself.";
  module.attr("__version__") = SLIDEMESH_VERSION;
  py::register_exception_translator(translate);
  module.def("set_threads", &set_threads, py::arg("threads"));
  module.def("threads", &threads);
  bind_registries(module);
  bind_graphs(module);
  bind_sets(module);
  bind_objectives(module);
  bind_solve(module);
  bind_session(module);
  bind_files(module);
}

}  // namespace slidemesh::python

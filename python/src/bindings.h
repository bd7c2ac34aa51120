#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slidemesh/base/value.h"
#include "slidemesh/core/record.h"
#include "slidemesh/linalg/types.h"
#include "slidemesh/report/writers.h"

/// The extension module `_slidemesh`: C++ objects and functions as they are. What users see, docs and defaults, is
/// Python (python/slidemesh), so that estimators are plain objects that can be pickled.

namespace slidemesh::python {

namespace py = pybind11;

// Each in a file of its own.
void bind_registries(py::module_& module);
void bind_graphs(py::module_& module);
void bind_sets(py::module_& module);
void bind_objectives(py::module_& module);
void bind_solve(py::module_& module);
void bind_session(py::module_& module);
void bind_files(py::module_& module);

/// A dictionary, list, number, string or path as a config would have it; None is left out of dictionaries. `what` names
/// it in a TypeError.
[[nodiscard]] Value to_value(py::handle object, const std::string& what);
[[nodiscard]] Value::Table to_table(const py::dict& dictionary, const std::string& what);

/// Fields of a record by the names that files have for them; None where a record has none.
[[nodiscard]] py::dict to_dict(const Record& record);
[[nodiscard]] Record to_record(const py::dict& fields);
/// A summary's own fields and those of its last record.
[[nodiscard]] py::dict to_dict(const RunSummary& run);
/// One array for each field; NaN where a record has none.
[[nodiscard]] py::dict to_columns(const std::vector<Record>& records);

/// A vector that is a copy, and one of an array that Python gave: d numbers, else an Error that begins with `what`.
[[nodiscard]] py::array_t<double> to_array(ConstVectorRef x);
void from_array(const py::handle& array, VectorRef x, const std::string& what);

/// Python objects that C++ may drop on any thread: the last owner takes the interpreter's lock to do so.
template <class T>
std::shared_ptr<T> drop_with_lock(T object) {
  return std::shared_ptr<T>(new T(std::move(object)), [](T* held) {
    const py::gil_scoped_acquire lock;
    delete held;
  });
}

}  // namespace slidemesh::python

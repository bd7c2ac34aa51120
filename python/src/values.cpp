// Between Python's values and ours.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "bindings.h"
#include "slidemesh/base/fail.h"

namespace slidemesh::python {

namespace {

std::string type_name(py::handle object) { return py::str(py::type::of(object).attr("__name__")); }

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// A column of a trace: whole numbers stay whole where every record has one.
template <class T>
py::array column(const std::vector<Record>& records, const std::function<T(const Record&)>& field) {
  py::array_t<T> out(static_cast<py::ssize_t>(records.size()));
  T* place = out.mutable_data();
  for (const Record& record : records) {
    *place++ = field(record);
  }
  return out;
}

template <class T>
double or_nan(const std::optional<T>& value) {
  return value ? static_cast<double>(*value) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Value::Table to_table(const py::dict& dictionary, const std::string& what) {
  Value::Table table;
  for (const auto& [key, member] : dictionary) {
    if (!py::isinstance<py::str>(key)) {
      throw py::type_error(what + ": expected keys that are strings, got " + type_name(key));
    }
    if (!member.is_none()) {
      const std::string name = py::str(key);
      table.emplace(name, to_value(member, what + "." + name));
    }
  }
  return table;
}

Value to_value(py::handle object, const std::string& what) {
  Value out;
  if (py::isinstance<py::bool_>(object)) {
    out.held = object.cast<bool>();
  } else if (py::isinstance<py::int_>(object)) {
    try {
      out.held = object.cast<std::int64_t>();
    } catch (const py::cast_error&) {
      throw py::value_error(what + ": expected a whole number of 64 bits, got " + std::string(py::str(object)));
    }
  } else if (py::isinstance<py::float_>(object)) {
    out.held = object.cast<double>();
  } else if (py::isinstance<py::str>(object)) {
    out.held = object.cast<std::string>();
  } else if (py::isinstance<py::dict>(object)) {
    out.held = to_table(py::reinterpret_borrow<py::dict>(object), what);
  } else if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    Value::List list;
    for (const auto& element : object) {
      list.push_back(to_value(element, what));
    }
    out.held = std::move(list);
  } else if (py::hasattr(object, "tolist")) {  // of NumPy: an array or a scalar
    return to_value(object.attr("tolist")(), what);
  } else if (py::hasattr(object, "__fspath__")) {
    out.held = object.attr("__fspath__")().cast<std::string>();
  } else {
    throw py::type_error(what + ": expected a number, a string, a list or a dictionary, got " + type_name(object));
  }
  return out;
}

py::dict to_dict(const Record& record) {
  py::dict fields;
  fields["step"] = record.step;
  fields["status"] = std::string(to_string(record.status));
  visit_fields(record, [&](const char* name, const auto& field) { fields[name] = py::cast(field); });
  return fields;
}

Record to_record(const py::dict& fields) {
  Record record;
  record.step = fields["step"].cast<int>();
  record.status = status_named(fields["status"].cast<std::string>()).value_or(Status::kRunning);
  visit_fields(record, [&](const char* name, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if (fields.contains(name)) {
      field = fields[name].cast<Field>();
    }
  });
  return record;
}

py::dict to_dict(const RunSummary& run) {
  py::dict fields = to_dict(run.last);
  fields["outer_steps"] = fields.attr("pop")("step");
  fields["status"] = std::string(to_string(run.status));
  fields["method"] = run.method;
  fields["label"] = run.label;
  fields["rows"] = run.rows;
  fields["objective_at_start"] = run.objective_at_start;
  fields["settings"] = py::cast(run.settings);
  return fields;
}

py::dict to_columns(const std::vector<Record>& records) {
  py::dict columns;
  columns["step"] = column<Count>(records, [](const Record& record) -> Count { return record.step; });
  const Record sample;
  std::size_t place = 0;
  visit_fields(sample, [&](const char* name, const auto& shown) {
    using Field = std::remove_cvref_t<decltype(shown)>;
    using Kept = std::conditional_t<is_optional<Field>, double, Field>;
    const std::size_t wanted = place++;
    columns[name] = column<Kept>(records, [wanted](const Record& record) -> Kept {
      Kept found{};
      std::size_t at = 0;
      visit_fields(record, [&](const char*, const auto& field) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, Field>) {
          if (at == wanted) {
            if constexpr (is_optional<Field>) {
              found = or_nan(field);
            } else {
              found = field;
            }
          }
        }
        ++at;
      });
      return found;
    });
  });
  return columns;
}

py::array_t<double> to_array(ConstVectorRef x) { return py::array_t<double>(x.size(), x.data()); }

void from_array(const py::handle& array, VectorRef x, const std::string& what) {
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!numbers) {
    PyErr_Clear();
    fail<UsageError>(what, fmt::format("an array of {} numbers", x.size()), type_name(array));
  }
  if (numbers.ndim() != 1 || numbers.shape(0) != x.size()) {
    std::string shape;
    for (py::ssize_t i = 0; i < numbers.ndim(); ++i) {
      shape += (i > 0 ? " x " : "") + std::to_string(numbers.shape(i));
    }
    fail<UsageError>(what, fmt::format("an array of {} numbers", x.size()),
                     (shape.empty() ? "a single number" : "one of shape " + shape));
  }
  x = Eigen::Map<const Vector>(numbers.data(), x.size());
  if (!x.allFinite()) {
    fail<UsageError>(what, "finite numbers", "NaN or infinity");
  }
}

}  // namespace slidemesh::python

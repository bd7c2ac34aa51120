// Sets by name, and sets that are known through functions of the user's.

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "bindings.h"
#include "interrupts.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/core/feasible_set.h"
#include "slidemesh/session/config.h"
#include "slidemesh/sets/combinators.h"
#include "slidemesh/sets/registry.h"

namespace slidemesh::python {

namespace {

/// What a set of the user's is made of. None stands for a function that there is not.
struct SetFunctions {
  std::string name;
  Index dimension = 0;
  py::object linear_minimizer;
  py::object project;
  py::object violation;
  double diameter = 0.0;
  Vector start;
};

/// Answers are not taken on trust: one that is outside, or worse than an earlier one, is an error.
class FunctionSet final : public FeasibleSet {
 public:
  explicit FunctionSet(std::shared_ptr<const SetFunctions> functions) : functions_(std::move(functions)) {}

  [[nodiscard]] std::unique_ptr<FeasibleSet> clone() const override { return std::make_unique<FunctionSet>(*this); }
  [[nodiscard]] std::string_view name() const override { return functions_->name; }
  [[nodiscard]] Index dimension() const override { return functions_->dimension; }
  [[nodiscard]] double diameter() const override { return functions_->diameter; }
  void start(VectorRef x) const override { x = functions_->start; }
  [[nodiscard]] ProjectionKind projection_kind() const override {
    const py::gil_scoped_acquire lock;
    return functions_->project.is_none() ? ProjectionKind::kNone : ProjectionKind::kClosedForm;
  }

  void linear_minimizer(ConstVectorRef g, VectorRef v) override {
    {
      const py::gil_scoped_acquire lock;
      from_array(call(functions_->linear_minimizer, to_array(g)), v, functions_->name + ".linear_minimizer");
    }
    require_inside(v, "linear_minimizer");
    require_least(g, v);
  }

  void project(ConstVectorRef x, VectorRef nearest) override {
    {
      const py::gil_scoped_acquire lock;
      from_array(call(functions_->project, to_array(x)), nearest, functions_->name + ".project");
    }
    require_inside(nearest, "project");
  }

  [[nodiscard]] double violation(ConstVectorRef x) const override {
    const py::gil_scoped_acquire lock;
    if (!functions_->violation.is_none()) {
      return call(functions_->violation, to_array(x)).cast<double>();
    }
    if (!functions_->project.is_none()) {
      Vector nearest(x.size());
      from_array(call(functions_->project, to_array(x)), nearest, functions_->name + ".project");
      return (x - nearest).norm();
    }
    return 0.0;  // nobody can tell
  }

 private:
  static constexpr double kTolerance = 1e-7;  ///< of 1 + the diameter: a user's function may round more than ours
  static constexpr std::size_t kRemembered = 8;

  void require_inside(ConstVectorRef v, const char* function) const {
    const double outside = violation(v);
    if (!(outside <= kTolerance * (1.0 + diameter()))) {
      fail<UsageError>(fmt::format("{}.{}", functions_->name, function), "a point of the set",
                       fmt::format("one whose violation is {}", outside));
    }
  }

  /// <g, v> must not be above what an earlier answer has.
  void require_least(ConstVectorRef g, ConstVectorRef v) {
    const double value = g.dot(v);
    const double slack = kTolerance * g.norm() * (1.0 + diameter());
    for (const Vector& earlier : answers_) {
      if (g.dot(earlier) < value - slack) {
        fail<UsageError>(fmt::format("{}.linear_minimizer", functions_->name), "a point v that minimizes <g, v>",
                         fmt::format("{} where an earlier answer has {}", value, g.dot(earlier)));
      }
    }
    answers_.emplace_back(v);
    if (answers_.size() > kRemembered) {
      answers_.pop_front();
    }
  }

  std::shared_ptr<const SetFunctions> functions_;
  std::deque<Vector> answers_;
};

/// An upper bound on the diameter: that of the box around the set, by two oracle calls for each coordinate.
double box_diameter(FeasibleSet& set) {
  Vector g = Vector::Zero(set.dimension());
  Vector v(set.dimension());
  double squares = 0.0;
  for (Index j = 0; j < g.size(); ++j) {
    g(j) = 1.0;
    set.linear_minimizer(g, v);
    const double least = v(j);
    g(j) = -1.0;
    set.linear_minimizer(g, v);
    squares += (v(j) - least) * (v(j) - least);
    g(j) = 0.0;
  }
  return std::sqrt(squares);
}

std::shared_ptr<FeasibleSet> function_set(const std::string& name, Index dimension, py::object linear_minimizer,
                                          py::object project, py::object violation, std::optional<double> diameter,
                                          const py::object& start) {
  if (dimension < 1) {
    fail<UsageError>(name, "a dimension of at least 1", std::to_string(dimension));
  }
  const auto f = drop_with_lock(SetFunctions{name, dimension, std::move(linear_minimizer), std::move(project),
                                             std::move(violation), diameter.value_or(0.0), Vector(dimension)});
  FunctionSet probe(f);
  if (!diameter) {
    f->diameter = 1e300;  // while it is being found out nothing can be told by it
    f->diameter = box_diameter(probe);
  }
  if (!std::isfinite(f->diameter) || f->diameter < 0.0) {
    fail<UsageError>(name, "a bounded set", fmt::format("a diameter of {}", f->diameter));
  }
  // Two opposite questions: an oracle that maximizes answers them the wrong way round.
  FunctionSet fresh(f);
  const Vector ones = Vector::Ones(dimension);
  fresh.linear_minimizer(-ones, f->start);
  fresh.linear_minimizer(ones, f->start);
  if (!start.is_none()) {
    from_array(start, f->start, name + ": start");
    if (!fresh.contains(f->start, 1e-7 * (1.0 + f->diameter))) {
      fail<UsageError>(fmt::format("{}: start", name), "a point of the set", "one outside");
    }
  }
  return std::make_shared<FunctionSet>(f);
}

Vector vector_of(const FeasibleSet& set, const py::handle& array, const char* what) {
  Vector x(set.dimension());
  from_array(array, x, what);
  return x;
}

}  // namespace

void bind_sets(py::module_& module) {
  py::class_<FeasibleSet, std::shared_ptr<FeasibleSet>>(module, "Set")
      .def_property_readonly("name", [](const FeasibleSet& set) { return std::string(set.name()); })
      .def_property_readonly("dimension", &FeasibleSet::dimension)
      .def_property_readonly("diameter", &FeasibleSet::diameter)
      .def_property_readonly("matrix_rows", &FeasibleSet::matrix_rows)
      .def_property_readonly("has_projection",
                             [](const FeasibleSet& set) { return set.projection_kind() != ProjectionKind::kNone; })
      .def("start",
           [](const FeasibleSet& set) {
             Vector x(set.dimension());
             set.start(x);
             return to_array(x);
           })
      .def("linear_minimizer",
           [](FeasibleSet& set, const py::object& g) {
             Vector v(set.dimension());
             set.linear_minimizer(vector_of(set, g, "g"), v);
             return to_array(v);
           })
      .def("project",
           [](FeasibleSet& set, const py::object& x) {
             Vector nearest(set.dimension());
             if (set.projection_kind() == ProjectionKind::kNone) {
               fail<UsageError>(set.name(), "a set with a projection", "one without");
             }
             set.project(vector_of(set, x, "x"), nearest);
             return to_array(nearest);
           })
      .def("violation",
           [](const FeasibleSet& set, const py::object& x) { return set.violation(vector_of(set, x, "x")); })
      .def("contains",
           [](const FeasibleSet& set, const py::object& x) { return set.contains(vector_of(set, x, "x")); });
  module.def(
      "named_set",
      [](const py::dict& table, Index dimension, Index matrix_rows) -> std::shared_ptr<FeasibleSet> {
        return make_set(make_set_spec(to_table(table, "set"), "set"), dimension, matrix_rows);
      },
      py::arg("table"), py::arg("dimension"), py::arg("matrix_rows") = 0);
  module.def(
      "free_row_set",
      [](const FeasibleSet& others, Index columns, double bound) -> std::shared_ptr<FeasibleSet> {
        return std::make_shared<FreeRowSet>(others.clone(), columns, bound);
      },
      py::arg("others"), py::arg("columns"), py::arg("bound"));
  module.def("function_set", &function_set, py::arg("name"), py::arg("dimension"), py::arg("linear_minimizer"),
             py::arg("project"), py::arg("violation"), py::arg("diameter"), py::arg("start"));
}

}  // namespace slidemesh::python

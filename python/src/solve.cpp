#include "slidemesh/session/solve.h"

#include "bindings.h"
#include "interrupts.h"
#include "record_callback.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/session/config.h"

namespace slidemesh::python {

namespace {

using Columns = py::array_t<double, py::array::f_style | py::array::forcecast>;

Columns matrix_of(const Stacked& x) { return Columns(std::vector<py::ssize_t>{x.rows(), x.cols()}, x.data()); }

/// The keys of [stop], as a config has them.
StopRule stop_rule(const py::dict& keys, bool has_reference) {
  Value::Table tree;
  tree.emplace("stop", Value{to_table(keys, "stop")});
  if (has_reference) {
    tree.emplace("output", Value{Value::Table{{"reference", Value{true}}}});
  }
  return make_config(std::move(tree), "solve").stop;
}

template <class T>
std::optional<T> optional(const py::dict& options, const char* name) {
  return options.contains(name) ? options[name].cast<std::optional<T>>() : std::nullopt;
}

SolveOptions read_options(const py::dict& options, const Graph& graph) {
  SolveOptions out;
  out.method = optional<std::string>(options, "method").value_or("");
  out.keys = to_table(options["keys"].cast<py::dict>(), "method");
  out.outer_steps = optional<int>(options, "outer_steps");
  if (out.outer_steps && *out.outer_steps < 1) {
    throw UsageError("outer_steps: expected at least 1, got " + std::to_string(*out.outer_steps));
  }
  out.reference_optimum = optional<double>(options, "reference_optimum");
  out.stop = stop_rule(options["stop"].cast<py::dict>(), out.reference_optimum.has_value());
  out.seed = options["seed"].cast<std::uint64_t>();
  out.every = options["every"].cast<int>();
  out.measure = options["measure"].cast<bool>();
  // Of a single node the Laplacian is nil, and any bound on it will do.
  const Spectrum spectrum = graph.edges() > 0 ? laplacian_spectrum(graph) : Spectrum{1.0, 1.0};
  out.lambda_max = spectrum.lambda_max;
  out.lambda_2 = spectrum.lambda_2;
  if (const py::object dual = options["dual"]; !dual.is_none()) {
    const auto columns = dual.cast<Columns>();
    if (columns.ndim() != 2) {
      throw UsageError("dual: expected a matrix, a column per node, got another shape");
    }
    out.dual = Eigen::Map<const Matrix>(columns.data(), columns.shape(0), columns.shape(1));
  }
  return out;
}

double read_mu(const py::dict& options) {
  const auto mu = options["mu"].cast<double>();
  if (!(mu >= 0.0) || !std::isfinite(mu)) {
    throw UsageError("mu: expected a number that is not negative, got " + std::to_string(mu));
  }
  return mu;
}

std::optional<Vector> read_start(const py::dict& options, const FeasibleSet& set) {
  const py::object given = options["start"];
  if (given.is_none()) {
    return std::nullopt;
  }
  Vector start(set.dimension());
  from_array(given, start, "start");
  return start;
}

/// A start outside the set is moved into it; where nodes have sets of their own, each does that by itself.
void start_from(const Vector& start, Problem& problem) {
  problem.start = start;
  const FeasibleSet& set = problem.set(0);
  if (problem.sets_differ || set.contains(start)) {
    return;
  }
  if (set.projection_kind() == ProjectionKind::kNone) {
    throw UsageError("start: expected a point of the set, got one outside");
  }
  set.clone()->project(start, problem.start);
}

py::dict answer_of(const Solution& solution, const Interrupts& interrupts) {
  py::dict out;
  out["x"] = to_array(solution.x);
  out["columns"] = matrix_of(solution.columns);
  out["status"] = std::string(to_string(solution.status));
  out["start_value"] = solution.start_value;
  out["last"] = to_dict(solution.last);
  out["dual"] = solution.dual.size() > 0 ? py::object(matrix_of(solution.dual)) : py::object(py::none());
  out["interrupted"] = interrupts.by_keyboard();
  return out;
}

/// Runs a method without the interpreter's lock. `on_record` is called with it, and ends the run by returning true.
py::dict solve_with(const std::vector<std::shared_ptr<LocalObjective>>& objectives,
                    const std::vector<std::shared_ptr<FeasibleSet>>& sets, const Graph& graph, const py::dict& options,
                    const py::object& on_record) {
  SolveOptions solve_options = read_options(options, graph);
  Interrupts interrupts;
  std::vector<Record> records;
  RecordCallback callback(on_record, interrupts);
  solve_options.interrupted = [&] { return interrupts.asked(); };
  solve_options.ends_at = [&](const Record& record) { return callback.ends_at(record); };
  solve_options.on_record = [&](const Record& record) {
    records.push_back(record);
    callback.tell(record);
  };
  if (sets.empty()) {
    throw UsageError("set: expected one for each node, got none");
  }
  const double mu = read_mu(options);
  const std::optional<Vector> start = read_start(options, *sets.front());
  Solution solution;
  {
    const py::gil_scoped_release released;
    Problem problem =
        make_problem(objectives, std::vector<std::shared_ptr<const FeasibleSet>>(sets.begin(), sets.end()), mu);
    if (start) {
      solve_options.origin = problem.start;
      start_from(*start, problem);
    }
    solution = slidemesh::solve(problem, graph, solve_options);
  }
  interrupts.rethrow();
  py::dict out = answer_of(solution, interrupts);
  out["trace"] = to_columns(records);
  return out;
}

}  // namespace

void bind_solve(py::module_& module) {
  module.def("solve", &solve_with, py::arg("objectives"), py::arg("sets"), py::arg("graph"), py::arg("options"),
             py::arg("on_record"));
}

}  // namespace slidemesh::python

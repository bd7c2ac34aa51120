// Losses by name, and what a node holds: rows of a table, or a function of the user's.

#include "bindings.h"
#include "functions.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/core/objective.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/data/preparation.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/losses/weighted.h"
#include "slidemesh/session/config.h"
#include "table.h"

namespace slidemesh::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using RowNumbers = py::array_t<Index, py::array::c_style | py::array::forcecast>;

std::shared_ptr<Loss> named_loss(const py::dict& problem) {
  Value::Table tree;
  tree.emplace("problem", Value{to_table(problem, "loss")});
  return std::const_pointer_cast<Loss>(make_loss(make_config(std::move(tree), "loss").loss));
}

std::vector<double> to_vector(const Numbers& numbers) { return {numbers.data(), numbers.data() + numbers.size()}; }

std::span<const double> span_of(const Numbers& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

/// Sum of the values, and the derivatives in an array of the predictions' shape.
py::tuple evaluate(const Loss& loss, const Numbers& labels, const Numbers& predictions) {
  if (predictions.size() != labels.size() * loss.outputs()) {
    throw UsageError("predictions: expected " + std::to_string(labels.size() * loss.outputs()) + ", got " +
                     std::to_string(predictions.size()));
  }
  py::array_t<double> derivatives(
      std::vector<py::ssize_t>(predictions.shape(), predictions.shape() + predictions.ndim()));
  const double sum = loss.evaluate(span_of(labels), span_of(predictions),
                                   {derivatives.mutable_data(), static_cast<std::size_t>(derivatives.size())}, true);
  return py::make_tuple(sum, derivatives);
}

/// The mean of the loss over some rows of a table: those of the given numbers, or `first` .. `first + count - 1`.
std::shared_ptr<LocalObjective> row_objective(const std::shared_ptr<Table>& table, const std::shared_ptr<Loss>& loss,
                                              Index first, Index count, const std::optional<RowNumbers>& numbers,
                                              double weight, bool intercept) {
  const RowBlock& block = table->block();
  std::shared_ptr<RowSource> source;
  if (numbers) {
    source = std::make_shared<ViewSource>(block, table,
                                          std::vector<Index>(numbers->data(), numbers->data() + numbers->size()));
  } else {
    source = std::make_shared<ViewSource>(block, table, first, count);
  }
  if (intercept) {
    auto preparation = std::make_shared<Preparation>();
    preparation->options.intercept = true;
    source = prepared_source(source, preparation);
  }
  return std::make_shared<RowObjective>(source, loss, RowObjective::Options{.weight = weight, .prefetch = false});
}

std::shared_ptr<LocalObjective> function_objective(const std::string& name, Index dimension, py::object value,
                                                   py::object gradient, py::object hessian,
                                                   const py::object& smoothness) {
  const auto constant = std::make_shared<Smoothness>(name, smoothness);
  const bool has_hessian = !hessian.is_none();
  const auto functions = drop_with_lock(UserFunctions{name, std::move(value), std::move(gradient), std::move(hessian)});
  if (!has_hessian) {
    return std::make_shared<FunctionObjective>(functions, dimension, constant);
  }
  return std::make_shared<FunctionRow>(functions, dimension, constant);
}

/// Whose rows are which: an order of all rows (None: their own) and where each node's part begins.
py::tuple split(const Numbers& labels, Index nodes, const std::string& rule, std::uint64_t seed, double alpha) {
  Partition partition = split_rows(span_of(labels), nodes, {parse_split_rule(rule), seed, alpha});
  const auto& numbers = partition.order;
  const py::object order =
      numbers.empty() ? py::object(py::none()) : RowNumbers(static_cast<py::ssize_t>(numbers.size()), numbers.data());
  return py::make_tuple(order, std::move(partition.offsets));
}

}  // namespace

void bind_objectives(py::module_& module) {
  py::class_<Loss, std::shared_ptr<Loss>>(module, "Loss")
      .def_property_readonly("name", [](const Loss& loss) { return std::string(loss.name()); })
      .def_property_readonly("outputs", &Loss::outputs)
      .def_property_readonly("curvature", &Loss::curvature)
      .def("evaluate", &evaluate, py::arg("labels"), py::arg("predictions"))
      .def("check_labels",
           [](const Loss& loss, const Numbers& labels) { check_labels(loss, span_of(labels), "labels"); });
  py::class_<LocalObjective, std::shared_ptr<LocalObjective>>(module, "Objective")
      .def_property_readonly("dimension", &LocalObjective::dimension)
      .def_property_readonly("rows", &LocalObjective::rows)
      .def_property_readonly("smoothness", &LocalObjective::smoothness)
      .def("evaluate", [](LocalObjective& objective, const py::object& point) {
        Vector x(objective.dimension());
        Vector g(objective.dimension());
        from_array(point, x, "x");
        const double value = objective.gradient(AccessPurpose::kTrace, x, g);
        return py::make_tuple(value, to_array(g));
      });
  py::class_<Table, std::shared_ptr<Table>>(module, "Table")
      .def_static("dense", &Table::dense, py::arg("values"), py::arg("labels"))
      .def_static("sparse", &Table::sparse, py::arg("values"), py::arg("columns"), py::arg("offsets"),
                  py::arg("features"), py::arg("labels"));
  module.def("named_loss", &named_loss, py::arg("problem"));
  module.def(
      "weighted_loss",
      [](const std::shared_ptr<Loss>& loss, const Numbers& labels, const Numbers& weights) -> std::shared_ptr<Loss> {
        return std::make_shared<WeightedLoss>(loss, to_vector(labels), to_vector(weights));
      },
      py::arg("loss"), py::arg("labels"), py::arg("weights"));
  module.def("row_objective", &row_objective, py::arg("table"), py::arg("loss"), py::arg("first"), py::arg("count"),
             py::arg("numbers"), py::arg("weight"), py::arg("intercept"));
  module.def("function_objective", &function_objective, py::arg("name"), py::arg("dimension"), py::arg("value"),
             py::arg("gradient"), py::arg("hessian"), py::arg("smoothness"));
  module.def("split", &split, py::arg("labels"), py::arg("nodes"), py::arg("rule"), py::arg("seed"), py::arg("alpha"));
}

}  // namespace slidemesh::python

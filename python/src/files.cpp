// The files of a run's directory, and pages made from them or from results in memory.

#include "bindings.h"
#include "slidemesh/core/graph.h"
#include "slidemesh/graphs/spectrum.h"
#include "slidemesh/report/report.h"
#include "slidemesh/report/writers.h"
#include "slidemesh/session/model.h"
#include "slidemesh/session/onnx.h"

namespace slidemesh::python {

namespace {

py::dict fields_of(const Model& model) {
  py::dict out;
  out["label"] = model.label;
  out["method"] = model.method;
  out["rows"] = model.rows;
  out["columns"] = model.columns;
  out["parameters"] = to_array(model.parameters);
  out["loss"] = model.loss;
  out["set"] = model.set;
  out["mu"] = model.mu;
  out["label_values"] = model.label_values;
  out["status"] = model.status ? py::cast(std::string(to_string(*model.status))) : py::object(py::none());
  out["objective"] = model.objective;
  out["lower_bound"] = model.lower_bound;
  out["certified_gap"] = model.certified_gap;
  if (model.map) {
    const FeatureMap& map = *model.map;
    out["features"] = map.features;
    out["feature_names"] = model.completes_a_matrix() ? std::vector<std::string>{} : map.feature_names();
    out["names_known"] = !map.columns.empty();
    py::list columns;
    for (const FeatureColumn& column : map.columns) {
      columns.append(py::make_tuple(column.name, column.words, column.missing));
    }
    out["columns_in"] = columns;
    out["shift"] = map.preparation.shift;
    out["scale"] = map.preparation.scale;
    out["intercept"] = map.preparation.options.intercept;
    py::list classes;
    for (Index c = 0; c < map.labels.classes(); ++c) {
      classes.append(map.class_name(c));
    }
    out["class_names"] = classes;
    out["label_words"] = map.label_words;
    if (map.matrix) {
      out["row_names"] = map.matrix->row_names;
      out["column_names"] = map.matrix->column_names;
    }
  }
  return out;
}

/// An estimator's model as the program's `predict` reads it. Columns are numbers; `feature_names` may be empty.
Model model_of(const py::dict& fields) {
  Model model;
  const auto text = [&](const char* name) { return fields[name].cast<std::string>(); };
  model.label = text("label");
  model.method = text("method");
  model.loss = text("loss");
  model.set = text("set");
  model.mu = fields["mu"].cast<double>();
  model.rows = fields["rows"].cast<Index>();
  model.columns = fields["columns"].cast<Index>();
  model.parameters.resize(model.dimension());
  from_array(fields["parameters"], model.parameters, "parameters");
  model.label_values = fields["label_values"].cast<std::vector<double>>();
  model.status = status_named(text("status"));
  model.objective = fields["objective"].cast<std::optional<double>>();
  model.lower_bound = fields["lower_bound"].cast<std::optional<double>>();
  model.certified_gap = fields["certified_gap"].cast<std::optional<double>>();
  FeatureMap map;
  for (const auto& name : fields["feature_names"].cast<std::vector<std::string>>()) {
    map.columns.push_back({.name = name});
  }
  map.preparation.options.intercept = fields["intercept"].cast<bool>();
  map.features = model.rows - (map.preparation.options.intercept ? 1 : 0);
  if (model.completes_a_matrix()) {
    map.features = model.dimension();
    map.matrix = {"row", "col", fields["row_names"].cast<std::vector<std::string>>(),
                  fields["column_names"].cast<std::vector<std::string>>()};
  }
  map.label = text("label_column");
  map.label_words = fields["label_words"].cast<std::vector<std::string>>();
  map.labels.values = model.label_values;
  map.labels.kind = model.label_values.empty() ? LabelKind::kReal
                    : model.columns > 1        ? LabelKind::kClass
                                               : LabelKind::kBinary;
  model.map = std::move(map);
  return model;
}

py::list models(const std::string& path) {
  py::list all;
  for (const Model& model : read_models(path)) {
    all.append(fields_of(model));
  }
  return all;
}

/// Label and columns of each method's trace, in the file's order.
py::dict traces(const std::string& path) {
  std::vector<std::string> labels;
  std::map<std::string, std::vector<Record>> records;
  for (const TraceLine& line : read_trace(path)) {
    if (!records.contains(line.label)) {
      labels.push_back(line.label);
    }
    records[line.label].push_back(line.record);
  }
  py::dict all;
  for (const std::string& label : labels) {
    all[py::str(label)] = to_columns(records[label]);
  }
  return all;
}

py::list summaries(const std::string& path) {
  py::list all;
  for (const RunSummary& run : read_summary(path)) {
    all.append(to_dict(run));
  }
  return all;
}

std::string page_of_directories(const std::vector<std::string>& directories, const std::string& title) {
  std::vector<ReportInput> inputs;
  for (const std::string& directory : directories) {
    inputs.push_back(load_run_directory(directory));
  }
  ReportInput page = inputs.size() == 1 ? inputs.front() : merge_reports(inputs);
  page.title = title.empty() ? page.title : title;
  return report_page(page);
}

/// One run that is in memory: {"label", "method", "status", "rows", "start_value", "records", "problem", "graph"}.
std::string page_of_result(const py::dict& result, const std::string& title) {
  ReportInput input;
  input.title = title.empty() ? result["label"].cast<std::string>() : title;
  input.name = result["label"].cast<std::string>();
  input.problem = result["problem"].cast<std::vector<std::string>>();
  ReportRun run;
  run.summary.label = input.name;
  run.summary.method = result["method"].cast<std::string>();
  run.summary.status = status_named(result["status"].cast<std::string>()).value_or(Status::kFinished);
  run.summary.rows = result["rows"].cast<Count>();
  run.summary.objective_at_start = result["start_value"].cast<std::optional<double>>();
  for (const auto& record : result["records"].cast<py::list>()) {
    run.trace.push_back(to_record(record.cast<py::dict>()));
  }
  run.summary.last = run.trace.empty() ? Record{} : run.trace.back();
  input.runs.push_back(std::move(run));
  const Graph graph(result["nodes"].cast<Index>(), result["edges"].cast<std::vector<Edge>>());
  const Vector spectrum = full_laplacian_spectrum(graph);
  input.networks.push_back({"graph", graph, {spectrum.begin(), spectrum.end()}});
  return report_page(input);
}

}  // namespace

void bind_files(py::module_& module) {
  module.def("read_models", &models, py::arg("path"));
  module.def(
      "write_model",
      [](const std::string& path, const py::dict& fields) {
        const Model model = model_of(fields);
        write_models(path, std::span(&model, 1));
      },
      py::arg("path"), py::arg("fields"));
  module.def(
      "write_onnx", [](const std::string& path, const py::dict& fields) { write_onnx(path, model_of(fields)); },
      py::arg("path"), py::arg("fields"));
  module.def(
      "export_onnx",
      [](const std::string& model, const std::string& label, const std::string& path, bool single) {
        write_onnx(path, find_model(model, label), {.single = single});
      },
      py::arg("model"), py::arg("label"), py::arg("path"), py::arg("single"));
  module.def("read_traces", &traces, py::arg("path"));
  module.def("read_summary", &summaries, py::arg("path"));
  module.def("page_of_directories", &page_of_directories, py::arg("directories"), py::arg("title"));
  module.def("page_of_result", &page_of_result, py::arg("result"), py::arg("title"));
}

}  // namespace slidemesh::python

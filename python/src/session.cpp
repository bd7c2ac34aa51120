// A config run as the program runs it, with all its files.

#include "slidemesh/session/session.h"

#include "bindings.h"
#include "config_file.h"
#include "interrupts.h"
#include "record_callback.h"
#include "slidemesh/base/errors.h"

namespace slidemesh::python {

namespace {

/// Passes on what a session tells; a function of the user's may end the run.
class PythonListener final : public Listener {
 public:
  PythonListener(const py::object& on_record, Interrupts& interrupts) : callback_(on_record, interrupts) {}

  void say(const std::string& line) override { said.push_back(line); }
  void warn(const std::string& line) override { warnings.push_back(line); }
  void begin(const Start& start) override { callback_.begin(start.label); }
  [[nodiscard]] bool ends_at(const Record& record) override { return callback_.ends_at(record); }
  void record(const Record& record) override { callback_.tell(record); }

  std::vector<std::string> said;
  std::vector<std::string> warnings;

 private:
  RecordCallback callback_;
};

py::dict run(const Config& config, const py::dict& options, const py::object& on_record) {
  Interrupts interrupts;
  PythonListener listener(on_record, interrupts);
  SessionOptions session;
  session.out = options["out"].cast<std::string>();
  session.resume = options["resume"].cast<bool>();
  session.overwrite = options["overwrite"].cast<bool>();
  session.job.interrupted = [&] { return interrupts.asked(); };
  SessionResult result;
  {
    const py::gil_scoped_release released;
    result = run_session(config, session, listener);
  }
  interrupts.rethrow();
  py::dict out;
  py::list runs;
  for (const RunSummary& summary : result.runs) {
    runs.append(to_dict(summary));
  }
  out["runs"] = runs;
  out["directory"] = result.directory.string();
  out["interrupted"] = interrupts.by_keyboard();
  out["targets_reached"] = result.targets_reached;
  out["said"] = listener.said;
  out["warnings"] = listener.warnings;
  return out;
}

}  // namespace

void bind_session(py::module_& module) {
  module.def(
      "run_file",
      [](const std::string& path, const std::vector<std::string>& overrides, const py::dict& options,
         const py::object& on_record) { return run(app::read_config(path, overrides), options, on_record); },
      py::arg("path"), py::arg("overrides"), py::arg("options"), py::arg("on_record"));
  module.def(
      "run_tree",
      [](const py::dict& tree, const std::string& name, const py::dict& options, const py::object& on_record) {
        return run(make_config(to_table(tree, name), name), options, on_record);
      },
      py::arg("tree"), py::arg("name"), py::arg("options"), py::arg("on_record"));
  module.def(
      "to_toml", [](const py::object& value) { return to_toml(to_value(value, "value")); }, py::arg("value"));
}

}  // namespace slidemesh::python

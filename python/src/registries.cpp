// What there is by name, with the keys of each: the tables that configs and docs are made from.

#include "bindings.h"
#include "slidemesh/algorithms/registry.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/session/config.h"
#include "slidemesh/sets/registry.h"

namespace slidemesh::python {

namespace {

py::dict key(const std::string& name, const std::string& values, const std::string& by_default,
             const std::string& meaning) {
  py::dict out;
  out["name"] = name;
  out["values"] = values;
  out["default"] = by_default;
  out["meaning"] = meaning;
  return out;
}

py::dict kind(const std::string& name, const std::string& description, py::list keys) {
  py::dict out;
  out["name"] = name;
  out["description"] = description;
  out["keys"] = std::move(keys);
  return out;
}

py::list sets() {
  py::list all;
  for (const SetKind& set : set_kinds()) {
    py::list keys;
    for (const SetKey& k : set.keys) {
      keys.append(key(k.name, std::string(to_string(k.type)), k.default_text, k.meaning));
    }
    all.append(kind(set.name, set.description, keys));
  }
  return all;
}

/// Keys of a section that are known only for this kind.
py::list own_keys(const char* section, const std::string& of) {
  py::list keys;
  for (const SectionDoc& doc : config_sections()) {
    for (const KeyDoc& k : doc.keys) {
      if (doc.name == section && k.only_for == of) {
        keys.append(key(k.name, k.values, k.default_text, k.meaning));
      }
    }
  }
  return keys;
}

template <class Kinds>
py::list of_section(const Kinds& kinds, const char* section) {
  py::list all;
  for (const auto& one : kinds) {
    all.append(kind(one.name, one.description, own_keys(section, one.name)));
  }
  return all;
}

py::list methods() {
  py::list all;
  for (const MethodKind& method : method_kinds()) {
    py::list keys;
    for (const KeyDoc& k : method.keys) {
      keys.append(key(k.name, k.values, k.default_text, k.meaning));
    }
    py::dict one = kind(method.name, method.description, keys);
    one["certifies"] = method.certifies;
    one["outer_steps"] = method.outer_steps;
    all.append(one);
  }
  return all;
}

}  // namespace

void bind_registries(py::module_& module) {
  module.def("set_kinds", &sets);
  module.def("loss_kinds", [] { return of_section(loss_kinds(), "problem"); });
  module.def("graph_kinds", [] { return of_section(graph_kinds(), "network"); });
  module.def("method_kinds", &methods);
}

}  // namespace slidemesh::python

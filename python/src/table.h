#pragma once

#include <memory>
#include <vector>

#include "bindings.h"
#include "slidemesh/core/rows.h"

namespace slidemesh::python {

/// Rows in arrays of NumPy's, which are kept alive and not copied: values as they are, labels, and of sparse rows the
/// columns where they are int32 already. Offsets are widened to 64 bits.
class Table {
 public:
  /// `values` is rows x features, float64, C-contiguous.
  static std::shared_ptr<Table> dense(py::array values, py::array labels);
  /// CSR in canonical form: columns ascend within a row.
  static std::shared_ptr<Table> sparse(py::array values, py::array columns, const py::array& offsets, Index features,
                                       py::array labels);

  [[nodiscard]] const RowBlock& block() const { return block_; }

 private:
  struct Arrays {
    py::array values;
    py::array columns;
    py::array labels;
  };

  void take_labels(py::array labels, Arrays& arrays);

  RowBlock block_;
  std::vector<std::int64_t> offsets_;
  std::shared_ptr<Arrays> arrays_;
};

}  // namespace slidemesh::python

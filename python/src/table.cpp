#include "table.h"

#include <fmt/format.h>

#include "slidemesh/base/fail.h"

namespace slidemesh::python {

namespace {

template <class T>
const T* data_of(const py::array& array, py::ssize_t dimensions, const char* what) {
  if (!py::isinstance<py::array_t<T, py::array::c_style>>(array) || array.ndim() != dimensions) {
    throw py::type_error(std::string(what) + ": expected a contiguous array of the right kind, got another");
  }
  return static_cast<const T*>(array.data());
}

std::vector<std::int64_t> widened(const py::array& offsets) {
  const auto wide = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(offsets);
  if (!wide || wide.ndim() != 1) {
    throw py::type_error("indptr: expected whole numbers, got something else");
  }
  return {wide.data(), wide.data() + wide.size()};
}

/// Whatever came from outside may index memory only once it is known to stay inside.
void require_canonical(const RowBlock& block, Index nonzeros) {
  for (Index r = 0; r < block.count; ++r) {
    const std::int64_t begin = block.offsets[r];
    const std::int64_t end = block.offsets[r + 1];
    if (begin < 0 || begin > end || end > nonzeros) {
      fail<UsageError>("indptr", fmt::format("offsets that ascend to {}", nonzeros), "others");
    }
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int32_t column = block.columns[k];
      if (column < 0 || column >= block.features || (k > begin && column <= block.columns[k - 1])) {
        fail<UsageError>("indices", fmt::format("columns below {} that ascend within a row", block.features),
                         fmt::format("others in row {}", r));
      }
    }
  }
}

}  // namespace

void Table::take_labels(py::array labels, Arrays& arrays) {
  block_.labels = data_of<double>(labels, 1, "labels");
  if (labels.shape(0) != block_.count) {
    fail<UsageError>("labels", std::to_string(block_.count), std::to_string(labels.shape(0)));
  }
  arrays.labels = std::move(labels);
}

std::shared_ptr<Table> Table::dense(py::array values, py::array labels) {
  auto table = std::make_shared<Table>();
  table->block_.values = data_of<double>(values, 2, "values");
  table->block_.count = values.shape(0);
  table->block_.features = values.shape(1);
  Arrays arrays;
  table->take_labels(std::move(labels), arrays);
  arrays.values = std::move(values);
  table->arrays_ = drop_with_lock(std::move(arrays));
  return table;
}

std::shared_ptr<Table> Table::sparse(py::array values, py::array columns, const py::array& offsets, Index features,
                                     py::array labels) {
  auto table = std::make_shared<Table>();
  RowBlock& block = table->block_;
  table->offsets_ = widened(offsets);
  block.values = data_of<double>(values, 1, "data");
  block.columns = data_of<std::int32_t>(columns, 1, "indices");
  block.offsets = table->offsets_.data();
  block.count = static_cast<Index>(table->offsets_.size()) - 1;
  block.features = features;
  if (block.count < 0 || values.shape(0) != columns.shape(0)) {
    fail<UsageError>("indices", "one for each number", fmt::format("{} for {}", columns.shape(0), values.shape(0)));
  }
  require_canonical(block, values.shape(0));
  Arrays arrays;
  table->take_labels(std::move(labels), arrays);
  arrays.values = std::move(values);
  arrays.columns = std::move(columns);
  table->arrays_ = drop_with_lock(std::move(arrays));
  return table;
}

}  // namespace slidemesh::python

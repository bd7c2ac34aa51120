#include "slidemesh/core/rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "slidemesh/base/errors.h"

namespace slidemesh {

namespace {

// Dense rows stream through vector registers; sparse ones pay an index for each number and a scatter.
// Measured on logistic gradients the two break even at a density of about a fifth.
constexpr double kDenseFromDensity = 0.2;
constexpr Index kAlwaysDenseFeatures = 32;

}  // namespace

Count Rows::nonzeros() const {
  return is_sparse() ? static_cast<Count>(values.size())
                     : std::count_if(values.begin(), values.end(), [](double v) { return v != 0.0; });
}

bool dense_is_faster(Index rows, Index features, Count nonzeros) {
  const double cells = static_cast<double>(rows) * static_cast<double>(features);
  return features <= kAlwaysDenseFeatures || static_cast<double>(nonzeros) >= kDenseFromDensity * cells;
}

void choose_storage(Rows& rows) {
  if (dense_is_faster(rows.count(), rows.features, rows.nonzeros())) {
    make_dense(rows);
  }
}

void make_dense(Rows& rows) {
  if (!rows.is_sparse()) {
    return;
  }
  std::vector<double> dense(static_cast<std::size_t>(rows.count() * rows.features), 0.0);
  for (Index r = 0; r < rows.count(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    for (auto k = static_cast<std::size_t>(rows.offsets[row]); k < static_cast<std::size_t>(rows.offsets[row + 1]);
         ++k) {
      dense[row * static_cast<std::size_t>(rows.features) + static_cast<std::size_t>(rows.columns[k])] = rows.values[k];
    }
  }
  rows.values = std::move(dense);
  rows.offsets.clear();
  rows.columns.clear();
}

void RowLengths::add(std::int64_t length) {
  const auto count = static_cast<double>(length);
  numbers += count;
  squares += count * count;
}

std::optional<RowLengths> lengths_of(const RowBlock& block) {
  if (block.offsets == nullptr) {
    return std::nullopt;
  }
  RowLengths lengths;
  for (Index r = 0; r < block.count; ++r) {
    const Index row = block.storage_row(r);
    lengths.add(block.offsets[row + 1] - block.offsets[row]);
  }
  return lengths;
}

std::string_view to_string(AccessPurpose purpose) {
  static constexpr std::array<std::string_view, 9> kNames{
      "gradient", "value", "certificate", "trace", "reference", "smoothness", "preparation", "prefetch", "load"};
  return kNames.at(static_cast<std::size_t>(purpose));
}

MemorySource::MemorySource(Rows rows)
    : table_(std::make_shared<const Rows>(std::move(rows))), count_(table_->count()) {}

MemorySource::MemorySource(std::shared_ptr<const Rows> table, Index first, Index count)
    : table_(std::move(table)), first_(first), count_(count) {
  if (first < 0 || count < 0 || first + count > table_->count()) {
    throw InternalError("a slice of rows reaches beyond its table");
  }
}

RowBlock MemorySource::view() const {
  RowBlock block;
  block.count = count_;
  block.features = table_->features;
  block.labels = table_->labels.data() + first_;
  if (table_->is_sparse()) {
    block.values = table_->values.data();
    block.columns = table_->columns.data();
    block.offsets = table_->offsets.data() + first_;
  } else {
    block.values = table_->values.data() + first_ * table_->features;
  }
  return block;
}

void MemorySource::scan(AccessPurpose /*purpose*/, const Visit& visit) { visit(view(), 0); }

RowBlock MemorySource::fetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) {
  RowBlock block = view();
  block.count = static_cast<Index>(numbers.size());
  block.selection = numbers.data();
  return block;
}

Rows select_rows(const Rows& table, std::span<const Index> numbers) {
  Rows out;
  out.features = table.features;
  out.labels.reserve(numbers.size());
  if (table.is_sparse()) {
    out.offsets.reserve(numbers.size() + 1);
    out.offsets.push_back(0);
  }
  const auto features = static_cast<std::size_t>(table.features);
  for (const Index number : numbers) {
    const auto row = static_cast<std::size_t>(number);
    out.labels.push_back(table.labels[row]);
    const auto [begin, end] = table.is_sparse() ? std::pair{static_cast<std::size_t>(table.offsets[row]),
                                                            static_cast<std::size_t>(table.offsets[row + 1])}
                                                : std::pair{row * features, (row + 1) * features};
    out.values.insert(out.values.end(), table.values.begin() + static_cast<std::ptrdiff_t>(begin),
                      table.values.begin() + static_cast<std::ptrdiff_t>(end));
    if (table.is_sparse()) {
      out.columns.insert(out.columns.end(), table.columns.begin() + static_cast<std::ptrdiff_t>(begin),
                         table.columns.begin() + static_cast<std::ptrdiff_t>(end));
      out.offsets.push_back(static_cast<std::int64_t>(out.values.size()));
    }
  }
  return out;
}

}  // namespace slidemesh

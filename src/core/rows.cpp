#include "slidemesh/core/rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

// Dense rows stream through vector registers; sparse ones pay an index for each number and a scatter.
// Measured on logistic gradients the two break even at a density of about a fifth.
constexpr double kDenseFromDensity = 0.2;
constexpr Index kAlwaysDenseFeatures = 32;

}  // namespace

Count Rows::nonzeros() const {
  return is_sparse() ? static_cast<Count>(values.size())
                     : std::ranges::count_if(values, [](double v) { return v != 0.0; });
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

void clear_rows(Rows& rows, Index features, bool sparse) {
  rows.features = features;
  rows.labels.clear();
  rows.values.clear();
  rows.columns.clear();
  rows.offsets.assign(sparse ? 1 : 0, 0);
}

void RowLengths::add(std::int64_t length) {
  const auto count = static_cast<double>(length);
  numbers += count;
  squares += count * count;
}

void append_row(const Rows& from, Index row, Rows& to) {
  const auto r = static_cast<std::size_t>(row);
  const Index begin = from.is_sparse() ? from.offsets[r] : row * from.features;
  const Index end = from.is_sparse() ? from.offsets[r + 1] : begin + from.features;
  to.labels.push_back(from.labels[r]);
  to.values.insert(to.values.end(), from.values.begin() + begin, from.values.begin() + end);
  if (from.is_sparse()) {
    to.columns.insert(to.columns.end(), from.columns.begin() + begin, from.columns.begin() + end);
    to.offsets.push_back(static_cast<std::int64_t>(to.values.size()));
  }
}

RowBlock view_of(const Rows& rows) {
  const bool sparse = rows.is_sparse();
  return {.count = rows.count(),
          .features = rows.features,
          .labels = rows.labels.data(),
          .values = rows.values.data(),
          .offsets = sparse ? rows.offsets.data() : nullptr,
          .columns = sparse ? rows.columns.data() : nullptr};
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

namespace {

RowBlock select(RowBlock block, std::span<const Index> numbers) {
  block.count = static_cast<Index>(numbers.size());
  block.selection = numbers.data();
  return block;
}

}  // namespace

ViewSource::ViewSource(const RowBlock& storage, std::shared_ptr<const void> owner, Index first, Index count)
    : block_(storage), owner_(std::move(owner)) {
  if (first < 0 || count < 0 || first > storage.count - count) {
    throw InternalError("a view of rows reaches beyond its storage");
  }
  block_.count = count;
  block_.labels += first;
  if (block_.offsets != nullptr) {
    block_.offsets += first;
  } else {
    block_.values += first * block_.features;
  }
}

ViewSource::ViewSource(const RowBlock& storage, std::shared_ptr<const void> owner, std::vector<Index> numbers)
    : owner_(std::move(owner)), numbers_(std::move(numbers)) {
  if (numbers_.empty() || std::ranges::any_of(numbers_, [&](Index n) { return n < 0 || n >= storage.count; })) {
    fail<InternalError>("a view of rows", "numbers of its storage's rows", "others");
  }
  block_ = select(storage, numbers_);
}

void ViewSource::scan(AccessPurpose /*purpose*/, const Visit& visit) { visit(block_, 0); }

RowBlock ViewSource::fetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) {
  if (numbers_.empty()) {
    return select(block_, numbers);
  }
  selected_.resize(numbers.size());
  std::transform(numbers.begin(), numbers.end(), selected_.begin(),
                 [this](Index n) { return numbers_[static_cast<std::size_t>(n)]; });
  return select(block_, selected_);
}

Rows select_rows(const Rows& table, std::span<const Index> numbers) {
  Rows out;
  clear_rows(out, table.features, table.is_sparse());
  for (const Index number : numbers) {
    append_row(table, number, out);
  }
  return out;
}

}  // namespace slidemesh

#include "slidemesh/data/preparation.h"

#include <algorithm>
#include <utility>

#include "slidemesh/base/words.h"
#include "slidemesh/core/row_numbers.h"

namespace slidemesh {
namespace {

constexpr Words<Scaling, 3> kScalings = {
    {{Scaling::kNone, "none"}, {Scaling::kMaxAbs, "max-abs"}, {Scaling::kStandard, "standard"}}};

/// Appends rows `begin` .. `end - 1` of a block, prepared.
void append_prepared(const RowBlock& block, Index begin, Index end, const Preparation& p, Rows& out) {
  const bool dense = block.offsets == nullptr || p.options.scaling == Scaling::kStandard;
  const Index d = block.features;
  for (Index r = begin; r < end; ++r) {
    out.labels.push_back(block.label(r));
    if (!dense) {
      for_each_number(block, r, [&](Index j, double v) {
        out.columns.push_back(static_cast<std::int32_t>(j));
        out.values.push_back(p.scale.empty() ? v : v / p.scale[static_cast<std::size_t>(j)]);
      });
      if (p.options.intercept) {
        out.columns.push_back(static_cast<std::int32_t>(d));
        out.values.push_back(1.0);
      }
      out.offsets.push_back(static_cast<std::int64_t>(out.values.size()));
      continue;
    }
    const std::size_t row = out.values.size();
    out.values.resize(row + static_cast<std::size_t>(out.features), 0.0);
    for_each_number(block, r, [&](Index j, double v) { out.values[row + static_cast<std::size_t>(j)] = v; });
    prepare_features(std::span(out.values).subspan(row), p);
  }
}

bool stays_sparse(const RowBlock& block, const Preparation& p) {
  return block.offsets != nullptr && p.options.scaling != Scaling::kStandard;
}

class PreparedSource final : public RowSource {
 public:
  PreparedSource(std::shared_ptr<RowSource> source, std::shared_ptr<const Preparation> preparation)
      : source_(std::move(source)), preparation_(std::move(preparation)) {}

  [[nodiscard]] Index rows() const override { return source_->rows(); }
  [[nodiscard]] Index features() const override { return preparation_->features(source_->features()); }
  [[nodiscard]] std::optional<RowLengths> lengths() const override {
    std::optional<RowLengths> lengths = source_->lengths();
    if (preparation_->options.scaling == Scaling::kStandard) {
      return std::nullopt;
    }
    if (lengths && preparation_->options.intercept) {  // (n + 1)² = n² + 2n + 1
      lengths->squares += 2.0 * lengths->numbers + static_cast<double>(rows());
      lengths->numbers += static_cast<double>(rows());
    }
    return lengths;
  }

  void scan(AccessPurpose purpose, const Visit& visit) override { source_->scan(purpose, preparing(visit)); }

  void visit(AccessPurpose purpose, std::span<const Index> numbers, const Visit& visit) override {
    source_->visit(purpose, numbers, preparing(visit));
  }

  RowBlock fetch(AccessPurpose purpose, std::span<const Index> numbers) override {
    const RowBlock block = source_->fetch(purpose, numbers);
    clear_rows(prepared_, features(), stays_sparse(block, *preparation_));
    append_prepared(block, 0, block.count, *preparation_, prepared_);
    return view_of(prepared_);
  }

  void prefetch(AccessPurpose purpose, std::span<const Index> numbers) override { source_->prefetch(purpose, numbers); }
  [[nodiscard]] bool gains_from_prefetch() const override { return source_->gains_from_prefetch(); }

 private:
  static constexpr Index kPieceRows = kBlockRows;  ///< every node's source has room for so many

  /// Shows blocks some rows at a time, prepared.
  [[nodiscard]] Visit preparing(const Visit& visit) {
    return [this, &visit](const RowBlock& block, Index first) {
      for (Index begin = 0; begin < block.count; begin += kPieceRows) {
        clear_rows(prepared_, features(), stays_sparse(block, *preparation_));
        append_prepared(block, begin, std::min(begin + kPieceRows, block.count), *preparation_, prepared_);
        visit(view_of(prepared_), first + begin);
      }
    };
  }

  std::shared_ptr<RowSource> source_;
  std::shared_ptr<const Preparation> preparation_;
  Rows prepared_;
};

}  // namespace

Scaling parse_scaling(std::string_view name) { return value_for(kScalings, name, "data.scaling"); }

std::string_view to_string(Scaling scaling) { return word_for(kScalings, scaling); }

void prepare_features(std::span<double> row, const Preparation& p) {
  const std::size_t d = row.size() - (p.options.intercept ? 1 : 0);
  for (std::size_t j = 0; j < d; ++j) {
    row[j] = (row[j] - (p.shift.empty() ? 0.0 : p.shift[j])) / (p.scale.empty() ? 1.0 : p.scale[j]);
  }
  if (p.options.intercept) {
    row[d] = 1.0;
  }
}

void prepare_rows(Rows& rows, const Preparation& preparation) {
  if (preparation.does_nothing()) {
    return;
  }
  const RowBlock block = view_of(rows);
  Rows prepared;
  clear_rows(prepared, preparation.features(rows.features), stays_sparse(block, preparation));
  append_prepared(block, 0, block.count, preparation, prepared);
  rows = std::move(prepared);
}

std::shared_ptr<RowSource> prepared_source(std::shared_ptr<RowSource> source,
                                           std::shared_ptr<const Preparation> preparation) {
  if (preparation->does_nothing()) {
    return source;
  }
  return std::make_shared<PreparedSource>(std::move(source), std::move(preparation));
}

}  // namespace slidemesh

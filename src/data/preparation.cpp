#include "slidemesh/data/preparation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "slidemesh/base/errors.h"

namespace slidemesh {
namespace {

/// body(column, value) for every stored number of a block's row.
template <class Body>
void for_each_number(const RowBlock& block, Index r, Body&& body) {
  const Index row = block.storage_row(r);
  if (block.offsets == nullptr) {
    for (Index j = 0; j < block.features; ++j) {
      body(j, block.values[row * block.features + j]);
    }
    return;
  }
  for (Index k = block.offsets[row]; k < block.offsets[row + 1]; ++k) {
    body(block.columns[k], block.values[k]);
  }
}

template <class Body>
void for_each_number(RowSource& source, Body&& body) {
  source.scan(AccessPurpose::kPreparation, [&](const RowBlock& block, Index) {
    for (Index r = 0; r < block.count; ++r) {
      for_each_number(block, r, body);
    }
  });
}

Vector agree_max_abs(std::span<const std::shared_ptr<RowSource>> nodes, Network& network, Index d) {
  Matrix largest = Matrix::Zero(d, static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto column = largest.col(static_cast<Index>(i));
    for_each_number(*nodes[i], [&](Index j, double v) { column(j) = std::max(column(j), std::abs(v)); });
  }
  return network.agree_max(largest);
}

void agree_standard(std::span<const std::shared_ptr<RowSource>> nodes, Network& network, Index d,
                    Preparation& preparation) {
  const auto m = static_cast<Index>(nodes.size());
  Matrix sums = Matrix::Zero(d + 1, m);
  for (Index i = 0; i < m; ++i) {
    auto& source = *nodes[static_cast<std::size_t>(i)];
    sums(d, i) = static_cast<double>(source.rows());
    for_each_number(source, [&](Index j, double v) { sums(j, i) += v; });
  }
  const Vector total = network.agree_sum(sums);
  const double rows = total(d);
  preparation.shift.resize(static_cast<std::size_t>(d));
  for (Index j = 0; j < d; ++j) {
    preparation.shift[static_cast<std::size_t>(j)] = total(j) / rows;
  }

  // Squares around the mean, not around zero: a second pass instead of cancellation.
  Matrix squares = Matrix::Zero(d, m);
  for (Index i = 0; i < m; ++i) {
    auto& source = *nodes[static_cast<std::size_t>(i)];
    std::vector<Count> seen(static_cast<std::size_t>(d), 0);
    for_each_number(source, [&](Index j, double v) {
      const double away = v - preparation.shift[static_cast<std::size_t>(j)];
      squares(j, i) += away * away;
      ++seen[static_cast<std::size_t>(j)];
    });
    for (Index j = 0; j < d; ++j) {
      const double mean = preparation.shift[static_cast<std::size_t>(j)];
      squares(j, i) += static_cast<double>(source.rows() - seen[static_cast<std::size_t>(j)]) * mean * mean;
    }
  }
  const Vector square = network.agree_sum(squares);
  preparation.scale.resize(static_cast<std::size_t>(d));
  for (Index j = 0; j < d; ++j) {
    const double deviation = std::sqrt(square(j) / rows);
    const double rounding =
        16.0 * std::numeric_limits<double>::epsilon() * std::abs(preparation.shift[static_cast<std::size_t>(j)]);
    preparation.scale[static_cast<std::size_t>(j)] = deviation > rounding ? deviation : 1.0;
  }
}

/// Appends rows `begin` .. `end - 1` of a block, prepared.
void append_prepared(const RowBlock& block, Index begin, Index end, const Preparation& p, Rows& out) {
  const bool dense = block.offsets == nullptr || p.options.scaling == Scaling::kStandard;
  const Index d = block.features;
  out.features = p.features(d);
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
    for (std::size_t j = 0; j < static_cast<std::size_t>(d); ++j) {
      double& v = out.values[row + j];
      v = (v - (p.shift.empty() ? 0.0 : p.shift[j])) / (p.scale.empty() ? 1.0 : p.scale[j]);
    }
    if (p.options.intercept) {
      out.values[row + static_cast<std::size_t>(d)] = 1.0;
    }
  }
}

void start(Rows& out, bool sparse) {
  out.labels.clear();
  out.values.clear();
  out.columns.clear();
  out.offsets.clear();
  if (sparse) {
    out.offsets.push_back(0);
  }
}

bool stays_sparse(const RowBlock& block, const Preparation& p) {
  return block.offsets != nullptr && p.options.scaling != Scaling::kStandard;
}

RowBlock view_of(const Rows& rows) {
  RowBlock block;
  block.count = rows.count();
  block.features = rows.features;
  block.labels = rows.labels.data();
  block.values = rows.values.data();
  block.offsets = rows.is_sparse() ? rows.offsets.data() : nullptr;
  block.columns = rows.is_sparse() ? rows.columns.data() : nullptr;
  return block;
}

class PreparedSource final : public RowSource {
 public:
  PreparedSource(std::shared_ptr<RowSource> source, std::shared_ptr<const Preparation> preparation)
      : source_(std::move(source)), preparation_(std::move(preparation)) {}

  [[nodiscard]] Index rows() const override { return source_->rows(); }
  [[nodiscard]] Index features() const override { return preparation_->features(source_->features()); }

  void scan(AccessPurpose purpose, const Visit& visit) override {
    source_->scan(purpose, [&](const RowBlock& block, Index first) {
      for (Index begin = 0; begin < block.count; begin += kPieceRows) {
        start(prepared_, stays_sparse(block, *preparation_));
        append_prepared(block, begin, std::min(begin + kPieceRows, block.count), *preparation_, prepared_);
        visit(view_of(prepared_), first + begin);
      }
    });
  }

  RowBlock fetch(AccessPurpose purpose, std::span<const Index> numbers) override {
    const RowBlock block = source_->fetch(purpose, numbers);
    start(prepared_, stays_sparse(block, *preparation_));
    append_prepared(block, 0, block.count, *preparation_, prepared_);
    return view_of(prepared_);
  }

  void prefetch(AccessPurpose purpose, std::span<const Index> numbers) override { source_->prefetch(purpose, numbers); }
  [[nodiscard]] bool gains_from_prefetch() const override { return source_->gains_from_prefetch(); }

 private:
  static constexpr Index kPieceRows = 4 * kBlockRows;

  std::shared_ptr<RowSource> source_;
  std::shared_ptr<const Preparation> preparation_;
  Rows prepared_;
};

}  // namespace

Scaling parse_scaling(std::string_view name) {
  for (const Scaling scaling : {Scaling::kNone, Scaling::kMaxAbs, Scaling::kStandard}) {
    if (to_string(scaling) == name) {
      return scaling;
    }
  }
  throw UsageError("data.scaling: expected none, max-abs or standard, got '" + std::string(name) + "'");
}

std::string_view to_string(Scaling scaling) {
  return scaling == Scaling::kNone ? "none" : scaling == Scaling::kMaxAbs ? "max-abs" : "standard";
}

Preparation agree_preparation(std::span<const std::shared_ptr<RowSource>> local_nodes, Network& network,
                              const PreparationOptions& options) {
  Preparation preparation;
  preparation.options = options;
  const MeterTotals before = network.meters().totals();
  const Index d = local_nodes.front()->features();
  if (options.scaling == Scaling::kMaxAbs) {
    const Vector largest = agree_max_abs(local_nodes, network, d);
    preparation.scale.assign(largest.data(), largest.data() + d);
    std::replace(preparation.scale.begin(), preparation.scale.end(), 0.0, 1.0);
    preparation.numbers_shared = d;
  } else if (options.scaling == Scaling::kStandard) {
    agree_standard(local_nodes, network, d, preparation);
    preparation.numbers_shared = 2 * d + 1;
  }
  const MeterTotals after = network.meters().totals();
  preparation.messages = after.messages - before.messages;
  preparation.bytes_sent = after.bytes_sent - before.bytes_sent;
  return preparation;
}

void prepare_rows(Rows& rows, const Preparation& preparation) {
  if (preparation.does_nothing()) {
    return;
  }
  const RowBlock block = view_of(rows);
  Rows prepared;
  start(prepared, stays_sparse(block, preparation));
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

#include "slidemesh/data/load/agreements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../row_views.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

template <class Body>
void for_each_number(RowSource& source, ColumnWatch* watch, Body&& body) {
  source.scan(AccessPurpose::kPreparation, [&](const RowBlock& block, Index first) {
    if (watch != nullptr) {
      watch->add(block, first);
    }
    for (Index r = 0; r < block.count; ++r) {
      for_each_number(block, r, body);
    }
  });
}

ColumnWatch* watch_of(std::span<ColumnWatch> watches, std::size_t node) {
  return watches.empty() ? nullptr : &watches[node];
}

Vector agree_max_abs(std::span<const std::shared_ptr<RowSource>> nodes, Network& network, Index d,
                     std::span<ColumnWatch> watches) {
  Matrix largest = Matrix::Zero(d, static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto column = largest.col(static_cast<Index>(i));
    for_each_number(*nodes[i], watch_of(watches, i),
                    [&](Index j, double v) { column(j) = std::max(column(j), std::abs(v)); });
  }
  return network.agree_max(largest);
}

void agree_standard(std::span<const std::shared_ptr<RowSource>> nodes, Network& network, Index d,
                    Preparation& preparation, std::span<ColumnWatch> watches) {
  const auto m = static_cast<Index>(nodes.size());
  Matrix sums = Matrix::Zero(d + 1, m);
  for (Index i = 0; i < m; ++i) {
    auto& source = *nodes[static_cast<std::size_t>(i)];
    sums(d, i) = static_cast<double>(source.rows());
    for_each_number(source, watch_of(watches, static_cast<std::size_t>(i)),
                    [&](Index j, double v) { sums(j, i) += v; });
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
    for_each_number(source, nullptr, [&](Index j, double v) {
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

}  // namespace

std::vector<double> agree_on_classes(std::span<const double> labels, LabelKind kind, Network& network) {
  std::vector<double> own(labels.begin(), labels.end());
  std::sort(own.begin(), own.end());
  std::vector<double> classes;
  auto next = own.begin();
  while (classes.size() <= most_classes(kind)) {
    // The smallest label beyond the last class, as the largest of negated ones.
    const double smallest =
        -network.agree_max(Matrix::Constant(1, network.local_nodes(), next == own.end() ? -kNone : -*next))(0);
    if (smallest == kNone) {
      break;
    }
    classes.push_back(smallest);
    next = std::upper_bound(next, own.end(), smallest);
  }
  return classes;
}

void agree_on_shape(std::span<const std::shared_ptr<RowStore>> parts, Network& network, const std::string& where) {
  Matrix sums = Matrix::Zero(2, network.local_nodes());
  Index widest = 0;
  double narrowest = kNone;  // of those whose width is fixed
  for (const auto& part : parts) {
    sums(0, 0) += static_cast<double>(part->rows());
    sums(1, 0) += static_cast<double>(part->nonzeros());
    widest = std::max(widest, part->features());
    narrowest = part->has_fixed_width() ? std::min(narrowest, static_cast<double>(part->features())) : narrowest;
  }
  Matrix widths(2, network.local_nodes());
  widths.row(0).setConstant(static_cast<double>(widest));
  widths.row(1).setConstant(-narrowest);
  const Vector total = network.agree_sum(sums);
  const Vector width = network.agree_max(widths);
  const auto features = static_cast<Index>(width(0));
  if (width(0) > -width(1)) {
    fail<DataError>(where, "tables of one width at all nodes",
                    fmt::format("{} to {} features", static_cast<Index>(-width(1)), features));
  }
  const bool dense = dense_is_faster(static_cast<Index>(total(0)), features, static_cast<Count>(total(1)));
  for (const auto& part : parts) {
    part->set_table_shape(features, dense);
  }
}

Preparation agree_preparation(std::span<const std::shared_ptr<RowSource>> local_nodes, Network& network,
                              const PreparationOptions& options, std::span<ColumnWatch> watches) {
  Preparation preparation;
  preparation.options = options;
  const MeterTotals before = network.meters().totals();
  const Index d = local_nodes.front()->features();
  if (options.scaling == Scaling::kMaxAbs) {
    const Vector largest = agree_max_abs(local_nodes, network, d, watches);
    preparation.scale.assign(largest.data(), largest.data() + d);
    std::replace(preparation.scale.begin(), preparation.scale.end(), 0.0, 1.0);
    preparation.numbers_shared = d;
  } else if (options.scaling == Scaling::kStandard) {
    agree_standard(local_nodes, network, d, preparation, watches);
    preparation.numbers_shared = 2 * d + 1;
  }
  const MeterTotals after = network.meters().totals();
  preparation.messages = after.messages - before.messages;
  preparation.bytes_sent = after.bytes_sent - before.bytes_sent;
  return preparation;
}

}  // namespace slidemesh

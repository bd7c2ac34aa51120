#include "slidemesh/data/formats/inspect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "slidemesh/core/objective.h"
#include "slidemesh/core/row_numbers.h"
#include "slidemesh/data/column_range.h"
#include "slidemesh/linalg/kernels.h"

namespace slidemesh {
namespace {

/// (t - b)^2 / 2, for its curvature of 1.
class UnitCurvature final : public Loss {
 public:
  [[nodiscard]] std::string_view name() const override { return "unit-curvature"; }
  [[nodiscard]] LabelKind label_kind() const override { return LabelKind::kReal; }
  double evaluate(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                  bool /*want_value*/) const override {
    double sum = 0.0;
    for (std::size_t r = 0; r < labels.size(); ++r) {
      const double residual = predictions[r] - labels[r];
      sum += 0.5 * residual * residual;
      derivatives[r] = residual;
    }
    return sum;
  }
  [[nodiscard]] double curvature() const override { return 1.0; }
};

/// A source that belongs to someone else.
std::shared_ptr<RowSource> borrowed(RowSource& source) { return {std::shared_ptr<void>(), &source}; }

double smoothness_of(const std::shared_ptr<RowSource>& source) {
  return RowObjective(source, std::make_shared<UnitCurvature>()).smoothness();
}

class Inspector {
 public:
  explicit Inspector(RowSource& table) : table_(table), columns_(static_cast<std::size_t>(table.features())) {}

  TableSummary inspect() {
    summary_.rows = table_.rows();
    summary_.features = table_.features();
    summary_.label_min = std::numeric_limits<double>::infinity();
    summary_.label_max = -summary_.label_min;
    summary_.value_min = summary_.label_min;
    summary_.value_max = summary_.label_max;
    table_.scan(AccessPurpose::kTrace, [&](const RowBlock& block, Index) {
      summary_.stored_dense = block.offsets == nullptr;
      for (Index r = 0; r < block.count; ++r) {
        add(block, r);
      }
    });
    finish_labels();
    finish_columns();
    summary_.largest_row_norm = std::sqrt(largest_square_);
    summary_.smoothness = smoothness_of(borrowed(table_));
    return summary_;
  }

 private:
  static constexpr std::size_t kMostLabels = 1000;

  void add(const RowBlock& block, Index r) {
    const double label = block.label(r);
    summary_.label_min = std::min(summary_.label_min, label);
    summary_.label_max = std::max(summary_.label_max, label);
    if (labels_.size() < kMostLabels || labels_.contains(label)) {
      ++labels_[label];
    }
    double square = 0.0;
    for_each_number(block, r, [&](Index j, double v) {
      columns_[static_cast<std::size_t>(j)].add(v);
      square += v * v;
    });
    summary_.empty_rows += square == 0.0 ? 1 : 0;
    largest_square_ = std::max(largest_square_, square);
  }

  void finish_labels() {
    constexpr std::size_t kShown = 20;
    summary_.distinct_labels = static_cast<Index>(labels_.size());
    summary_.labels.assign(labels_.begin(), labels_.end());
    std::stable_sort(summary_.labels.begin(), summary_.labels.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    summary_.labels.resize(std::min(kShown, summary_.labels.size()));
  }

  void finish_columns() {
    for (const ColumnRange& column : columns_) {
      summary_.nonzeros += column.nonzeros;
      summary_.empty_features += column.nonzeros == 0 ? 1 : 0;
      summary_.constant_features += column.nonzeros == summary_.rows && column.low == column.high ? 1 : 0;
      summary_.columns.push_back({column.nonzeros, column.lowest(summary_.rows), column.highest(summary_.rows)});
      summary_.value_min = std::min(summary_.value_min, summary_.columns.back().low);
      summary_.value_max = std::max(summary_.value_max, summary_.columns.back().high);
    }
    summary_.density = static_cast<double>(summary_.nonzeros) /
                       (static_cast<double>(summary_.rows) * static_cast<double>(summary_.features));
  }

  RowSource& table_;
  std::vector<ColumnRange> columns_;
  std::map<double, Count> labels_;
  double largest_square_ = 0.0;
  TableSummary summary_;
};

}  // namespace

TableSummary inspect(RowSource& table) { return Inspector(table).inspect(); }

SplitSummary inspect_split(const std::vector<std::shared_ptr<RowSource>>& nodes, SplitRule rule) {
  SplitSummary summary;
  summary.rule = rule;
  summary.smallest = std::numeric_limits<Index>::max();
  summary.lowest_label_mean = std::numeric_limits<double>::infinity();
  summary.highest_label_mean = -summary.lowest_label_mean;
  const auto m = static_cast<Index>(nodes.size());
  Matrix directions = Matrix::Zero(nodes.front()->features(), m);
  for (Index i = 0; i < m; ++i) {
    const auto& node = nodes[static_cast<std::size_t>(i)];
    const auto rows = static_cast<double>(node->rows());
    double label_sum = 0.0;
    node->scan(AccessPurpose::kTrace, [&](const RowBlock& block, Index) {
      for (Index r = 0; r < block.count; ++r) {
        const double label = block.label(r);
        label_sum += label;
        for_each_number(block, r, [&](Index j, double v) { directions(j, i) += label * v; });
      }
    });
    directions.col(i) /= rows;
    summary.smallest = std::min(summary.smallest, node->rows());
    summary.largest = std::max(summary.largest, node->rows());
    summary.lowest_label_mean = std::min(summary.lowest_label_mean, label_sum / rows);
    summary.highest_label_mean = std::max(summary.highest_label_mean, label_sum / rows);
    summary.smoothness = std::max(summary.smoothness, smoothness_of(node));
  }
  const Vector mean = directions.rowwise().mean();
  double away = 0.0;
  for (Index i = 0; i < m; ++i) {
    away += squared_distance(directions.col(i), mean);
  }
  const double length = norm(mean);
  summary.heterogeneity = length > 0.0 ? std::sqrt(away / static_cast<double>(m)) / length : 0.0;
  return summary;
}

}  // namespace slidemesh

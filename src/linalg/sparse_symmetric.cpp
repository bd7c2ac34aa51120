#include "slidemesh/linalg/sparse_symmetric.h"

#include <algorithm>
#include <numeric>

namespace slidemesh {

namespace {

constexpr std::int64_t kFewestPairs = std::int64_t{1}
                                      << 18;  ///< that are added together: the pattern is walked each time

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

SparseSymmetric::SparseSymmetric(Index n) : sums_(at(n), 0.0), marks_(at(n), 0) {
  lower_.begin.assign(at(n + 1), 0);
  upper_.begin = lower_.begin;
}

Count SparseSymmetric::elements() const { return static_cast<Count>(lower_.rows.size() + upper_.rows.size()); }

void SparseSymmetric::add(double factor, std::span<const std::int32_t> columns, const double* values) {
  waiting_.factors.push_back(factor);
  waiting_.columns.insert(waiting_.columns.end(), columns.begin(), columns.end());
  waiting_.values.insert(waiting_.values.end(), values, values + columns.size());
  waiting_.begin.push_back(static_cast<std::int64_t>(waiting_.columns.size()));
  waiting_.pairs += static_cast<std::int64_t>(columns.size() * columns.size());
  if (waiting_.pairs >= std::max<std::int64_t>(kFewestPairs, 2 * static_cast<std::int64_t>(lower_.rows.size()))) {
    add_waiting();
  }
}

void SparseSymmetric::finish() {
  add_waiting();
  mirror();
}

void SparseSymmetric::add_waiting() {
  if (waiting_.factors.empty()) {
    return;
  }
  sort_waiting();
  extend_pattern();
  add_values();
  waiting_.factors.clear();
  waiting_.begin.resize(1);
  waiting_.columns.clear();
  waiting_.values.clear();
  waiting_.pairs = 0;
}

void SparseSymmetric::sort_waiting() {
  by_column_.begin.assign(at(size() + 1), 0);
  for (const std::int32_t column : waiting_.columns) {
    ++by_column_.begin[at(column) + 1];
  }
  std::partial_sum(by_column_.begin.begin(), by_column_.begin.end(), by_column_.begin.begin());
  by_column_.vectors.resize(waiting_.columns.size());
  by_column_.places.resize(waiting_.columns.size());
  std::vector<std::int64_t> next(by_column_.begin.begin(), by_column_.begin.end() - 1);
  for (std::size_t v = 0; v < waiting_.factors.size(); ++v) {
    for (std::int64_t k = waiting_.begin[v]; k < waiting_.begin[v + 1]; ++k) {
      const std::int64_t place = next[at(waiting_.columns[at(k)])]++;
      by_column_.vectors[at(place)] = static_cast<std::int32_t>(v);
      by_column_.places[at(place)] = k;
    }
  }
}

void SparseSymmetric::extend_pattern() {
  std::fill(marks_.begin(), marks_.end(), 0);
  Columns longer;
  bool is_longer = false;
  for (Index j = 0; j < size(); ++j) {
    find_new_rows(j);
    if (!is_longer && !new_rows_.empty()) {  // columns before are as they were
      is_longer = true;
      const std::int64_t before = lower_.begin[at(j)];
      longer.begin.assign(lower_.begin.begin(), lower_.begin.begin() + j + 1);
      longer.rows.assign(lower_.rows.begin(), lower_.rows.begin() + before);
      longer.values.assign(lower_.values.begin(), lower_.values.begin() + before);
    }
    if (is_longer) {
      append_merged(j, longer);
    }
  }
  if (is_longer) {
    lower_ = std::move(longer);
    has_new_elements_ = true;
  }
}

/// Rows of column j from the diagonal on that the waiting vectors have a number in and the matrix has no element.
void SparseSymmetric::find_new_rows(Index j) {
  new_rows_.clear();
  const std::int64_t first = by_column_.begin[at(j)];
  const std::int64_t last = by_column_.begin[at(j + 1)];
  if (first == last) {
    return;
  }
  const auto mark = static_cast<std::int32_t>(j + 1);
  for (std::int64_t k = lower_.begin[at(j)]; k < lower_.begin[at(j + 1)]; ++k) {
    marks_[at(lower_.rows[at(k)])] = mark;
  }
  for (std::int64_t p = first; p < last; ++p) {
    const std::int64_t end = waiting_.begin[at(by_column_.vectors[at(p)]) + 1];
    for (std::int64_t k = by_column_.places[at(p)]; k < end; ++k) {
      const std::int32_t row = waiting_.columns[at(k)];
      if (marks_[at(row)] != mark) {
        marks_[at(row)] = mark;
        new_rows_.push_back(row);
      }
    }
  }
  std::sort(new_rows_.begin(), new_rows_.end());
}

/// Column j with the new rows among its own.
void SparseSymmetric::append_merged(Index j, Columns& longer) const {
  auto next = new_rows_.begin();
  for (std::int64_t k = lower_.begin[at(j)]; k < lower_.begin[at(j + 1)]; ++k) {
    for (; next != new_rows_.end() && *next < lower_.rows[at(k)]; ++next) {
      longer.rows.push_back(*next);
      longer.values.push_back(0.0);
    }
    longer.rows.push_back(lower_.rows[at(k)]);
    longer.values.push_back(lower_.values[at(k)]);
  }
  longer.rows.insert(longer.rows.end(), next, new_rows_.end());
  longer.values.resize(longer.rows.size(), 0.0);
  longer.begin.push_back(static_cast<std::int64_t>(longer.rows.size()));
}

/// A column's sums over the vectors come together in a dense column (F. Gustavson 1978).
void SparseSymmetric::add_values() {
  for (Index j = 0; j < size(); ++j) {
    const std::int64_t first = by_column_.begin[at(j)];
    const std::int64_t last = by_column_.begin[at(j + 1)];
    if (first == last) {
      continue;
    }
    for (std::int64_t p = first; p < last; ++p) {
      const std::size_t v = at(by_column_.vectors[at(p)]);
      const double scaled = waiting_.factors[v] * waiting_.values[at(by_column_.places[at(p)])];
      for (std::int64_t k = by_column_.places[at(p)]; k < waiting_.begin[v + 1]; ++k) {
        sums_[at(waiting_.columns[at(k)])] += scaled * waiting_.values[at(k)];
      }
    }
    for (std::int64_t k = lower_.begin[at(j)]; k < lower_.begin[at(j + 1)]; ++k) {
      double& sum = sums_[at(lower_.rows[at(k)])];
      lower_.values[at(k)] += sum;
      sum = 0.0;
    }
  }
}

/// Elements below the diagonal, column by column, come to the rows of the upper triangle's columns in ascending order.
void SparseSymmetric::mirror() {
  const Index n = size();
  if (has_new_elements_) {
    upper_.begin.assign(at(n + 1), 0);
    for (Index j = 0; j < n; ++j) {
      for (std::int64_t k = lower_.begin[at(j)]; k < lower_.begin[at(j + 1)]; ++k) {
        upper_.begin[at(lower_.rows[at(k)]) + 1] += lower_.rows[at(k)] > j ? 1 : 0;
      }
    }
    std::partial_sum(upper_.begin.begin(), upper_.begin.end(), upper_.begin.begin());
    upper_.rows.resize(at(upper_.begin.back()));
    upper_.values.resize(upper_.rows.size());
    has_new_elements_ = false;
  }
  std::vector<std::int64_t> next(upper_.begin.begin(), upper_.begin.end() - 1);
  for (Index j = 0; j < n; ++j) {
    for (std::int64_t k = lower_.begin[at(j)]; k < lower_.begin[at(j + 1)]; ++k) {
      if (lower_.rows[at(k)] > j) {
        const std::int64_t place = next[at(lower_.rows[at(k)])]++;
        upper_.rows[at(place)] = static_cast<std::int32_t>(j);
        upper_.values[at(place)] = lower_.values[at(k)];
      }
    }
  }
}

void SparseSymmetric::add_product(ConstVectorRef v, VectorRef out) const {
  for (Index j = 0; j < size(); ++j) {
    const double factor = v(j);
    if (factor == 0.0) {
      continue;
    }
    double* numbers = out.data();
    for_each_in_column(j, [=](std::int32_t row, double value) { numbers[row] += factor * value; });
  }
}

void SparseSymmetric::add_elements(double s, std::span<const Index> rows, Index j, double* out) const {
  for_each_in_column(j, [this](std::int32_t row, double value) { sums_[at(row)] = value; });
  for (std::size_t l = 0; l < rows.size(); ++l) {
    out[l] += s * sums_[at(rows[l])];
  }
  for_each_in_column(j, [this](std::int32_t row, double) { sums_[at(row)] = 0.0; });
}

double SparseSymmetric::diagonal(Index j) const {
  const std::int64_t k = lower_.begin[at(j)];  // a column that has anything begins with it
  return k < lower_.begin[at(j + 1)] && lower_.rows[at(k)] == j ? lower_.values[at(k)] : 0.0;
}

SparseSymmetric::Triangle SparseSymmetric::lower_triangle() const {
  Triangle triangle{{}, {lower_.rows.begin(), lower_.rows.end()}, lower_.values};
  for (std::size_t j = 0; j + 1 < lower_.begin.size(); ++j) {
    triangle.counts.push_back(lower_.begin[j + 1] - lower_.begin[j]);
  }
  return triangle;
}

bool SparseSymmetric::assign(const Triangle& triangle) {
  const Index n = size();
  const auto elements = static_cast<Count>(triangle.rows.size());
  if (triangle.counts.size() != at(n) || triangle.values.size() != triangle.rows.size()) {
    return false;
  }
  Columns columns;
  columns.begin.assign(1, 0);
  for (Index j = 0; j < n; ++j) {
    const Count count = triangle.counts[at(j)];
    const Count begin = columns.begin.back();
    if (count < 0 || count > std::min<Count>(n - j, elements - begin)) {
      return false;
    }
    for (Count k = begin; k < begin + count; ++k) {
      const Count least = k > begin ? triangle.rows[at(k - 1)] + 1 : j;
      if (triangle.rows[at(k)] < least || triangle.rows[at(k)] >= n) {
        return false;
      }
      columns.rows.push_back(static_cast<std::int32_t>(triangle.rows[at(k)]));
    }
    columns.begin.push_back(begin + count);
  }
  if (columns.begin.back() != elements) {
    return false;
  }
  columns.values = triangle.values;
  lower_ = std::move(columns);
  waiting_ = {};
  has_new_elements_ = true;
  mirror();
  return true;
}

}  // namespace slidemesh

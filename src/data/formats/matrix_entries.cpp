#include "slidemesh/data/formats/matrix_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/data/formats/csv.h"

namespace slidemesh {
namespace {

class EntriesReader {
 public:
  EntriesReader(const std::filesystem::path& path, const MatrixEntriesOptions& options)
      : name_(path.string()), options_(options) {
    const auto reader = open_csv(path, {.header = true, .label = options.value, .unlabelled = options.value.empty()});
    names_ = reader->feature_names();
    file_ = read_all(*reader, options.max_rows);
  }

  MatrixEntries read() {
    const std::vector<Index> rows = whole_numbers(options_.row);
    const std::vector<Index> columns = whole_numbers(options_.column);
    MatrixEntries entries;
    entries.rows = extent(rows, options_.matrix_rows, options_.row);
    entries.columns = extent(columns, options_.matrix_columns, options_.column);
    if (entries.rows > kMostFeatures / entries.columns) {
      fail<DataError>(name_, "a matrix of at most 2147483646 entries",
                      fmt::format("{} x {}", entries.rows, entries.columns));
    }
    Rows& table = entries.table;
    table.features = entries.rows * entries.columns;
    table.labels = file_.labels;
    table.values.assign(table.labels.size(), 1.0);
    table.offsets.resize(table.labels.size() + 1);
    std::iota(table.offsets.begin(), table.offsets.end(), std::int64_t{0});
    for (std::size_t e = 0; e < rows.size(); ++e) {
      table.columns.push_back(static_cast<std::int32_t>(rows[e] + columns[e] * entries.rows));
    }
    if (!options_.node.empty()) {
      entries.partition = by_node(whole_numbers(options_.node));
    }
    return entries;
  }

 private:
  /// A column of the file, whose numbers must be whole and not negative.
  [[nodiscard]] std::vector<Index> whole_numbers(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      fail<DataError>(fmt::format("{}:1", name_), fmt::format("a column called '{}'", name), "none");
    }
    const auto column = static_cast<std::int32_t>(found - names_.begin());
    std::vector<Index> numbers(file_.labels.size(), 0);
    for (std::size_t r = 0; r < numbers.size(); ++r) {
      for (auto k = static_cast<std::size_t>(file_.offsets[r]); k < static_cast<std::size_t>(file_.offsets[r + 1]);
           ++k) {
        if (file_.columns[k] != column) {
          continue;
        }
        const double v = file_.values[k];
        if (v < 0.0 || v != std::floor(v) || v > static_cast<double>(kMostFeatures)) {
          fail<DataError>(fmt::format("{}: entry {}", name_, r + 1),
                          fmt::format("a number from 0 in column '{}'", name), text::shortest(v));
        }
        numbers[r] = static_cast<Index>(v);
      }
    }
    return numbers;
  }

  [[nodiscard]] Index extent(const std::vector<Index>& numbers, Index declared, const std::string& name) const {
    const Index largest = *std::max_element(numbers.begin(), numbers.end());
    if (declared > 0 && largest >= declared) {
      fail<DataError>(name_, fmt::format("numbers below {} in column '{}'", declared, name), std::to_string(largest));
    }
    return declared > 0 ? declared : largest + 1;
  }

  [[nodiscard]] Partition by_node(const std::vector<Index>& nodes) const {
    Partition partition;
    partition.order.resize(nodes.size());
    std::iota(partition.order.begin(), partition.order.end(), Index{0});
    std::stable_sort(partition.order.begin(), partition.order.end(), [&](Index a, Index b) {
      return nodes[static_cast<std::size_t>(a)] < nodes[static_cast<std::size_t>(b)];
    });
    const Index largest = *std::max_element(nodes.begin(), nodes.end());
    if (largest >= static_cast<Index>(nodes.size())) {
      fail<DataError>(name_, "an entry for every node", fmt::format("{} entries and a node {}", nodes.size(), largest));
    }
    partition.offsets.assign(static_cast<std::size_t>(largest) + 2, 0);
    for (const Index node : nodes) {
      ++partition.offsets[static_cast<std::size_t>(node) + 1];
    }
    for (std::size_t i = 1; i < partition.offsets.size(); ++i) {
      if (partition.offsets[i] == 0) {
        fail<DataError>(name_, "an entry for every node", fmt::format("none for node {}", i - 1));
      }
    }
    std::partial_sum(partition.offsets.begin(), partition.offsets.end(), partition.offsets.begin());
    return partition;
  }

  std::string name_;
  MatrixEntriesOptions options_;
  std::vector<std::string> names_;
  Rows file_;
};

}  // namespace

MatrixEntries read_matrix_entries(const std::filesystem::path& path, const MatrixEntriesOptions& options) {
  return EntriesReader(path, options).read();
}

}  // namespace slidemesh

#include "data_config.h"

#include <fmt/format.h>

#include <limits>

namespace slidemesh::app {

namespace {

constexpr Count kMostRows = std::numeric_limits<std::int32_t>::max();

SyntheticKind default_synthetic_kind(const std::string& loss) {
  if (loss == "softmax") {
    return SyntheticKind::kMulticlass;
  }
  if (loss == "least-squares" || loss == "huber") {
    return SyntheticKind::kRegression;
  }
  return loss == "matrix-completion" ? SyntheticKind::kMatrix : SyntheticKind::kClassification;
}

void parse_synthetic(ConfigTable& table, Config& config) {
  SyntheticOptions& options = config.data.synthetic;
  options.seed = config.seed;
  options.kind = default_synthetic_kind(config.loss.kind);
  if (const auto kind = table.choice("kind", {"classification", "regression", "multiclass", "matrix"})) {
    options.kind = parse_synthetic_kind(*kind);
  }
  options.rows = config.data.rows > 0 ? config.data.rows : options.rows;
  if (options.kind == SyntheticKind::kMatrix) {
    options.matrix_rows = table.integer("matrix_rows", 1, 100'000).value_or(options.matrix_rows);
    options.matrix_columns = table.integer("matrix_columns", 1, 100'000).value_or(options.matrix_columns);
    options.rank = table.integer("rank", 1, 1000).value_or(options.rank);
  } else {
    options.features = config.data.features > 0 ? config.data.features : options.features;
  }
  if (options.kind == SyntheticKind::kMulticlass) {
    options.classes = table.integer("classes", 2, 100'000).value_or(options.classes);
  }
  options.noise = table.number("noise", "a number that is not negative", is_not_negative).value_or(options.noise);
  options.heterogeneity =
      table.number("heterogeneity", "a number that is not negative", is_not_negative).value_or(options.heterogeneity);
}

}  // namespace

const std::vector<SourceKind>& source_kinds() {
  static const std::vector<SourceKind> kinds{
      {"synthetic", "generated rows; for classification of ijcnn1's shape"},
      {"libsvm", "a LIBSVM file, plain or compressed (.gz, .bz2, .xz, .zst)"},
  };
  return kinds;
}

void parse_data(ConfigTable table, Config& config) {
  std::vector<std::string> sources;
  for (const SourceKind& kind : source_kinds()) {
    sources.push_back(kind.name);
  }
  DataConfig& data = config.data;
  data.source = table.choice("source", sources).value_or(table.has("path") ? "libsvm" : data.source);
  data.rows = table.integer("rows", 1, kMostRows).value_or(0);
  data.features = table.integer("features", 1, kMostRows).value_or(0);
  if (data.source == "synthetic") {
    parse_synthetic(table, config);
  } else {
    const auto path = table.text("path");
    if (!path) {
      table.fail("path", "the path of a file", "none");
    }
    data.path = *path;
  }
  data.split.seed = config.seed;
  data.split.rule =
      parse_split_rule(table.choice("split", {"contiguous", "shuffled", "by-label", "dirichlet"}).value_or("contiguous"));
  if (data.split.rule == SplitRule::kDirichlet) {
    data.split.alpha = table.number("alpha", "a positive number", is_positive).value_or(data.split.alpha);
  }
  table.finish();
}

}  // namespace slidemesh::app

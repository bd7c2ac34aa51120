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

/// Of what is generated and of the split, so that a method can be seeded anew on the same rows.
std::uint64_t data_seed(ConfigTable& table, const Config& config) {
  const auto seed = table.integer("seed", 0, std::numeric_limits<Count>::max());
  return seed ? static_cast<std::uint64_t>(*seed) : config.seed;
}

void parse_synthetic(ConfigTable& table, const Config& config, DataSpec& spec) {
  SyntheticOptions& options = spec.synthetic;
  options.seed = data_seed(table, config);
  options.kind = default_synthetic_kind(config.loss.kind);
  if (const auto kind = table.choice("kind", {"classification", "regression", "multiclass", "matrix"})) {
    options.kind = parse_synthetic_kind(*kind);
  }
  options.rows = spec.max_rows > 0 ? spec.max_rows : options.rows;
  if (options.kind == SyntheticKind::kMatrix) {
    options.matrix_rows = table.integer("matrix_rows", 1, 100'000).value_or(options.matrix_rows);
    options.matrix_columns = table.integer("matrix_columns", 1, 100'000).value_or(options.matrix_columns);
    options.rank = table.integer("rank", 1, 1000).value_or(options.rank);
  } else {
    options.features = table.integer("features", 1, kMostRows).value_or(options.features);
  }
  if (options.kind == SyntheticKind::kMulticlass) {
    options.classes = table.integer("classes", 2, 100'000).value_or(options.classes);
  }
  if (options.kind == SyntheticKind::kClassification) {
    const auto is_share = [](double value) { return value > 0.0 && value < 1.0; };
    options.positive = table.number("positive", "a share between 0 and 1", is_share).value_or(options.positive);
  }
  options.noise = table.number("noise", "a number that is not negative", is_not_negative).value_or(options.noise);
  options.heterogeneity =
      table.number("heterogeneity", "a number that is not negative", is_not_negative).value_or(options.heterogeneity);
}

void parse_matrix_entries(ConfigTable& table, DataSpec& spec) {
  MatrixEntriesOptions& options = spec.entries;
  spec.matrix_entries = true;
  options.row = table.text("row").value_or(options.row);
  options.column = table.text("column").value_or(options.column);
  options.value = table.text("value").value_or(options.value);
  options.node = table.text("node").value_or(options.node);
  options.matrix_rows = table.integer("matrix_rows", 1, kMostRows).value_or(0);
  options.matrix_columns = table.integer("matrix_columns", 1, kMostRows).value_or(0);
}

void parse_csv(ConfigTable& table, DataSpec& spec) {
  CsvOptions& options = spec.csv;
  if (const auto delimiter = table.text("delimiter")) {
    if (delimiter->size() != 1) {
      table.fail("delimiter", "one character", fmt::format("\"{}\"", *delimiter));
    }
    options.delimiter = delimiter->front();
  }
  options.header = table.boolean("header");
  if (const toml::node* label = table.node("label")) {
    if (!label->is_string() && !label->is_integer()) {
      table.fail("label", "the name of a column, or its number from 1", describe(*label));
    }
    options.label = label->is_string() ? *label->value<std::string>() : std::to_string(*label->value<Count>());
  }
  options.missing = parse_missing_values(table.choice("missing", {"reject", "zero", "mean"}).value_or("reject"));
  options.categorical =
      parse_categorical_columns(table.choice("categorical", {"reject", "one-hot"}).value_or("reject"));
}

void parse_matrix_market(ConfigTable& table, DataSpec& spec, const std::filesystem::path& beside) {
  spec.matrix_market.label_column = table.integer("label", 1, kMostRows).value_or(1);
  if (const auto labels = table.text("labels")) {
    spec.matrix_market.labels = beside / *labels;
  }
}

std::vector<std::string> strings(ConfigTable& table, const std::string& key) {
  const toml::node* node = table.node(key);
  std::vector<std::string> out;
  if (node == nullptr) {
    return out;
  }
  if (const auto one = node->value<std::string>(); one && node->is_string()) {
    return {*one};
  }
  const toml::array* array = node->as_array();
  if (array == nullptr || !(array->empty() || array->is_homogeneous<std::string>())) {
    table.fail(key, "a string or a list of strings", describe(*node));
  }
  for (const toml::node& element : *array) {
    out.push_back(*element.value<std::string>());
  }
  return out;
}

void parse_postgres(ConfigTable& table, DataSpec& spec) {
  PostgresOptions& options = spec.postgres;
  options.dsn = strings(table, "dsn");
  options.table = table.text("table").value_or("");
  options.query = table.text("query").value_or("");
  if (options.table.empty() == options.query.empty()) {
    table.fail("table", "either a table or a query", options.table.empty() ? "neither" : "both");
  }
  options.key = table.text("key").value_or(options.key);
  options.label = table.text("label_column").value_or(options.label);
  options.features = strings(table, "features");
  options.indices = table.text("indices").value_or("");
  options.retry_seconds =
      table.number("retry_seconds", "a number that is not negative", is_not_negative).value_or(options.retry_seconds);
}

/// `rows` is a number or the word "streamed".
void parse_rows(ConfigTable& table, DataSpec& spec) {
  const toml::node* node = table.node("rows");
  if (node != nullptr && node->is_string()) {
    spec.streamed = *node->value<std::string>() == "streamed";
    if (!spec.streamed) {
      table.fail("rows", "a whole number or \"streamed\"", describe(*node));
    }
    return;
  }
  spec.max_rows = table.integer("rows", 1, kMostRows).value_or(0);
}

std::string source_by_name(const std::string& path) {
  for (const char* ending : {".csv", ".tsv"}) {
    if (path.find(ending) != std::string::npos) {
      return "csv";
    }
  }
  return path.find(".mtx") != std::string::npos ? "matrix-market" : "libsvm";
}

void parse_file(ConfigTable& table, const Config& config, DataSpec& spec) {
  const auto path = table.text("path");
  if (!path) {
    table.fail("path", "the path of a file", "none");
  }
  // Relative paths in a config start where the config is.
  const auto beside = std::filesystem::path(config.file).parent_path();
  spec.path = beside / *path;
  if (spec.source == DataSourceKind::kLibsvm) {
    spec.libsvm.features = table.integer("features", 1, kMostRows).value_or(0);
  } else if (spec.source == DataSourceKind::kMatrixMarket) {
    parse_matrix_market(table, spec, beside);
  } else if (config.loss.kind == "matrix-completion") {
    parse_matrix_entries(table, spec);
  } else {
    parse_csv(table, spec);
  }
  if (spec.streamed) {
    if (const auto scratch = table.text("scratch")) {
      spec.scratch = beside / *scratch;
    }
  }
}

}  // namespace

const std::vector<SourceKind>& source_kinds() {
  static const std::vector<SourceKind> kinds{
      {"synthetic", "generated rows; for classification of ijcnn1's shape"},
      {"libsvm", "a LIBSVM file, plain or compressed (.gz, .bz2, .xz, .zst)"},
      {"csv", "a CSV file, likewise; for matrix-completion, the observed entries"},
      {"matrix-market", "a Matrix Market file, likewise"},
      {"postgres", "a table or query of a PostgreSQL server; rows stay there until a step asks"},
  };
  return kinds;
}

void parse_data(ConfigTable table, Config& config) {
  std::vector<std::string> sources;
  for (const SourceKind& kind : source_kinds()) {
    sources.push_back(kind.name);
  }
  DataSpec& spec = config.data.spec;
  const toml::node* path = table.node("path");
  const bool has_path = path != nullptr && path->is_string();
  const std::string fallback = has_path ? source_by_name(*path->value<std::string>()) : "synthetic";
  spec.source = parse_data_source(table.choice("source", sources).value_or(fallback));
  parse_rows(table, spec);
  if (spec.source == DataSourceKind::kSynthetic) {
    parse_synthetic(table, config, spec);
  } else if (spec.source == DataSourceKind::kPostgres) {
    parse_postgres(table, spec);
  } else {
    parse_file(table, config, spec);
  }
  spec.split.seed = data_seed(table, config);
  spec.split.rule = parse_split_rule(
      table.choice("split", {"contiguous", "shuffled", "by-label", "dirichlet"}).value_or("contiguous"));
  if (spec.split.rule == SplitRule::kDirichlet) {
    spec.split.alpha = table.number("alpha", "a positive number", is_positive).value_or(spec.split.alpha);
  }
  spec.preparation.scaling = parse_scaling(table.choice("scaling", {"none", "max-abs", "standard"}).value_or("none"));
  spec.preparation.intercept = table.boolean("intercept").value_or(false);
  config.data.ledger = table.text("ledger").value_or("");
  config.stop.data_budget = table.integer("budget", 1, std::numeric_limits<Count>::max());
  // A batch that is on its way when the budget is used up would have been asked for nevertheless.
  config.data.prefetch = table.boolean("prefetch").value_or(true) && !config.stop.data_budget;
  table.finish();
}

}  // namespace slidemesh::app

#include "config_sections.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "slidemesh/data/load/sources.h"

namespace slidemesh {

namespace {

constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max();

SyntheticKind default_synthetic_kind(const std::string& loss) {
  if (loss == "softmax") {
    return SyntheticKind::kMulticlass;
  }
  if (loss == "least-squares" || loss == "huber") {
    return SyntheticKind::kRegression;
  }
  return loss == "matrix-completion" ? SyntheticKind::kMatrix : SyntheticKind::kClassification;
}

bool from(const Config& config, DataSourceKind source) { return config.data.spec.source == source; }
bool is_synthetic(const Config& config) { return from(config, DataSourceKind::kSynthetic); }
bool is_file(const Config& config) { return source_of(config.data.spec.source).is_file; }
bool is_postgres(const Config& config) { return from(config, DataSourceKind::kPostgres); }
bool is_database(const Config& config) { return source_of(config.data.spec.source).is_database; }
bool is_npy(const Config& config) { return from(config, DataSourceKind::kNpy); }
bool is_entries(const Config& config) {
  return from(config, DataSourceKind::kCsv) && config.loss.kind == "matrix-completion";
}
bool is_csv(const Config& config) { return from(config, DataSourceKind::kCsv) && !is_entries(config); }
bool is_generated_matrix(const Config& config) {
  return is_synthetic(config) && config.data.spec.synthetic.kind == SyntheticKind::kMatrix;
}

/// `rows` is a number or the word "streamed".
void read_rows(ConfigTable& table, const Value& value, Config& config) {
  DataSpec& spec = config.data.spec;
  const auto* whole = value.as<std::int64_t>();
  if (value.is<std::string>() && value.text() == "streamed") {
    spec.streamed = true;
  } else if (whole != nullptr && *whole >= 1 && *whole <= kMostRows) {
    spec.max_rows = *whole;
  } else {
    table.fail("rows", value.is<std::string>() ? std::string("a whole number or \"streamed\"")
                                               : fmt::format("a whole number from 1 to {}", kMostRows));
  }
}

Index whole_number(const ConfigTable& table, const char* key, const Value& value) {
  const auto* number = value.as<std::int64_t>();
  if (number == nullptr || *number < 1 || *number > kMostRows) {
    table.fail(key, fmt::format("a whole number from 1 to {}", kMostRows));
  }
  return *number;
}

/// A column by its name or its number from 1; of a Matrix Market file by its number alone.
void read_label(ConfigTable& table, const Value& value, Config& config) {
  const auto* number = value.as<std::int64_t>();
  if (from(config, DataSourceKind::kMatrixMarket)) {
    config.data.spec.matrix_market.label_column = whole_number(table, "label", value);
  } else if (number != nullptr || value.is<std::string>()) {
    config.data.spec.csv.label = number != nullptr ? std::to_string(*number) : value.text();
  } else {
    table.fail("label", "the name of a column, or its number from 1");
  }
}

/// Of generated rows and of LIBSVM files the number of features; of a database table their columns.
void read_features(ConfigTable& table, const Value& value, Config& config) {
  DataSpec& spec = config.data.spec;
  (is_synthetic(config) ? spec.synthetic.features : spec.libsvm.features) = whole_number(table, "features", value);
}

void read_delimiter(ConfigTable& table, const Value& value, Config& config) {
  table.require(value.is<std::string>() && value.text().size() == 1, "delimiter", "one character",
                value.is<std::string>() ? fmt::format("\"{}\"", value.text()) : describe(value));
  config.data.spec.csv.delimiter = config.data.spec.entries.delimiter = value.text().front();
}

void read_names(ConfigTable& table, const Value& value, Config& config) {
  table.require(value.is<bool>(), "names", "true or false");
  MatrixEntriesOptions& entries = config.data.spec.entries;
  entries.row_names = entries.column_names = *value.as<bool>();
}

template <class... Members>
auto of_spec(Members... members) {
  return at(&Config::data, &DataConfig::spec, members...);
}

template <class Parse>
auto parsed(Parse parse, const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, decltype(parse(std::string_view()))>> out;
  for (const std::string& word : words) {
    out.emplace_back(word, parse(word));
  }
  return out;
}

void add_synthetic_keys(Keys<Config>& keys) {
  const auto options = [](auto field) { return of_spec(&DataSpec::synthetic, field); };
  keys.choice("kind", options(&SyntheticOptions::kind),
              parsed(parse_synthetic_kind, {"classification", "regression", "multiclass", "matrix"}),
              "what is generated")
      .by_default("what fits the loss")
      .only_for("synthetic", is_synthetic)
      .integer("rank", options(&SyntheticOptions::rank), 1, 1000, "of the matrix that is generated")
      .only_for("synthetic, matrix", is_generated_matrix)
      .integer("classes", options(&SyntheticOptions::classes), 2, kMostClasses, "that are generated")
      .only_for(
          "synthetic, multiclass",
          [](const Config& c) { return is_synthetic(c) && c.data.spec.synthetic.kind == SyntheticKind::kMulticlass; })
      .number("positive", options(&SyntheticOptions::positive),
              {[](double value) { return value > 0.0 && value < 1.0; }, "a share between 0 and 1"},
              "share of positive labels")
      .only_for("synthetic, classification",
                [](const Config& c) {
                  return is_synthetic(c) && c.data.spec.synthetic.kind == SyntheticKind::kClassification;
                })
      .number("noise", options(&SyntheticOptions::noise), kNotNegative, "how far labels are off what features say")
      .only_for("synthetic", is_synthetic)
      .number("heterogeneity", options(&SyntheticOptions::heterogeneity), kNotNegative,
              "how much rows differ from the first to the last, and so from node to node where split contiguously")
      .only_for("synthetic", is_synthetic);
}

void add_entries_keys(Keys<Config>& keys) {
  const auto options = [](auto field) { return of_spec(&DataSpec::entries, field); };
  const auto extent = [](auto generated, auto read) {
    return [=](Config& config) -> Index& {
      return is_synthetic(config) ? config.data.spec.synthetic.*generated : config.data.spec.entries.*read;
    };
  };
  const auto is_matrix = [](const Config& config) { return is_generated_matrix(config) || is_entries(config); };
  keys.text("row", options(&MatrixEntriesOptions::row), "the column with an entry's row")
      .only_for("csv, matrix-completion", is_entries)
      .text("column", options(&MatrixEntriesOptions::column), "the column with an entry's column")
      .only_for("csv, matrix-completion", is_entries)
      .text("value", options(&MatrixEntriesOptions::value), "the column with an entry's value")
      .only_for("csv, matrix-completion", is_entries)
      .other("names", "true or false", "true where some are words",
             "true: rows and columns of the matrix keep the file's names, in the model too, even if they are numbers; "
             "false: numbers are places, counted from 0",
             read_names)
      .only_for("csv, matrix-completion", is_entries)
      .text("node", options(&MatrixEntriesOptions::node), "a column that says which node knows the entry")
      .only_for("csv, matrix-completion", is_entries)
      .integer("matrix_rows", extent(&SyntheticOptions::matrix_rows, &MatrixEntriesOptions::matrix_rows), 1, kMostRows,
               "of the whole matrix")
      .by_default("as far as entries go; 60 generated")
      .only_for("a matrix", is_matrix)
      .integer("matrix_columns", extent(&SyntheticOptions::matrix_columns, &MatrixEntriesOptions::matrix_columns), 1,
               kMostRows, "of the whole matrix")
      .by_default("as far as entries go; 80 generated")
      .only_for("a matrix", is_matrix);
}

void add_file_keys(Keys<Config>& keys) {
  keys.other("features", "a whole number", "as found; 22 generated", "how many features there are", read_features)
      .only_for("synthetic, libsvm",
                [](const Config& c) {
                  return (is_synthetic(c) && !is_generated_matrix(c)) || from(c, DataSourceKind::kLibsvm);
                })
      .other("delimiter", "one character", "\",\"", "between the fields of a line", read_delimiter)
      .only_for("csv", [](const Config& c) { return from(c, DataSourceKind::kCsv); })
      .boolean("header", of_spec(&DataSpec::csv, &CsvOptions::header), "whether the first line has names")
      .by_default("as it looks")
      .only_for("csv", is_csv)
      .other("label", "the name of a column, or its number from 1", "the one called label, else the first",
             "which column is the label", read_label)
      .only_for("csv, matrix-market",
                [](const Config& c) { return is_csv(c) || from(c, DataSourceKind::kMatrixMarket); })
      .texts("features", of_spec(&DataSpec::csv, &CsvOptions::features), "columns, in the order of the features")
      .by_default("all that are left")
      .only_for("csv", is_csv)
      .texts("ignore", of_spec(&DataSpec::csv, &CsvOptions::ignore), "columns that are not looked at")
      .only_for("csv", is_csv)
      .text("id", of_spec(&DataSpec::csv, &CsvOptions::id), "a column that names rows and is no feature")
      .only_for("csv", is_csv)
      .choice("missing", of_spec(&DataSpec::csv, &CsvOptions::missing),
              parsed(parse_missing_values, {"reject", "zero", "mean"}), "what becomes of empty fields")
      .only_for("csv", is_csv)
      .choice("categorical", of_spec(&DataSpec::csv, &CsvOptions::categorical),
              parsed(parse_categorical_columns, {"reject", "one-hot"}), "what becomes of columns of words")
      .only_for("csv", is_csv)
      .path(
          "labels",
          [](Config & c) -> auto& { return is_npy(c) ? c.data.spec.npy.labels : c.data.spec.matrix_market.labels; },
          "a file with the labels, where they are no column")
      .only_for("matrix-market, npy",
                [](const Config& c) { return is_npy(c) || from(c, DataSourceKind::kMatrixMarket); })
      .path("scratch", of_spec(&DataSpec::scratch), "where streamed rows are kept")
      .by_default("the system's place")
      .only_for("rows = \"streamed\"", [](const Config& c) { return is_file(c) && c.data.spec.streamed; });
}

void add_database_keys(Keys<Config>& keys) {
  const auto options = [](auto field) { return of_spec(&DataSpec::database, field); };
  keys.texts("dsn", options(&DatabaseOptions::dsn), "how to reach the server, or a list with one for each node")
      .only_for("postgres", is_postgres)
      .text("table", options(&DatabaseOptions::table), "either a table")
      .only_for("postgres, sqlite", is_database)
      .text("query", options(&DatabaseOptions::query), "or a query")
      .only_for("postgres, sqlite", is_database)
      .text("key", options(&DatabaseOptions::key), "the column with a row's number")
      .only_for("postgres, sqlite", is_database)
      .text("label_column", options(&DatabaseOptions::label), "the column with the label")
      .only_for("postgres, sqlite", is_database)
      .texts("features", options(&DatabaseOptions::features), "the columns with features")
      .by_default("all others")
      .only_for("postgres, sqlite", is_database)
      .text("indices", options(&DatabaseOptions::indices),
            "the column with the numbers of a row's features that are "
            "not zero, where rows are sparse")
      .only_for("postgres, sqlite", is_database)
      .number("retry_seconds", options(&DatabaseOptions::retry_seconds), kNotNegative,
              "how long a lost connection is tried again")
      .only_for("postgres", is_postgres);
}

/// True, false or "free".
void read_intercept(ConfigTable& table, const Value& value, Config& config) {
  config.data.free_intercept = value.is<std::string>() && value.text() == "free";
  table.require(value.is<bool>() || config.data.free_intercept, "intercept", "true, false or \"free\"");
  config.data.spec.preparation.intercept = config.data.free_intercept || *value.as<bool>();
}

/// Kept until all other keys are known: it shares them.
void read_test(ConfigTable& table, const Value& value, Config& config) {
  table.require(value.is<std::string>() && !value.text().empty(), "test", "the path of a file, or the name of a table");
  config.data.test.emplace();
}

/// The same keys, another file or table.
void finish_test(ConfigTable& table, Config& config) {
  const DataSpec& spec = config.data.spec;
  const std::string& name = table.node("test")->text();
  const bool apart = is_npy(config) || !spec.matrix_market.labels.empty();
  table.require(!is_synthetic(config) && !apart, "test",
                apart ? "a holdout instead, since labels are in a file of their own" : "rows that are not made",
                "\"" + name + "\"");
  DataSpec& test = config.data.test.emplace(spec);
  test.max_rows = 0;
  if (is_database(config)) {
    test.database.table = name;
    test.database.query.clear();
    return;
  }
  test.path = table.directory() / name;
  if (std::error_code ignored; !std::filesystem::exists(test.path, ignored)) {
    table.fail("test", "the path of a file that is there");
  }
}

void add_common_keys(Keys<Config>& keys) {
  keys.integer("seed", of_spec(&DataSpec::split, &SplitOptions::seed), 0, kAnySeed,
               "of generated rows and of the split alone")
      .by_default("the top level's")
      .choice("split", of_spec(&DataSpec::split, &SplitOptions::rule),
              parsed(parse_split_rule, {"contiguous", "shuffled", "by-label", "dirichlet"}),
              "how rows are dealt to nodes")
      .number("alpha", of_spec(&DataSpec::split, &SplitOptions::alpha), kPositive,
              "how even the nodes' shares are: a small number makes them uneven")
      .only_for("split = \"dirichlet\"",
                [](const Config& c) { return c.data.spec.split.rule == SplitRule::kDirichlet; })
      .choice("scaling", of_spec(&DataSpec::preparation, &PreparationOptions::scaling),
              parsed(parse_scaling, {"none", "max-abs", "standard"}), "what is done to columns first")
      .other("intercept", "true, false or \"free\"", "false",
             "a column of ones beside the others; \"free\": one whose coefficient the set says nothing of",
             read_intercept)
      .text("ledger", at(&Config::data, &DataConfig::ledger),
            "a file in the output directory for the record of every access")
      .other("test", "the path of a file, or the name of a table", "",
             "rows to judge the models by, read with the same keys: their figures are in the summary and the report",
             read_test)
      .number("holdout", at(&Config::data, &DataConfig::holdout),
              {[](double value) { return value > 0.0 && value < 1.0; }, "a share between 0 and 1"},
              "keep this share of the rows apart, and judge the models by it")
      .by_default("none")
      .integer("cv", at(&Config::data, &DataConfig::cv), 2, 100,
               "how many parts rows are dealt to for cross-validation; see `slidemesh path`")
      .by_default("none")
      .integer(
          "budget", at(&Config::data, &DataConfig::budget), 1, kAnySeed,
          "rows that may be read, over all nodes, by all methods and for every purpose: scaling, smoothness, `F*`, "
          "steps, measuring. Opening the data does not count")
      .boolean("prefetch", at(&Config::data, &DataConfig::prefetch),
               "whether rows that will be drawn soon may be fetched early; never with a budget");
}

Keys<Config> data_keys() {
  Keys<Config> keys;
  keys.choice("source", of_spec(&DataSpec::source), parsed(parse_data_source, names_of(data_sources())),
              "where rows come from; `slidemesh list sources`")
      .by_default("\"synthetic\", or by the file's ending")
      .path("path", of_spec(&DataSpec::path),
            "a file, plain or compressed (.gz, .bz2, .xz, .zst); `{node}` and `{rank}` in it stand for numbers")
      .only_for("files", is_file)
      .other("rows", "a whole number or \"streamed\"", "all; 20000 generated",
             "how many, from the first; \"streamed\" leaves them on disk", read_rows);
  add_synthetic_keys(keys);
  add_entries_keys(keys);
  add_file_keys(keys);
  add_database_keys(keys);
  add_common_keys(keys);
  return keys;
}

/// What must hold between the keys, and what follows from them.
void finish_data(ConfigTable& table, Config& config) {
  DataSpec& spec = config.data.spec;
  spec.synthetic.seed = spec.split.seed;
  spec.synthetic.rows = spec.max_rows > 0 ? spec.max_rows : spec.synthetic.rows;
  spec.matrix_entries = is_entries(config);
  table.require(!is_file(config) || !spec.path.empty(), "path", "the path of a file", "none");
  constexpr Index kLargestGenerated = 100'000;
  if (is_synthetic(config) && std::max(spec.synthetic.matrix_rows, spec.synthetic.matrix_columns) > kLargestGenerated) {
    table.fail(spec.synthetic.matrix_rows > kLargestGenerated ? "matrix_rows" : "matrix_columns",
               fmt::format("a whole number from 1 to {}", kLargestGenerated));
  }
  const DatabaseOptions& rows = spec.database;
  table.require(!is_database(config) || rows.table.empty() != rows.query.empty(), "table", "either a table or a query",
                rows.table.empty() ? "neither" : "both");
  table.require(!is_npy(config) || !spec.npy.labels.empty() || config.data.labels_optional, "labels",
                "a .npy file with the labels", "none");
  if (config.data.test) {
    finish_test(table, config);
  }
  if (config.data.holdout > 0.0) {
    spec.hold_out = {0.0, config.data.holdout, spec.split.seed};
  }
  // A batch that is on its way when the budget is used up would have been asked for nevertheless.
  config.data.prefetch = config.data.prefetch && !config.data.budget;
}

}  // namespace

void parse_data(ConfigTable table, Config& config) {
  DataSpec& spec = config.data.spec;
  const Value* path = table.node("path");
  if (path != nullptr && path->is<std::string>()) {
    spec.source = source_by_name(path->text());
    if (table.node("source") == nullptr) {
      table.explain_elsewhere(
          fmt::format(" (by its name the file is {}; data.source says otherwise)", to_string(spec.source)));
    }
  }
  spec.split.seed = config.seed;
  spec.synthetic.kind = default_synthetic_kind(config.loss.kind);
  data_keys().read(table, config);
  finish_data(table, config);
  table.finish();
}

DataSpec make_new_data(const Value::Table& data, const std::string& loss, const FeatureMap& map,
                       const std::string& file) {
  Config config;
  config.loss.kind = loss;
  config.data.labels_optional = true;
  parse_data(ConfigTable(data, 0, "data", file), config);
  DataSpec& spec = config.data.spec;
  const auto by_default = [&](const char* key, std::string& column, const std::string& name) {
    if (!name.empty() && !data.contains(key)) {
      column = name;
    }
  };
  by_default("label", spec.csv.label, map.label);
  by_default("label_column", spec.database.label, map.label);
  if (map.matrix) {
    by_default("row", spec.entries.row, map.matrix->row);
    by_default("column", spec.entries.column, map.matrix->column);
    by_default("value", spec.entries.value, map.label);
  }
  return spec;
}

std::vector<KeyDoc> data_keys_docs() { return data_keys().docs(); }

}  // namespace slidemesh

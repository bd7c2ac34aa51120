#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "commands.h"
#include "glance.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/formats/inspect.h"
#include "slidemesh/data/formats/writers.h"
#include "slidemesh/data/load/sources.h"
#include "slidemesh/data/store/postgres.h"
#include "slidemesh/data/store/sqlite.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

constexpr Index kNodes = 10;  ///< that rows are dealt to where nobody says

struct DataArguments {
  DataSpec spec;  ///< but for what is a word here
  std::string file;
  std::string source;
  std::string delimiter = ",";
  std::string missing = "reject";
  std::string categorical = "reject";
  bool columns = false;
  bool json = false;
  std::optional<Index> nodes;
  std::string split = "contiguous";
  std::string out;
  bool replace = false;
  TableLoadOptions load;
  std::string sqlite;
};

/// A table, and what it calls its columns and labels.
struct NamedTable {
  std::shared_ptr<const Rows> rows;
  TableNames names;
};

void print_notes(const RowReader& reader) {
  for (const std::string& note : reader.facts().notes) {
    write_to_log(fmt::format("slidemesh: {}\n", note));
  }
}

NamedTable read_named(const DataSpec& spec) {
  if (spec.source != DataSourceKind::kCsv) {
    return {std::make_shared<const Rows>(load_table(spec)), {}};
  }
  const auto reader = open_reader(spec);
  Rows rows = read_all(*reader, spec.max_rows);
  choose_storage(rows);
  print_notes(*reader);
  const TableFacts facts = reader->facts();
  TableNames names{"label", {}, facts.label_words};
  if (facts.has_header) {
    names.label = facts.label;
    names.features = feature_names(facts.columns);
  }
  return {std::make_shared<const Rows>(std::move(rows)), std::move(names)};
}

DataSpec spec_of(const DataArguments& arguments) {
  DataSpec spec = arguments.spec;
  spec.path = arguments.file;
  spec.source = arguments.source.empty() ? source_by_name(arguments.file) : parse_data_source(arguments.source);
  require<UsageError>(arguments.delimiter.size() == 1, "--delimiter", "one character",
                      fmt::format("\"{}\"", arguments.delimiter));
  spec.csv.delimiter = arguments.delimiter.front();
  spec.csv.missing = parse_missing_values(arguments.missing);
  spec.csv.categorical = parse_categorical_columns(arguments.categorical);
  spec.split.rule = parse_split_rule(arguments.split);
  return spec;
}

void print_labels(const TableSummary& s, const TableNames& names) {
  fmt::print("labels        {} different, {:g} to {:g}\n", s.distinct_labels, s.label_min, s.label_max);
  if (s.distinct_labels <= 20) {
    for (const auto& [label, count] : s.labels) {
      const std::string name =
          names.label_words.empty() ? fmt::format("{:g}", label) : names.label_words[static_cast<std::size_t>(label)];
      fmt::print("  {:<12}{} rows, {:.2f} %\n", name, count,
                 100.0 * static_cast<double>(count) / static_cast<double>(s.rows));
    }
  }
}

void print_columns(const TableSummary& s, const TableNames& names) {
  TextTable table({{"feature", "from", "to", "nonzero"}}, 1);
  for (std::size_t j = 0; j < s.columns.size(); ++j) {
    const ColumnSummary& column = s.columns[j];
    table.add({names.features.empty() ? std::to_string(j + 1) : names.features[j], fmt::format("{:g}", column.low),
               fmt::format("{:g}", column.high),
               fmt::format("{:.2f} %", 100.0 * static_cast<double>(column.nonzeros) / static_cast<double>(s.rows))});
  }
  fmt::print("\n{}", table.text(terminal_width(STDOUT_FILENO)));
}

constexpr std::array<SplitRule, 4> kRules = {SplitRule::kContiguous, SplitRule::kShuffled, SplitRule::kByLabel,
                                             SplitRule::kDirichlet};

/// Who has not said how many nodes need not have a row for each of ten.
Index nodes_of(const DataArguments& arguments, Index rows) { return arguments.nodes.value_or(std::min(kNodes, rows)); }

SplitSummary summary_of_split(const std::shared_ptr<const Rows>& table, const DataArguments& arguments,
                              const DataSpec& spec, SplitRule rule) {
  SplitOptions options = spec.split;
  options.rule = rule;
  const Index nodes = nodes_of(arguments, table->count());
  return inspect_split(node_sources(table, split_rows(table->labels, nodes, options), 0, nodes), rule);
}

nlohmann::ordered_json columns_json(const TableSummary& s, const TableNames& names) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (std::size_t j = 0; j < s.columns.size(); ++j) {
    columns.push_back({{"name", names.features.empty() ? std::to_string(j + 1) : names.features[j]},
                       {"from", s.columns[j].low},
                       {"to", s.columns[j].high},
                       {"nonzeros", s.columns[j].nonzeros}});
  }
  return columns;
}

void print_json(const NamedTable& table, const TableSummary& s, const DataArguments& arguments, const DataSpec& spec) {
  nlohmann::ordered_json object = {{"rows", s.rows},
                                   {"features", s.features},
                                   {"empty_features", s.empty_features},
                                   {"constant_features", s.constant_features},
                                   {"nonzeros", s.nonzeros},
                                   {"label", table.names.label},
                                   {"distinct_labels", s.distinct_labels},
                                   {"label_min", s.label_min},
                                   {"label_max", s.label_max},
                                   {"largest_row_norm", s.largest_row_norm},
                                   {"smoothness", s.smoothness}};
  for (const SplitRule rule : kRules) {
    const SplitSummary split = summary_of_split(table.rows, arguments, spec, rule);
    object["splits"].push_back({{"rule", to_string(rule)},
                                {"smallest", split.smallest},
                                {"largest", split.largest},
                                {"smoothness", split.smoothness},
                                {"heterogeneity", split.heterogeneity}});
  }
  if (arguments.columns) {
    object["columns"] = columns_json(s, table.names);
  }
  fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// Whether somebody only looks at a file, and has not said how to read it; perhaps which column is the label.
bool only_looks(const DataArguments& a) {
  return a.spec.csv.ignore.empty() && a.spec.csv.id.empty() && a.missing == "reject" && a.categorical == "reject";
}

/// A CSV file is shown as it is, with keys that would read it, to who has not said how to read it, and where it cannot
/// be read as it was asked for. Who has asked for nothing in particular sees it read so; nothing where it has no column
/// that is called like a label.
std::optional<NamedTable> read_or_show(DataSpec& spec, const DataArguments& arguments) {
  const bool shows = spec.source == DataSourceKind::kCsv && !arguments.json;
  try {
    NamedTable named = read_named(spec);
    if (shows && only_looks(arguments)) {
      print_glance(spec.path, spec.csv.delimiter, named.names.label);
    }
    return named;
  } catch (const Error& error) {
    if (!shows || error.kind() == ErrorKind::kInternal) {
      throw;
    }
    const auto proposal = print_glance(spec.path, spec.csv.delimiter, spec.csv.label);
    const bool has_label = proposal && !proposal->options.label.empty();
    if (!proposal || !only_looks(arguments) || (!has_label && !arguments.spec.csv.label.empty())) {
      throw;
    }
    if (!has_label) {
      fmt::print("--label COLUMN says which column is to be predicted, and shows more\n");
      return std::nullopt;
    }
    spec.csv = proposal->options;
    return read_named(spec);
  }
}

ExitCode inspect_file(const DataArguments& arguments) {
  DataSpec spec = spec_of(arguments);
  const auto named = read_or_show(spec, arguments);
  if (!named) {
    return ExitCode::kOk;
  }
  const auto& [table, names] = *named;
  MemorySource source(table, 0, table->count());
  const TableSummary s = inspect(source);
  if (arguments.json) {
    print_json(*named, s, arguments, spec);
    return ExitCode::kOk;
  }
  fmt::print("rows          {}\nfeatures      {} ({} empty, {} constant)\n", s.rows, s.features, s.empty_features,
             s.constant_features);
  fmt::print("nonzeros      {} ({:.2f} %, kept {})\n", s.nonzeros, 100.0 * s.density,
             s.stored_dense ? "dense" : "sparse");
  fmt::print("values        {:g} to {:g}, largest row norm {:g}\n", s.value_min, s.value_max, s.largest_row_norm);
  print_labels(s, names);
  fmt::print("smoothness    {:.6g} for least squares, {:.6g} for logistic (all rows at one node)\n", s.smoothness,
             s.smoothness / 4.0);
  TextTable splits({{"rule", "rows per node", "largest smoothness", "heterogeneity", "label means"}}, 1);
  for (const SplitRule rule : kRules) {
    const SplitSummary split = summary_of_split(table, arguments, spec, rule);
    splits.add({std::string(to_string(rule)), fmt::format("{} to {}", split.smallest, split.largest),
                fmt::format("{:.6g}", split.smoothness), fmt::format("{:.3g}", split.heterogeneity),
                fmt::format("{:.3g} to {:.3g}", split.lowest_label_mean, split.highest_label_mean)});
  }
  fmt::print("\nsplit over {} nodes\n{}", nodes_of(arguments, table->count()),
             splits.text(terminal_width(STDOUT_FILENO)));
  if (arguments.columns) {
    print_columns(s, names);
  }
  return ExitCode::kOk;
}

ExitCode split_file(const DataArguments& arguments) {
  const DataSpec spec = spec_of(arguments);
  const auto [rows, names] = read_named(spec);
  const Partition partition = split_rows(rows->labels, arguments.nodes.value_or(kNodes), spec.split);
  const auto files = write_parts(*rows, partition, arguments.out, arguments.replace, names);
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::ordered_json(
                           {{"rows", rows->count()}, {"files", std::vector<std::string>(files.begin(), files.end())}})
                           .dump());
    return ExitCode::kOk;
  }
  fmt::print("{} rows in {} files, {} to {}\n", rows->count(), files.size(), files.front().string(),
             files.back().string());
  return ExitCode::kOk;
}

void tell_loaded(const DataArguments& arguments, Index rows) {
  const std::string& table = arguments.load.table;
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"rows", rows}, {"table", table}}).dump());
  } else {
    fmt::print("{} rows in table {}{}\n", rows, table, arguments.sqlite.empty() ? "" : " of " + arguments.sqlite);
  }
}

ExitCode load_file(const DataArguments& arguments) {
  const auto reader = open_reader(spec_of(arguments));
  print_notes(*reader);
  TableLoadOptions options = arguments.load;
  options.replace = arguments.replace;
  options.path = arguments.sqlite;
  tell_loaded(arguments, options.path.empty() ? load_postgres(*reader, options) : load_sqlite(*reader, options));
  return ExitCode::kOk;
}

void add_file_options(CLI::App* command, DataArguments& arguments, const std::vector<std::string>& sources) {
  command->add_option("FILE", arguments.file, "Plain, or packed as .gz, .bz2, .xz or .zst")->required();
  command->add_option("--source", arguments.source, "What it is, if its name does not tell")
      ->check(CLI::IsMember(sources));
  command->add_option("--label", arguments.spec.csv.label, "CSV: the label's column, a name or a number from 1");
  command->add_option("--delimiter", arguments.delimiter, "CSV: what parts the fields")->capture_default_str();
  command->add_option("--missing", arguments.missing, "CSV: what becomes of empty fields and NA")
      ->check(CLI::IsMember({"reject", "zero", "mean"}))
      ->capture_default_str();
  command->add_option("--categorical", arguments.categorical, "CSV: what becomes of columns of words")
      ->check(CLI::IsMember({"reject", "one-hot"}))
      ->capture_default_str();
  command->add_option("--ignore", arguments.spec.csv.ignore, "CSV: columns to leave out, names or numbers from 1");
  command->add_flag("--json", arguments.json, "JSON instead of words");
  command->add_option("--rows", arguments.spec.max_rows, "The first so many rows")->check(positive_number());
}

void add_split_options(CLI::App* command, DataArguments& arguments) {
  command->add_option("--nodes,-n", arguments.nodes, "How many nodes")
      ->check(CLI::Range(2, 1'000'000))
      ->default_str(std::to_string(kNodes));
  command->add_option("--alpha", arguments.spec.split.alpha, "Of the dirichlet rule")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--seed", arguments.spec.split.seed, "Of the shuffled and dirichlet rules")
      ->capture_default_str();
}

}  // namespace

void add_data_command(CLI::App& app, Action& action) {
  CLI::App* data = app.add_subcommand("data", "Look at a file, deal it to nodes, put it into a database");
  data->require_subcommand(1);

  const std::vector<std::string> files = {"libsvm", "csv", "matrix-market"};
  const auto [look, of_look] = add_command(
      *data, "inspect", "Rows, columns, density, labels, ranges, smoothness; how splits differ", action, inspect_file);
  add_file_options(look, *of_look, files);
  add_split_options(look, *of_look);
  look->add_flag("--columns", of_look->columns, "List the range of every feature too");
  look->footer(
      "Smoothness is lambda_max(A'A/n) times the loss's curvature; a method's steps are as long as its largest over "
      "the nodes allows,\n"
      "and ranges that differ much (--columns) make it large: then scale (data.scaling in a config). Heterogeneity is "
      "how far nodes'\n"
      "first directions differ from their mean, relative to it: 0, all nodes see the same; above 1, they hardly "
      "agree.\n\n"
      "Examples:\n"
      "  slidemesh data inspect ijcnn1.xz --nodes 10\n"
      "  slidemesh data inspect clicks.csv --label clicked --missing zero --categorical one-hot --columns");

  const auto [split, of_split] =
      add_command(*data, "split", "Deal a file's rows to one file per node", action, split_file);
  add_file_options(split, *of_split, files);
  add_split_options(split, *of_split);
  split->add_option("--split", of_split->split, "How rows are dealt")
      ->check(CLI::IsMember({"contiguous", "shuffled", "by-label", "dirichlet"}))
      ->capture_default_str();
  split->add_option("--out", of_split->out, "The directory of the parts")->required();
  split->add_flag("--replace", of_split->replace, "Replace parts that are there");
  split->footer(
      "contiguous: in the file's order; shuffled: nodes alike; by-label: most nodes see one label; dirichlet: in "
      "between, less alike for\n"
      "a smaller alpha. The parts are part-0.svm, part-1.svm, ... (.csv where columns have names): a config reads "
      "them\n"
      "with data.path = \"parts/part-{node}.svm\", each rank of an MPI run its own.\n\n"
      "Examples:\n"
      "  slidemesh data split ijcnn1.xz --nodes 10 --split by-label --out parts\n"
      "  slidemesh data split big.csv --label target --nodes 8 --split dirichlet --alpha 0.1 --out parts");

  const auto [load, of_load] =
      add_command(*data, "load", "Put a file into a table of a PostgreSQL server or an SQLite file", action, load_file);
  add_file_options(load, *of_load, {"libsvm", "csv"});
  load->add_option("--id", of_load->spec.csv.id, "CSV: a column that names rows: the table's key, as text");
  load->add_option("--dsn", of_load->load.dsn, "Connection string; without it the PG* variables");
  load->add_option("--sqlite", of_load->sqlite, "An SQLite file instead of a server; made if it is not there");
  load->add_option("--table", of_load->load.table, "The table to make")->required();
  load->add_flag("--replace", of_load->replace, "Replace a table of that name");
  load->footer(
      "The table gets a column id (1, 2, ..., or the column of --id: the primary key), label, and the features by "
      "name; where rows are wide "
      "or sparse, "
      "an array of values\n"
      "and one of indices. It is filled with COPY in one transaction: whole, or not at all. Passwords are better left "
      "to ~/.pgpass or PGPASSWORD\n"
      "than written on a command line. A config reads it with data.source = \"postgres\", data.dsn, data.table;\n"
      "from an SQLite file with data.path and data.table.\n\n"
      "Examples:\n"
      "  slidemesh data load big.csv --label target --table clicks --sqlite clicks.db\n"
      "  slidemesh data load ijcnn1.xz --table ijcnn1 --dsn 'host=db.example user=train dbname=clicks'\n"
      "  PGHOST=/run/postgresql slidemesh data load big.csv --label target --table clicks --replace");
  data->footer(
      "Examples:\n  slidemesh data inspect ijcnn1.xz --nodes 10\n  slidemesh data split big.csv --label target --nodes "
      "8 --split dirichlet --out parts\n"
      "  slidemesh data load big.csv --table clicks --dsn 'host=db dbname=train'");
}

}  // namespace slidemesh::app

#include "slidemesh/data/load/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/data/load/own_rows.h"
#include "slidemesh/data/store/postgres.h"
#include "slidemesh/data/store/sqlite.h"

namespace slidemesh {
namespace {

/// Options with the limit that the spec has for all sources.
template <class Options>
Options limited(Options options, const DataSpec& spec) {
  options.max_rows = spec.max_rows;
  return options;
}

Rows generate(const DataSpec& spec) {
  SyntheticOptions options = spec.synthetic;
  options.rows = spec.max_rows > 0 ? spec.max_rows : options.rows;
  return make_synthetic(options);
}

std::unique_ptr<RowReader> read_libsvm_rows(const DataSpec& spec, const std::optional<ByteRange>& range) {
  LibsvmOptions options = limited(spec.libsvm, spec);
  options.range = range ? range : options.range;
  return open_libsvm(spec.path, options);
}

std::unique_ptr<RowReader> read_csv_rows(const DataSpec& spec, const std::optional<ByteRange>& range) {
  CsvOptions options = limited(spec.csv, spec);
  options.range = range ? range : options.range;
  return open_csv(spec.path, options);
}

/// A file that is looked through first, for means and words, is read from its beginning.
std::optional<RowSyntax> csv_syntax(const DataSpec& spec) {
  const bool surveyed = spec.csv.missing == MissingValues::kMean || spec.csv.categorical == CategoricalColumns::kOneHot;
  return surveyed ? std::nullopt : std::optional(RowSyntax::kCsv);
}

Rows read_market(const DataSpec& spec) {
  Rows rows = read_matrix_market(spec.path, limited(spec.matrix_market, spec));
  choose_storage(rows);
  return rows;
}

std::shared_ptr<RowStore> map_array(const DataSpec& spec, Index /*node*/, const std::vector<std::string>& /*names*/) {
  NpyOptions options = limited(spec.npy, spec);
  options.path = spec.path;
  return open_npy(options);
}

std::shared_ptr<RowStore> open_file_table(const DataSpec& spec, Index node, const std::vector<std::string>& features) {
  DatabaseOptions options = limited(spec.database, spec);
  options.path = part_path(spec.path.string(), spec.rank, node);
  options.table = part_path(options.table, spec.rank, node);
  options.features = features.empty() ? options.features : features;
  return open_sqlite(options);
}

std::string title_of_file_table(const DataSpec& spec) {
  return fmt::format("{} of {}", spec.database.table.empty() ? "a query" : spec.database.table,
                     spec.path.filename().string());
}

std::shared_ptr<RowStore> open_server_table(const DataSpec& spec, Index node,
                                            const std::vector<std::string>& features) {
  DatabaseOptions options = limited(spec.database, spec);
  options.features = features.empty() ? options.features : features;
  return open_postgres(options, node);
}

std::string_view without_compression(std::string_view name) {
  constexpr std::array<std::string_view, 4> kCompressed{".gz", ".bz2", ".xz", ".zst"};
  for (const std::string_view ending : kCompressed) {
    if (name.ends_with(ending)) {
      return name.substr(0, name.size() - ending.size());
    }
  }
  return name;
}

}  // namespace

const std::vector<DataSource>& data_sources() {
  static const std::vector<DataSource> sources{
      {.kind = DataSourceKind::kSynthetic,
       .name = "synthetic",
       .description = "generated rows; for classification of ijcnn1's shape",
       .title = [](const DataSpec& spec) { return fmt::format("generated {} data", to_string(spec.synthetic.kind)); },
       .is_file = false,
       .read_table = generate},
      {.kind = DataSourceKind::kLibsvm,
       .name = "libsvm",
       .description = "a LIBSVM file, plain or compressed (.gz, .bz2, .xz, .zst)",
       .endings = {".svm", ".libsvm"},
       .open_reader = read_libsvm_rows,
       .syntax = [](const DataSpec&) { return std::optional(RowSyntax::kLibsvm); }},
      {.kind = DataSourceKind::kCsv,
       .name = "csv",
       .description = "a CSV file, likewise; for matrix-completion, the observed entries",
       .endings = {".csv", ".tsv"},
       .open_reader = read_csv_rows,
       .syntax = csv_syntax},
      {.kind = DataSourceKind::kMatrixMarket,
       .name = "matrix-market",
       .description = "a Matrix Market file, likewise",
       .endings = {".mtx"},
       .read_table = read_market},
      {.kind = DataSourceKind::kNpy,
       .name = "npy",
       .description = "an array of NumPy's (.npy) that is mapped into memory, its labels in another",
       .endings = {".npy"},
       .open_store = map_array},
      {.kind = DataSourceKind::kSqlite,
       .name = "sqlite",
       .description = "a table or query of an SQLite file; rows stay there until a step asks",
       .endings = {".db", ".sqlite", ".sqlite3"},
       .title = title_of_file_table,
       .is_database = true,
       .open_store = open_file_table},
      {.kind = DataSourceKind::kPostgres,
       .name = "postgres",
       .description = "a table or query of a PostgreSQL server; rows stay there until a step asks",
       .title = [](const DataSpec&) { return "a PostgreSQL table"; },
       .is_file = false,
       .is_database = true,
       .open_store = open_server_table},
  };
  return sources;
}

const DataSource& source_of(DataSourceKind kind) {
  const auto& sources = data_sources();
  return *std::find_if(sources.begin(), sources.end(), [&](const DataSource& source) { return source.kind == kind; });
}

DataSourceKind parse_data_source(std::string_view name) {
  for (const DataSource& source : data_sources()) {
    if (source.name == name) {
      return source.kind;
    }
  }
  fail<UsageError>("data.source", "one of " + text::joined(data_sources(), ", ", &DataSource::name),
                   text::quoted(name));
}

std::string_view to_string(DataSourceKind kind) { return source_of(kind).name; }

DataSourceKind source_by_name(std::string_view path) {
  const std::string_view name = without_compression(path);
  for (const DataSource& source : data_sources()) {
    if (std::any_of(source.endings.begin(), source.endings.end(), [&](const auto& e) { return name.ends_with(e); })) {
      return source.kind;
    }
  }
  return DataSourceKind::kLibsvm;
}

std::string title_of_data(const DataSpec& spec) {
  const auto& title = source_of(spec.source).title;
  return title ? title(spec) : spec.path.filename().string();
}

std::string name_of_data(const DataSpec& spec) {
  return source_of(spec.source).is_file ? spec.path.string() : title_of_data(spec);
}

Rows load_table(const DataSpec& spec) {
  const DataSource& source = source_of(spec.source);
  if (source.open_reader) {
    Rows rows = read_all(*source.open_reader(spec, {}), spec.max_rows);
    choose_storage(rows);
    return rows;
  }
  require<UsageError>(source.read_table != nullptr, "data.source", "a file of text", source.name);
  return source.read_table(spec);
}

std::unique_ptr<RowReader> open_reader(const DataSpec& spec) {
  const DataSource& source = source_of(spec.source);
  require<UsageError>(source.open_reader && !spec.matrix_entries, "data.source",
                      "libsvm or csv, which lie row by row in their files",
                      source.name + (spec.matrix_entries ? " of matrix entries" : ""));
  return source.open_reader(spec, {});
}

}  // namespace slidemesh

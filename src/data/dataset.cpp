#include "slidemesh/data/dataset.h"

#include <algorithm>
#include <array>
#include <utility>

#include "slidemesh/base/errors.h"
#include "slidemesh/data/private_rows.h"
#include "slidemesh/data/store/streamed.h"

namespace slidemesh {
namespace {

constexpr std::array<std::pair<DataSourceKind, std::string_view>, 5> kSources = {{
    {DataSourceKind::kSynthetic, "synthetic"},
    {DataSourceKind::kLibsvm, "libsvm"},
    {DataSourceKind::kCsv, "csv"},
    {DataSourceKind::kMatrixMarket, "matrix-market"},
    {DataSourceKind::kPostgres, "postgres"},
}};

LibsvmOptions libsvm_options(const DataSpec& spec) {
  LibsvmOptions options = spec.libsvm;
  options.max_rows = spec.max_rows;
  return options;
}

CsvOptions csv_options(const DataSpec& spec) {
  CsvOptions options = spec.csv;
  options.max_rows = spec.max_rows;
  return options;
}

/// Builds a Dataset step by step; each kind of store has its own way to the nodes' sources.
class Loader {
 public:
  Loader(const DataSpec& spec, LabelKind kind, Network& network) : spec_(spec), kind_(kind), network_(network) {}

  Dataset load() {
    if (spec_.source == DataSourceKind::kPostgres) {
      if (has_table_a_node(spec_.postgres)) {
        load_tables_of_nodes();
      } else {
        load_shared_table();
      }
    } else if (rows_are_private()) {
      load_private();
    } else if (spec_.streamed) {
      is_spread() ? load_private_streamed() : load_streamed();
    } else {
      load_memory();
    }
    data_.features = data_.nodes.front()->features();
    data_.classes = data_.labels.classes();
    return std::move(data_);
  }

 private:
  void load_memory() {
    auto table = std::make_shared<Rows>(read_table());
    prepare_labels(*table, where());
    const Partition partition = partition_of(table->labels);
    const Partition kept = is_spread() ? forget_others_rows(*table, partition) : partition;
    const auto deal = [&] {
      return node_sources(std::shared_ptr<const Rows>(table), kept, is_spread() ? 0 : network_.first_node(),
                          network_.local_nodes());
    };
    data_.nodes = deal();
    agree();
    if (!data_.preparation.does_nothing()) {
      data_.nodes.clear();  // before the table grows
      prepare_rows(*table, data_.preparation);
      data_.nodes = deal();
    }
    name_rows(partition);
  }

  /// A table that had to be read or made whole shrinks to the rows of this process's nodes.
  [[nodiscard]] Partition forget_others_rows(Rows& table, const Partition& partition) const {
    std::vector<Index> own;
    Partition kept{{}, {0}};
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      for (Index r = 0; r < partition.count(network_.global(i)); ++r) {
        own.push_back(partition.row(network_.global(i), r));
      }
      kept.offsets.push_back(static_cast<Index>(own.size()));
    }
    table = select_rows(table, own);
    return kept;
  }

  Rows read_table() {
    if (spec_.matrix_entries) {
      MatrixEntriesOptions options = spec_.entries;
      options.max_rows = spec_.max_rows;
      MatrixEntries entries = read_matrix_entries(spec_.path, options);
      data_.matrix_rows = entries.rows;
      data_.matrix_columns = entries.columns;
      dealt_ = std::move(entries.partition);
      return std::move(entries.table);
    }
    if (spec_.source == DataSourceKind::kCsv) {
      const auto reader = open_csv(spec_.path, csv_options(spec_));
      Rows rows = read_all(*reader, spec_.max_rows);
      data_.feature_names = reader->feature_names();
      data_.label_names = reader->label_names();
      choose_storage(rows);
      return rows;
    }
    if (spec_.source == DataSourceKind::kSynthetic && spec_.synthetic.kind == SyntheticKind::kMatrix) {
      data_.matrix_rows = spec_.synthetic.matrix_rows;
      data_.matrix_columns = spec_.synthetic.matrix_columns;
    }
    return load_table(spec_);
  }

  /// A file that lies row by row, of which this process wants a part.
  [[nodiscard]] bool rows_are_private() const {
    const bool by_row =
        spec_.source == DataSourceKind::kLibsvm || (spec_.source == DataSourceKind::kCsv && !spec_.matrix_entries);
    const bool parts = names_parts(spec_.path.string());
    if (parts && (!by_row || spec_.streamed)) {
      throw UsageError(
          "data.path: expected a LIBSVM or CSV file read into memory where {node} or {rank} is in the path, got " +
          std::string(spec_.streamed ? "rows = \"streamed\"" : to_string(spec_.source)));
    }
    if (parts && spec_.source == DataSourceKind::kCsv &&
        (spec_.csv.missing == MissingValues::kMean || spec_.csv.categorical == CategoricalColumns::kOneHot)) {
      throw UsageError(
          "data.path: expected one file, since means and words are of the whole table, got one with {node} or {rank}");
    }
    return by_row && !spec_.streamed && (parts || is_spread());
  }
  [[nodiscard]] bool is_spread() const { return network_.local_nodes() < network_.nodes(); }

  [[nodiscard]] OpenReader opener() const {
    return [this](const std::filesystem::path& file, const std::optional<ByteRange>& range) {
      DataSpec of_file = spec_;
      of_file.path = file;
      of_file.libsvm.range = of_file.csv.range = range;
      return open_reader(of_file);
    };
  }

  [[nodiscard]] PrivateRowsOptions private_options() const {
    PrivateRowsOptions options;
    options.max_rows = spec_.max_rows;
    options.want_classes = kind_ != LabelKind::kReal;
    if (spec_.source == DataSourceKind::kLibsvm) {
      options.syntax = RowSyntax::kLibsvm;
    } else if (spec_.csv.missing != MissingValues::kMean && spec_.csv.categorical != CategoricalColumns::kOneHot) {
      options.syntax = RowSyntax::kCsv;
    }
    return options;
  }

  void load_private() {
    PrivateRows own = names_parts(spec_.path.string())
                          ? read_part_files(spec_.path.string(), spec_.rank, network_, opener(), private_options())
                          : read_own_rows(spec_.path, spec_.split, network_, opener(), private_options());
    data_.feature_names = own.feature_names;
    data_.label_names = own.label_names;
    data_.labels = make_label_map(own.classes, kind_, where());
    std::vector<std::shared_ptr<Rows>> parts;
    for (Rows& part : own.parts) {
      data_.labels.apply(part.labels, where());
      parts.push_back(std::make_shared<Rows>(std::move(part)));
      data_.nodes.push_back(std::make_shared<MemorySource>(parts.back(), 0, parts.back()->count()));
    }
    agree();
    data_.nodes.clear();
    for (const auto& part : parts) {
      prepare_rows(*part, data_.preparation);
      data_.nodes.push_back(std::make_shared<MemorySource>(part, 0, part->count()));
    }
    name_rows(std::move(own.numbers));
  }

  void load_private_streamed() {
    const PrivateRowsOptions options = private_options();
    OwnReader own = open_own_rows(spec_.path, spec_.split, network_, opener(), options);
    auto table = std::make_shared<StoredRows>(*own.reader, StoredRows::Part{}, spec_.scratch);
    data_.feature_names = own.reader->feature_names();
    data_.label_names = own.reader->label_names();
    const TableFacts facts = agree_on_table({table->features(), table->rows(), table->nonzeros(), {}}, table->labels(),
                                            options.want_classes, network_);
    table->suit(facts.features, facts.dense());
    data_.labels = make_label_map(facts.classes, kind_, where());
    data_.labels.apply(table->labels(), where());
    data_.nodes = node_sources(std::shared_ptr<const StoredRows>(table), own.places, 0, network_.local_nodes());
    agree();
    prepare_on_the_way();
    name_rows(std::move(own.numbers));
  }

  void load_streamed() {
    const auto reader = open_reader(spec_);
    auto table = std::make_shared<StoredRows>(*reader, spec_.max_rows, spec_.scratch);
    data_.feature_names = reader->feature_names();
    data_.label_names = reader->label_names();
    data_.labels = make_label_map(table->labels(), kind_, where());
    data_.labels.apply(table->labels(), where());
    const Partition partition = partition_of(table->labels());
    data_.nodes = node_sources(std::shared_ptr<const StoredRows>(table), partition, network_.first_node(),
                               network_.local_nodes());
    agree();
    prepare_on_the_way();
    name_rows(partition);
  }

  void load_shared_table() {
    PostgresOptions options = spec_.postgres;
    options.max_rows = spec_.max_rows;
    const auto table = open_postgres(options);
    data_.labels = make_label_map(table->labels(), kind_, where());
    data_.labels.apply(table->labels(), where());
    const Partition partition = partition_of(table->labels());
    data_.nodes = table->sources(partition, network_.first_node(), network_.local_nodes());
    agree();
    prepare_on_the_way();
    const auto shared = std::make_shared<const Partition>(partition);
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      data_.keys.emplace_back(
          [table, shared, node = network_.global(i)](Index r) { return table->key(shared->row(node, r)); });
    }
  }

  /// Each node has a table of its own, so there is nothing to deal. The classes are those of all
  /// nodes' tables together.
  void load_tables_of_nodes() {
    PostgresOptions options = spec_.postgres;
    options.max_rows = spec_.max_rows;
    const auto tables = open_postgres_nodes(options, network_);
    std::vector<double> labels;
    for (const auto& table : tables) {
      labels.insert(labels.end(), table->labels().begin(), table->labels().end());
    }
    if (kind_ != LabelKind::kReal) {
      labels = agree_on_classes(labels, network_);
    }
    data_.labels = make_label_map(labels, kind_, where());
    for (const auto& table : tables) {
      data_.labels.apply(table->labels(), where());
      data_.nodes.push_back(table->sources(Partition{{}, {0, table->rows()}}, 0, 1).front());
      data_.keys.emplace_back([table](Index r) { return table->key(r); });
    }
    agree();
    prepare_on_the_way();
  }

  void prepare_labels(Rows& table, const std::string& name) {
    data_.labels = slidemesh::prepare_labels(table, kind_, data_.classes, name);
  }

  [[nodiscard]] Partition partition_of(const std::vector<double>& labels) const {
    if (dealt_.nodes() == network_.nodes()) {
      return dealt_;
    }
    if (dealt_.nodes() > 0) {
      throw DataError(spec_.path.string() + ": expected entries of " + std::to_string(network_.nodes()) +
                      " nodes, got those of " + std::to_string(dealt_.nodes()));
    }
    return split_rows(labels, network_.nodes(), spec_.split);
  }

  void agree() { data_.preparation = agree_preparation(data_.nodes, network_, spec_.preparation); }

  void prepare_on_the_way() {
    const auto preparation = std::make_shared<const Preparation>(data_.preparation);
    for (auto& node : data_.nodes) {
      node = prepared_source(node, preparation);
    }
  }

  /// Rows of a file are called by their numbers in it, from 1.
  void name_rows(const Partition& partition) {
    const auto shared = std::make_shared<const Partition>(partition);
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      data_.keys.emplace_back([shared, node = network_.global(i)](Index r) { return shared->row(node, r) + 1; });
    }
  }

  void name_rows(std::vector<std::vector<Index>> numbers) {
    for (auto& of_node : numbers) {
      data_.keys.emplace_back([list = std::move(of_node)](Index r) { return list[static_cast<std::size_t>(r)] + 1; });
    }
  }

  [[nodiscard]] std::string where() const {
    if (spec_.source == DataSourceKind::kPostgres) {
      return "postgres";
    }
    return spec_.source == DataSourceKind::kSynthetic ? "generated data" : spec_.path.string();
  }

  const DataSpec& spec_;
  LabelKind kind_;
  Network& network_;
  Dataset data_;
  Partition dealt_{{}, {0}};
};

}  // namespace

DataSourceKind parse_data_source(std::string_view name) {
  for (const auto& [kind, known] : kSources) {
    if (known == name) {
      return kind;
    }
  }
  throw UsageError("data.source: expected synthetic, libsvm, csv, matrix-market or postgres, got '" +
                   std::string(name) + "'");
}

std::string_view to_string(DataSourceKind kind) {
  return std::find_if(kSources.begin(), kSources.end(), [&](const auto& entry) { return entry.first == kind; })->second;
}

Dataset load_dataset(const DataSpec& spec, LabelKind labels, Network& network) {
  return Loader(spec, labels, network).load();
}

Rows load_table(const DataSpec& spec) {
  Rows rows;
  switch (spec.source) {
    case DataSourceKind::kSynthetic: {
      SyntheticOptions options = spec.synthetic;
      options.rows = spec.max_rows > 0 ? spec.max_rows : options.rows;
      return make_synthetic(options);
    }
    case DataSourceKind::kLibsvm:
      rows = read_libsvm(spec.path, libsvm_options(spec));
      break;
    case DataSourceKind::kCsv:
      rows = read_csv(spec.path, csv_options(spec));
      break;
    case DataSourceKind::kMatrixMarket: {
      MatrixMarketOptions options = spec.matrix_market;
      options.max_rows = spec.max_rows;
      rows = read_matrix_market(spec.path, options);
      break;
    }
    case DataSourceKind::kPostgres:
      throw UsageError("data.source: expected a file, got postgres");
  }
  choose_storage(rows);
  return rows;
}

std::unique_ptr<RowReader> open_reader(const DataSpec& spec) {
  if (spec.source == DataSourceKind::kLibsvm) {
    return open_libsvm(spec.path, libsvm_options(spec));
  }
  if (spec.source == DataSourceKind::kCsv && !spec.matrix_entries) {
    return open_csv(spec.path, csv_options(spec));
  }
  throw UsageError("data.source: expected libsvm or csv, which lie row by row in their files, got " +
                   std::string(to_string(spec.source)) + (spec.matrix_entries ? " of matrix entries" : ""));
}

}  // namespace slidemesh

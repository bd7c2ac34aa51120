#include "opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/data/load/agree_columns.h"
#include "slidemesh/data/load/agreements.h"
#include "slidemesh/data/load/own_rows.h"
#include "slidemesh/data/load/sources.h"
#include "slidemesh/data/store/postgres.h"
#include "slidemesh/data/store/streamed.h"

namespace slidemesh {

namespace {

constexpr Index kRowsAtOnce = 4096;  ///< between two looks

/// A reader that tells how many rows it has read, and ends with a StoppedError where the work under way is to be left
/// (base/interruption.h): a large file takes minutes, and limits and signals hold for them too.
class WatchedReader final : public RowReader {
 public:
  WatchedReader(std::unique_ptr<RowReader> reader, std::function<void(Count rows)> on_rows)
      : reader_(std::move(reader)), on_rows_(std::move(on_rows)) {}

  Index read(Index most, Rows& rows) override {
    Index done = 0;
    Index got = 0;
    do {
      got = reader_->read(std::min(kRowsAtOnce, most - done), rows);
      done += got;
      read_ += got;
      if (got == kRowsAtOnce) {
        look_up();
      }
    } while (got == kRowsAtOnce && done < most);
    return done;
  }

  [[nodiscard]] Index features() const override { return reader_->features(); }
  [[nodiscard]] bool has_fixed_width() const override { return reader_->has_fixed_width(); }
  [[nodiscard]] Count rows_read() const override { return reader_->rows_read(); }
  [[nodiscard]] TableFacts facts() const override { return reader_->facts(); }
  [[nodiscard]] std::vector<std::string> take_ids() override { return reader_->take_ids(); }
  [[nodiscard]] const std::string& name() const override { return reader_->name(); }

 private:
  void look_up() const {
    if (interruption_is_due()) {
      throw StoppedError(
          fmt::format("{}: stopped after {} rows were read, before the run began (a signal, or "
                      "stop.time_limit_seconds)",
                      name(), read_));
    }
    if (on_rows_) {
      on_rows_(read_);
    }
  }

  std::unique_ptr<RowReader> reader_;
  std::function<void(Count rows)> on_rows_;
  Count read_ = 0;
};

class Opener {
 public:
  Opener(const DataSpec& spec, Network& network, Ledger* ledger)
      : spec_(spec), source_(source_of(spec.source)), network_(network), ledger_(ledger) {}

  OpenedData open() {
    if (nodes_have_parts()) {
      open_parts();
    } else if (is_spread() && lies_by_row()) {
      open_own_share();
    } else {
      open_whole();
    }
    if (!opened_.whole) {
      std::vector<std::shared_ptr<RowStore>> stores;
      for (const Piece& piece : opened_.pieces) {
        stores.push_back(piece.store);
      }
      agree_on_shape(stores, network_, name_of_data(spec_));
    }
    return std::move(opened_);
  }

 private:
  /// All nodes' rows: a file that this process has to itself, what can only be made whole, a database's table.
  void open_whole() {
    opened_.whole = true;
    if (source_.open_store) {
      add(source_.open_store(spec_, 0, {}));
    } else if (spec_.streamed) {
      const auto reader = std::make_unique<WatchedReader>(open_reader(spec_), spec_.on_rows);
      add(std::make_shared<StoredRows>(*reader, spec_.max_rows, spec_.scratch), reader.get());
    } else if (lies_by_row()) {
      const auto reader = std::make_unique<WatchedReader>(open_reader(spec_), spec_.on_rows);
      Rows rows = read_all(*reader, spec_.max_rows);
      choose_storage(rows);
      add(std::make_shared<MemoryStore>(std::move(rows)), reader.get());
    } else {
      add(std::make_shared<MemoryStore>(read_table()));
    }
  }

  /// Those rows of one file that are dealt to this process's nodes.
  void open_own_share() {
    const OwnRowsOptions options{spec_.max_rows, source_.syntax ? source_.syntax(spec_) : std::nullopt};
    OwnReader own = open_own_rows(spec_.path, spec_.split, network_, opener(spec_), options);
    add(store_part(*own.reader), own.reader.get());
    opened_.pieces.back().store->set_row_numbers(std::move(own.numbers));
    opened_.pieces.back().places = std::move(own.places);
  }

  /// Files or tables of nodes' or processes' own: there is nothing to deal but a process's file to its nodes.
  void open_parts() {
    if (source_.is_database) {
      open_tables_of_nodes();
      return;
    }
    std::vector<std::string> files;
    const bool of_nodes = names_parts_of_nodes(spec_.path.string());
    for (Index i = 0; i < (of_nodes ? network_.local_nodes() : 1); ++i) {
      files.push_back(part_path(spec_.path.string(), spec_.rank, network_.global(i)));
    }
    if (spec_.matrix_entries) {
      open_entries(files, of_nodes);
      return;
    }
    DataSpec agreed = spec_;
    if (spec_.source == DataSourceKind::kCsv) {
      Count surveyed = 0;
      agreed.csv = agree_on_csv(files, spec_.csv, network_, surveyed);
      note_opening(surveyed);
    }
    for (const std::string& file : files) {
      const auto reader = opener(agreed)(file, {});
      add(store_part(*reader), reader.get());
      place_part(file, of_nodes);
    }
  }

  void open_tables_of_nodes() {
    check_connection_strings();
    std::vector<std::shared_ptr<RowStore>> tables;
    std::vector<PartyColumns> columns;
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      tables.push_back(source_.open_store(spec_, network_.global(i), {}));
      columns.push_back({"table of node " + std::to_string(network_.global(i)), tables.back()->feature_names(), ""});
    }
    const std::vector<std::string> names = agree_on_names(columns, network_);
    for (Index i = 0; i < network_.local_nodes(); ++i) {
      auto& table = tables[static_cast<std::size_t>(i)];
      if (columns[static_cast<std::size_t>(i)].features != names) {
        note_opening(table->rows());
        table = source_.open_store(spec_, network_.global(i), names);
      }
      const Index rows = table->rows();
      add(std::move(table));
      opened_.pieces.back().places = {{}, {0, rows}};
    }
  }

  void check_connection_strings() const {
    const auto strings = static_cast<Index>(spec_.database.dsn.size());
    require<UsageError>(strings <= 1 || strings == network_.nodes(), "data.dsn",
                        fmt::format("one connection string or {}, one per node", network_.nodes()),
                        std::to_string(strings));
  }

  void add(std::shared_ptr<RowStore> store, const RowReader* reader = nullptr) {
    if (reader != nullptr) {
      TableFacts facts = reader->facts();
      opened_.map.columns = std::move(facts.columns);
      opened_.map.label = std::move(facts.label);
      opened_.map.label_words = std::move(facts.label_words);
      if (opened_.pieces.empty()) {
        opened_.notes = std::move(facts.notes);
      }
    } else if (opened_.map.columns.empty()) {
      opened_.map.label = source_.is_database ? spec_.database.label : opened_.map.label;
      for (std::string& name : store->feature_names()) {
        opened_.map.columns.push_back({std::move(name)});
      }
    }
    note_opening(reader != nullptr ? reader->rows_read() : store->rows());
    opened_.pieces.push_back({std::move(store)});
  }

  void note_opening(Count rows) {
    const bool is_made = spec_.source == DataSourceKind::kSynthetic;
    if (ledger_ != nullptr && !is_made && rows > 0) {
      ledger_->note_opening(rows);
    }
  }

  [[nodiscard]] MatrixEntriesOptions entries_options() const {
    MatrixEntriesOptions options = spec_.entries;
    options.max_rows = spec_.max_rows;
    return options;
  }

  Rows take_entries(MatrixEntries entries) {
    opened_.matrix_rows = entries.rows;
    opened_.matrix_columns = entries.columns;
    opened_.map.matrix = std::move(entries.names);
    opened_.map.label = spec_.entries.value;
    opened_.notes = std::move(entries.notes);
    return std::move(entries.table);
  }

  /// Entries of one matrix in files of nodes' or processes' own: its extents, or the names of its rows and columns, are
  /// agreed on, then every file is read by them.
  void open_entries(const std::vector<std::string>& files, bool of_nodes) {
    require<UsageError>(spec_.entries.node.empty(), "data.node", "none where every node has its own file",
                        fmt::format("'{}'", spec_.entries.node));
    Count surveyed = 0;
    const MatrixEntriesOptions agreed = agree_on_entries(files, entries_options(), network_, surveyed);
    note_opening(surveyed);
    for (const std::string& file : files) {
      add(std::make_shared<MemoryStore>(take_entries(read_matrix_entries(file, agreed))));
      place_part(file, of_nodes);
    }
  }

  /// The rows of the part that was added last, to its node or its process's nodes.
  void place_part(const std::string& file, bool of_nodes) {
    Piece& piece = opened_.pieces.back();
    const Index nodes = of_nodes ? 1 : network_.local_nodes();
    require<DataError>(piece.store->rows() >= nodes, file, fmt::format("at least a row for each of {} nodes", nodes),
                       std::to_string(piece.store->rows()));
    piece.places = split_contiguously(piece.store->rows(), nodes);
  }

  /// A part of a table, whose shape is agreed on when all have opened theirs.
  [[nodiscard]] std::shared_ptr<RowStore> store_part(RowReader& reader) const {
    if (spec_.streamed) {
      return std::make_shared<StoredRows>(reader, StoredRows::Part{}, spec_.scratch);
    }
    Rows rows;
    clear_rows(rows, 0, true);
    read_into_memory(reader, std::numeric_limits<Index>::max(), rows);
    rows.features = reader.features();
    return std::make_shared<MemoryStore>(std::move(rows), reader.has_fixed_width());
  }

  /// What does not lie row by row.
  Rows read_table() {
    if (spec_.matrix_entries) {
      MatrixEntries entries = read_matrix_entries(spec_.path, entries_options());
      opened_.dealt = std::move(entries.partition);
      return take_entries(std::move(entries));
    }
    if (spec_.source == DataSourceKind::kSynthetic && spec_.synthetic.kind == SyntheticKind::kMatrix) {
      opened_.matrix_rows = spec_.synthetic.matrix_rows;
      opened_.matrix_columns = spec_.synthetic.matrix_columns;
    }
    return load_table(spec_);
  }

  [[nodiscard]] bool nodes_have_parts() const {
    if (spec_.source == DataSourceKind::kPostgres) {
      return spec_.own || has_table_per_node(spec_.database);
    }
    const bool parts = spec_.own || names_parts(spec_.path.string());
    if (source_.is_database) {
      return parts || names_parts(spec_.database.table);
    }
    require<UsageError>(!parts || lies_by_row() || spec_.matrix_entries, "data.path",
                        std::string("a LIBSVM, CSV or SQLite file where ") +
                            (spec_.own ? "every party has its own" : "{node} or {rank} is in the path"),
                        to_string(spec_.source));
    return parts;
  }

  [[nodiscard]] bool lies_by_row() const { return source_.open_reader && !spec_.matrix_entries; }
  [[nodiscard]] bool is_spread() const { return network_.local_nodes() < network_.nodes(); }

  [[nodiscard]] static OpenReader opener(const DataSpec& spec) {
    return [spec](const std::filesystem::path& file, const std::optional<ByteRange>& range) {
      DataSpec of_file = spec;
      of_file.path = file;
      return std::make_unique<WatchedReader>(source_of(spec.source).open_reader(of_file, range), spec.on_rows);
    };
  }

  const DataSpec& spec_;
  const DataSource& source_;
  Network& network_;
  Ledger* ledger_;
  OpenedData opened_;
};

}  // namespace

OpenedData open_data(const DataSpec& spec, Network& network, Ledger* ledger) {
  return Opener(spec, network, ledger).open();
}

}  // namespace slidemesh

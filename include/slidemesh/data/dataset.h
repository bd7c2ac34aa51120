#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/feature_map.h"
#include "slidemesh/data/formats/csv.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/matrix_entries.h"
#include "slidemesh/data/formats/matrix_market.h"
#include "slidemesh/data/formats/synthetic.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/data/preparation.h"
#include "slidemesh/data/store/database.h"
#include "slidemesh/data/store/npy.h"

namespace slidemesh {

class Ledger;
class Network;

enum class DataSourceKind { kSynthetic, kLibsvm, kCsv, kMatrixMarket, kNpy, kSqlite, kPostgres };

[[nodiscard]] DataSourceKind parse_data_source(std::string_view name);
[[nodiscard]] std::string_view to_string(DataSourceKind kind);

/// Where rows come from and what is done to them before a run: the [data] of a config. Only the
/// options of the source that is chosen matter.
struct DataSpec {
  DataSourceKind source = DataSourceKind::kSynthetic;
  std::filesystem::path path = {};     ///< {node} and {rank} in it stand for a node's and a process's number
  int rank = 0;                        ///< of this process
  bool own = false;                    ///< they are this process's alone: there is nothing to deal
  Index max_rows = 0;                  ///< 0: all
  bool streamed = false;               ///< rows stay on disk; LIBSVM and CSV
  bool matrix_entries = false;         ///< a CSV file holds entries of a matrix, not rows
  std::filesystem::path scratch = {};  ///< where streamed rows are kept; empty: the system's place

  SyntheticOptions synthetic = {};
  LibsvmOptions libsvm = {};
  CsvOptions csv = {};
  MatrixMarketOptions matrix_market = {};
  MatrixEntriesOptions entries = {};
  NpyOptions npy = {};            ///< its path is the one above
  DatabaseOptions database = {};  ///< likewise

  std::function<void(Count rows)> on_rows = {};  ///< called while a file is read

  SplitOptions split = {};
  HoldOut hold_out = {};  ///< these rows are in no node's source
  PreparationOptions preparation = {};
};

/// Data that is ready for a run: what each local node holds.
struct Dataset {
  std::vector<std::shared_ptr<RowSource>> nodes;     ///< of this process, in the order of the nodes
  std::vector<std::function<RowKey(Index)>> keys;    ///< what a node's r-th row is called in its store
  std::vector<std::shared_ptr<RowSource>> held_out;  ///< rows of this process's nodes that were kept apart
  Index features = 0;                                ///< after preparation
  Index classes = 0;                                 ///< 2 for binary labels, 0 for real ones
  double largest_label = 0.0;                        ///< by magnitude, of this process, as the losses have them
  FeatureMap map;                  ///< all that a model needs to be used on new rows, labels and preparation among it
  std::vector<std::string> notes;  ///< for people: what was guessed, and what is odd about columns
  Index matrix_rows = 0;           ///< of matrix entries, generated or read
  Index matrix_columns = 0;
};

/// Opens, labels, deals, agrees and prepares. Where nodes are spread over processes, or the path names parts, a
/// process never holds rows of another's nodes; a database is asked for keys and labels alone. What nodes must agree on
/// (scaling; where each has its own rows, their width and classes) goes over the network and is metered. With a ledger
/// every look at the data is on its record, from the first on; it must live as long as the nodes' sources.
[[nodiscard]] Dataset load_dataset(const DataSpec& spec, LabelKind labels, Network& network, Ledger* ledger = nullptr);

/// The whole table in memory, labels as they are: for `data inspect` and `data split`. Not for postgres.
[[nodiscard]] Rows load_table(const DataSpec& spec);

/// A reader of the file that `spec` names: for `data load`. LIBSVM and CSV.
[[nodiscard]] std::unique_ptr<RowReader> open_reader(const DataSpec& spec);

}  // namespace slidemesh

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/data/dataset.h"
#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/load/own_rows.h"
#include "slidemesh/data/store/row_store.h"

namespace slidemesh {

/// A place that rows can come from. It has one of `open_reader`, `read_table` and `open_store`; whatever is done with
/// rows afterwards is the same for all. To add a source, see docs/adding-a-source.md.
struct DataSource {
  DataSourceKind kind = DataSourceKind::kSynthetic;
  std::string name;                    ///< in a config
  std::string description;             ///< a line for listings
  std::vector<std::string> endings{};  ///< of the names of files that are taken for this source
  /// What people call the data; none: the name of its file.
  std::function<std::string(const DataSpec& spec)> title{};
  bool is_file = true;       ///< `path` says where it is
  bool is_database = false;  ///< rows have keys, and nodes may have tables of their own

  /// Rows lie one after the other: a reader of the file, or of the rows in some of its bytes. Such rows can be
  /// streamed, be the party's own, and be read by each process for its own nodes alone.
  std::function<std::unique_ptr<RowReader>(const DataSpec& spec, const std::optional<ByteRange>& range)> open_reader{};
  /// Of those that can be read from the middle, how rows begin.
  std::function<std::optional<RowSyntax>(const DataSpec& spec)> syntax{};
  /// What can only be made or read whole.
  std::function<Rows(const DataSpec& spec)> read_table{};
  /// Rows stay where they are until a step asks for them. A database's may be of one node's table, its columns in the
  /// order of `features` if there are any.
  std::function<std::shared_ptr<RowStore>(const DataSpec& spec, Index node, const std::vector<std::string>& features)>
      open_store{};
};

[[nodiscard]] const std::vector<DataSource>& data_sources();
[[nodiscard]] const DataSource& source_of(DataSourceKind kind);

/// What a file of that name is taken for: LIBSVM, if its ending says nothing. Endings of compressed files are looked
/// behind.
[[nodiscard]] DataSourceKind source_by_name(std::string_view path);

/// What people call the data, and what messages do: these name a file by its path.
[[nodiscard]] std::string title_of_data(const DataSpec& spec);
[[nodiscard]] std::string name_of_data(const DataSpec& spec);

}  // namespace slidemesh

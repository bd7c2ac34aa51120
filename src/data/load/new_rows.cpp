#include "slidemesh/data/load/new_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/data/load/sources.h"

namespace slidemesh {
namespace {

class NewRowsScan {
 public:
  NewRowsScan(const DataSpec& spec, const FeatureMap& map, const NewRowsOptions& options,
              const std::function<void(const NewRows&)>& visit)
      : spec_(spec), map_(map), options_(options), visit_(visit) {}

  void scan() {
    const DataSource& source = source_of(spec_.source);
    if (spec_.matrix_entries) {
      scan_table(read_entries());
    } else if (source.open_reader) {
      scan_file(*source.open_reader(spec_for_model(), {}));
    } else if (source.open_store) {
      scan_store(source.open_store(spec_for_model(), 0, {}), source.is_database);
    } else {
      scan_table(spec_.source == DataSourceKind::kMatrixMarket ? read_market() : source.read_table(spec_));
    }
  }

 private:
  /// The columns that the model knows, wherever they are.
  [[nodiscard]] DataSpec spec_for_model() const {
    DataSpec spec = spec_;
    if (spec.source == DataSourceKind::kCsv) {
      spec.csv = csv_options();
    } else if (spec.source == DataSourceKind::kLibsvm) {
      spec.libsvm.features = map_.features;
    } else if (spec.source == DataSourceKind::kNpy && options_.labels && spec.npy.labels.empty()) {
      fail<UsageError>("data.labels", "a .npy file with the labels", "none");
    } else if (source_of(spec.source).is_database) {
      spec.database = database_options();
    }
    return spec;
  }

  [[nodiscard]] CsvOptions csv_options() const {
    CsvOptions options = spec_.csv;
    options.columns = map_.columns;
    options.features = names_of(map_.columns);
    options.label_words = map_.label_words;
    options.unlabelled = !options_.labels;
    if (!map_.columns.empty()) {
      return options;
    }
    // A model of rows without names takes columns by their place. One more of them than it needs is the label.
    options.columns.reset();
    options.features = spec_.csv.features;
    CsvNames names = names_of_csv(spec_.path, options);
    if (options.unlabelled && static_cast<Index>(names.features.size()) == map_.features + 1) {
      options.unlabelled = false;
      names = names_of_csv(spec_.path, options);
    }
    options.columns.emplace();
    for (std::string& name : names.features) {
      options.columns->push_back({std::move(name)});
    }
    return options;
  }

  [[nodiscard]] Rows read_entries() const {
    MatrixEntriesOptions options = spec_.entries;
    options.matrix_rows = options_.matrix_rows;
    options.matrix_columns = options_.matrix_columns;
    options.max_rows = spec_.max_rows;
    options.known = map_.matrix;
    options.node.clear();
    if (!options_.labels) {
      options.value.clear();
    }
    return std::move(read_matrix_entries(spec_.path, options).table);
  }

  /// One column more than the model needs is the label, as in a CSV file.
  [[nodiscard]] Rows read_market() const {
    MatrixMarketOptions options = spec_.matrix_market;
    options.max_rows = spec_.max_rows;
    const Index label = std::exchange(options.label_column, options_.labels ? options.label_column : 0);
    Rows rows = read_matrix_market(spec_.path, options);
    if (!options_.labels && options.labels.empty() && rows.features == map_.features + 1) {
      options.label_column = label;
      rows = read_matrix_market(spec_.path, options);
    }
    return rows;
  }

  [[nodiscard]] DatabaseOptions database_options() const {
    DatabaseOptions options = spec_.database;
    for (const FeatureColumn& column : map_.columns) {
      require<DataError>(
          column.words.empty(), name_of_data(spec_),
          fmt::format("a file of text, since column {} of the model has words", text::quoted(column.name)),
          "a database");
    }
    if (!map_.columns.empty()) {
      options.features = names_of(map_.columns);
      options.label = options_.labels ? options.label : "";
    }
    return options;
  }

  /// Rows that lie one after the other in a file.
  void scan_file(RowReader& reader) {
    constexpr Index kRowsAtOnce = 16 * kBlockRows;
    const Index most = spec_.max_rows > 0 ? spec_.max_rows : std::numeric_limits<Index>::max();
    Rows rows;
    for (Index first = 0, count = kRowsAtOnce; first < most && count == kRowsAtOnce; first += count) {
      clear_rows(rows, reader.features(), true);
      count = std::min(kRowsAtOnce, most - first);
      count = reader.read(count, rows);
      expect_width(reader.features());
      rows.features = map_.features;
      show(rows, first, reader.take_ids());
    }
  }

  /// Rows that are in memory.
  void scan_table(Rows rows) {
    expect_width(rows.features);
    show(rows, 0, {});
  }

  void scan_store(const std::shared_ptr<RowStore>& store, bool has_keys) {
    if (!store->has_fixed_width() && store->features() <= map_.features) {
      store->set_table_shape(map_.features, dense_is_faster(store->rows(), map_.features, store->nonzeros()));
    }
    expect_width(store->features());
    settle_labels(store->labels());
    const std::shared_ptr<RowSource> source = store->sources({{}, {0, store->rows()}}).front();
    const auto preparation = std::make_shared<const Preparation>(map_.preparation);
    prepared_source(source, preparation)->scan(AccessPurpose::kValue, [&](const RowBlock& block, Index first) {
      std::vector<std::string> ids;
      for (Index r = 0; has_keys && r < block.count; ++r) {
        ids.push_back(to_text(store->key(first + r)));
      }
      visit_({block, first, std::move(ids)});
    });
  }

  void show(Rows& rows, Index first, std::vector<std::string> ids) {
    if (rows.count() > 0) {
      settle_labels(rows.labels);
      prepare_rows(rows, map_.preparation);
      visit_({view_of(rows), first, std::move(ids)});
    }
  }

  void settle_labels(std::vector<double>& labels) const {
    if (options_.labels) {
      require_words();
      map_.labels.apply(labels, name_of_data(spec_));
    } else {
      std::fill(labels.begin(), labels.end(), 0.0);
    }
  }

  /// Labels of a model are words where its data had some; only CSV files have words to compare with them.
  void require_words() const {
    const std::vector<std::string>& words = map_.label_words;
    if (spec_.source != DataSourceKind::kCsv && !words.empty() && !are_truth_values(words)) {
      fail<DataError>(name_of_data(spec_),
                      fmt::format("labels that are words, as the model's {} and {}", text::quoted(words.front()),
                                  text::quoted(words.back())),
                      "numbers");
    }
  }

  void expect_width(Index features) const {
    require<DataError>(features == map_.features, name_of_data(spec_),
                       fmt::format("the model's {} features", map_.features), std::to_string(features));
  }

  const DataSpec& spec_;
  const FeatureMap& map_;
  const NewRowsOptions& options_;
  const std::function<void(const NewRows&)>& visit_;
};

}  // namespace

void scan_new_rows(const DataSpec& spec, const FeatureMap& map, const NewRowsOptions& options,
                   const std::function<void(const NewRows&)>& visit) {
  NewRowsScan(spec, map, options, visit).scan();
}

}  // namespace slidemesh

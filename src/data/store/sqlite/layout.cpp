#ifdef SLIDEMESH_SQLITE

#include <fmt/format.h>

#include <algorithm>

#include "slidemesh/base/fail.h"
#include "table.h"

namespace slidemesh::sqlite {
namespace {

class Describer {
 public:
  Describer(const Database& database, const SqliteOptions& options)
      : database_(database), options_(options), from_(source()) {
    const Statement all(database_, "SELECT * FROM " + from_ + " LIMIT 0");
    for (int c = 0; c < sqlite3_column_count(all.get()); ++c) {
      columns_.emplace_back(sqlite3_column_name(all.get(), c));
    }
  }

  Layout describe() const {
    Layout layout;
    layout.key = quoted(find(options_.key, "data.key"));
    layout.names = options_.features;
    for (const std::string& column : columns_) {
      if (options_.features.empty() && column != options_.key && column != options_.label &&
          column != options_.indices) {
        layout.names.push_back(column);
      }
    }
    if (layout.names.empty()) {
      slidemesh::fail<DataError>(database_.name(), "columns of features beside key and label", "none");
    }
    layout.select = "SELECT " + layout.key + ", " +
                    (options_.label.empty() ? "0.0" : quoted(find(options_.label, "data.label_column")));
    for (const std::string& name : layout.names) {
      layout.select += ", " + quoted(find(name, "data.features"));
    }
    if (!options_.indices.empty()) {
      layout.select += ", " + quoted(find(options_.indices, "data.indices"));
    }
    layout.select += " FROM " + from_;
    layout.form = form(layout);
    return layout;
  }

 private:
  [[nodiscard]] std::string source() const {
    if (options_.query.empty() == options_.table.empty()) {
      slidemesh::fail<UsageError>("data", "one of data.table and data.query",
                                  options_.table.empty() ? "neither" : "both");
    }
    if (!options_.table.empty()) {
      return quoted(options_.table);
    }
    std::string query = options_.query;
    query.erase(query.find_last_not_of(" ;\n\t") + 1);
    return "(" + query + "\n)";
  }

  [[nodiscard]] const std::string& find(const std::string& name, const char* key) const {
    if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) {
      slidemesh::fail<UsageError>(key, fmt::format("a column of {}", database_.name()), fmt::format("'{}'", name));
    }
    return name;
  }

  [[nodiscard]] Form form(const Layout& layout) const {
    if (!options_.indices.empty()) {
      if (layout.names.size() != 1) {
        slidemesh::fail<UsageError>("data.indices", "an array of column numbers beside one array of values",
                                    fmt::format("'{}'", options_.indices));
      }
      return Form::kSparse;
    }
    const Statement first(database_, layout.select + " LIMIT 1");
    const bool blob = layout.names.size() == 1 && first.step() && sqlite3_column_type(first.get(), 2) == SQLITE_BLOB;
    return blob ? Form::kArray : Form::kColumns;
  }

  const Database& database_;
  const SqliteOptions& options_;
  std::string from_;
  std::vector<std::string> columns_;
};

}  // namespace

Layout layout_of(const Database& database, const SqliteOptions& options) {
  return Describer(database, options).describe();
}

}  // namespace slidemesh::sqlite

#endif  // SLIDEMESH_SQLITE

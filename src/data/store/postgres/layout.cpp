#ifdef SLIDEMESH_POSTGRES

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "slidemesh/base/fail.h"
#include "table.h"

namespace slidemesh::postgres {
namespace {

// Types by their numbers, which are fixed in the server's catalogue.
constexpr std::array<KeyType, 7> kKeys = {{{20, 1016, "int8", false},
                                           {21, 1016, "int8", false},
                                           {23, 1016, "int8", false},
                                           {25, 1009, "text", true},
                                           {1043, 1009, "text", true},  // varchar, which is compared as text
                                           {1042, 1014, "bpchar", true},
                                           {2950, 2951, "uuid", true}}};
constexpr std::array<Oid, 7> kNumbers = {20, 21, 23, 700, 701, 1700, 16};
constexpr std::array<Oid, 6> kArrays = {1005, 1007, 1016, 1021, 1022, 1231};

template <std::size_t N>
bool is_one_of(Oid type, const std::array<Oid, N>& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

struct SourceColumn {
  std::string name;
  Oid type;
};

class Describer {
 public:
  Describer(Connection& connection, const DatabaseOptions& options) : connection_(connection), options_(options) {}

  Layout describe(const std::string& table) {
    Layout layout;
    layout.source = source(table);
    connection_.with_retries([&](PGconn* session) {
      columns_.clear();
      const Result result =
          connection_.execute(session, "SELECT * FROM " + layout.source + " LIMIT 0", PGRES_TUPLES_OK);
      for (int c = 0; c < PQnfields(result.get()); ++c) {
        columns_.push_back({PQfname(result.get(), c), PQftype(result.get(), c)});
      }
    });
    const Oid type = find(options_.key, "data.key").type;
    const auto found = std::find_if(kKeys.begin(), kKeys.end(), [&](const KeyType& k) { return k.type == type; });
    if (found == kKeys.end()) {
      fail("data.key", "a column of integers, text or UUIDs", options_.key);
    }
    layout.key_type = &*found;
    layout.key = connection_.quoted(options_.key);
    layout.key_is_indexed = !table.empty() && is_indexed(layout);
    layout.label = "0";
    if (!options_.label.empty()) {
      find(options_.label, "data.label_column");
      layout.label = connection_.quoted(options_.label);
    }
    settle_features(layout);
    return layout;
  }

 private:
  /// The table or the query, as something to select from.
  std::string source(const std::string& table) {
    require<UsageError>(options_.query.empty() != table.empty(), "data", "one of data.table and data.query",
                        table.empty() ? "neither" : "both");
    if (table.empty()) {
      refuse_nul(options_.query, "data.query");
      std::string query = options_.query;
      query.erase(query.find_last_not_of(" ;\n\t") + 1);
      return "(" + query + "\n) AS slidemesh_rows";
    }
    return connection_.quoted_table(table);
  }

  /// Whether rows of a table can be found by their key without reading others.
  bool is_indexed(const Layout& layout) {
    bool indexed = false;
    connection_.with_retries([&](PGconn* session) {
      const std::string sql =
          "SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] "
          "WHERE i.indrelid = to_regclass(" +
          connection_.literal(layout.source) + ") AND a.attname = " + connection_.literal(options_.key) +
          " AND i.indisvalid AND i.indpred IS NULL";
      indexed = PQntuples(connection_.execute(session, sql, PGRES_TUPLES_OK).get()) > 0;
    });
    return indexed;
  }

  const SourceColumn& find(const std::string& name, const char* key) const {
    const auto found =
        std::find_if(columns_.begin(), columns_.end(), [&](const SourceColumn& c) { return c.name == name; });
    if (found == columns_.end()) {
      fail(key, "a column of " + connection_.what(), name);
    }
    return *found;
  }

  void settle_features(Layout& layout) {
    std::vector<SourceColumn> features;
    for (const std::string& name : options_.features) {
      features.push_back(find(name, "data.features"));
    }
    if (options_.features.empty()) {
      std::copy_if(columns_.begin(), columns_.end(), std::back_inserter(features), [&](const SourceColumn& c) {
        return c.name != options_.key && c.name != options_.label && c.name != options_.indices;
      });
    }
    require<DataError>(!features.empty(), connection_.what(), "columns of features beside key and label", "none");
    const bool array = features.size() == 1 && is_one_of(features.front().type, kArrays);
    layout.form = array ? Layout::Form::kArray : Layout::Form::kColumns;
    if (!options_.indices.empty()) {
      if (!array || !is_one_of(find(options_.indices, "data.indices").type, kArrays)) {
        fail("data.indices", "an array of column numbers beside one array of values", options_.indices);
      }
      layout.form = Layout::Form::kSparse;
      layout.indices = connection_.quoted(options_.indices);
    }
    for (const SourceColumn& column : features) {
      if (!array && !is_one_of(column.type, kNumbers)) {
        fail("data.features", "columns of numbers, or one array of them", column.name);
      }
      if (!array) {
        layout.names.push_back(column.name);
      }
      layout.features.push_back(connection_.quoted(column.name) + (column.type == 16 ? "::int" : ""));
    }
  }

  [[noreturn]] static void fail(const std::string& key, const std::string& expected, const std::string& got) {
    slidemesh::fail<UsageError>(key, expected, fmt::format("'{}'", got));
  }

  Connection& connection_;
  const DatabaseOptions& options_;
  std::vector<SourceColumn> columns_;
};

}  // namespace

std::string Layout::select_rows() const {
  std::string sql = "SELECT " + key + (key_type->is_text ? "::text, " : "::int8, ") + label + "::float8";
  for (const std::string& feature : features) {
    sql += ", " + feature + (form == Form::kColumns ? "::float8" : "::float8[]");
  }
  if (form == Form::kSparse) {
    sql += ", " + indices + "::int4[]";
  }
  return sql + " FROM " + source;
}

int Layout::row_columns() const { return 2 + static_cast<int>(features.size()) + (form == Form::kSparse ? 1 : 0); }

std::string Layout::select_index(Index max_rows) const {
  std::string nonzeros;
  std::string width;
  if (form == Form::kColumns) {
    for (const std::string& feature : features) {
      nonzeros += (nonzeros.empty() ? "(" : " + (") + feature + " <> 0)::int";
    }
    width = std::to_string(features.size());
  } else {
    nonzeros = "(SELECT count(*) FROM unnest(" + features.front() + ") AS v WHERE v <> 0)";
    width = form == Form::kArray ? "cardinality(" + features.front() + ")"
                                 : "coalesce((SELECT max(i) FROM unnest(" + indices + ") AS i), 0)";
  }
  return "SELECT " + key + (key_type->is_text ? "::text, " : "::int8, ") + label + "::float8, (" + nonzeros +
         ")::int8, (" + width + ")::int8 FROM " + source + " ORDER BY " + key +
         (max_rows > 0 ? " LIMIT " + std::to_string(max_rows) : "");
}

Layout describe(Connection& connection, const DatabaseOptions& options, const std::string& table) {
  return Describer(connection, options).describe(table);
}

}  // namespace slidemesh::postgres

#endif  // SLIDEMESH_POSTGRES

#pragma once

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "../table_store.h"
#include "handles.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/data/store/sqlite.h"

namespace slidemesh::sqlite {

static_assert(std::endian::native == std::endian::little, "blobs hold numbers of the least byte first");

enum class Form { kColumns, kArray, kSparse };

/// What is selected of every row: key, label, then features (and indices).
struct Layout {
  Form form = Form::kColumns;
  std::string select;  ///< SELECT ... FROM ...
  std::string key;     ///< quoted
  std::vector<std::string> names;
};

/// The row at which a statement stands.
class RowDecoder {
 public:
  RowDecoder(Form form, Index features, std::string name) : form_(form), features_(features), name_(std::move(name)) {}

  [[nodiscard]] RowKey key(const Statement& row) const {
    const int type = sqlite3_column_type(row.get(), 0);
    if (type == SQLITE_INTEGER) {
      return sqlite3_column_int64(row.get(), 0);
    }
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row.get(), 0));
    std::string key(text == nullptr ? "" : text, static_cast<std::size_t>(sqlite3_column_bytes(row.get(), 0)));
    require<DataError>(type == SQLITE_TEXT && is_utf8(key), name_, "an integer or text as key in every row",
                       type == SQLITE_NULL    ? "NULL"
                       : type == SQLITE_FLOAT ? "a number with a fraction"
                                              : "bytes");
    return key;
  }
  [[nodiscard]] double label(const Statement& row) const { return number(row, 1, sqlite3_column_name(row.get(), 1)); }
  /// How wide the row says it is.
  [[nodiscard]] Index width(const Statement& row) const {
    if (form_ == Form::kColumns) {
      return sqlite3_column_count(row.get()) - 2;
    }
    if (form_ == Form::kArray) {
      return count_in(row, 2, sizeof(double));
    }
    const Index count = count_in(row, 3, sizeof(std::int32_t));
    std::int32_t last = 0;
    if (count > 0) {
      std::memcpy(&last, bytes(row, 3) + sizeof last * static_cast<std::size_t>(count - 1), sizeof last);
    }
    return last;
  }

  /// Appends its features to `rows`, dense or sparse. Gives its fingerprint, never 0.
  std::uint64_t read(const Statement& row, bool dense, Rows& rows) const {
    NewRow out(rows, dense, label(row));
    if (form_ == Form::kColumns) {
      for (int c = 2; c < sqlite3_column_count(row.get()); ++c) {
        out.put(c - 2, number(row, c, sqlite3_column_name(row.get(), c)));
      }
    } else {
      read_arrays(row, out);
    }
    return out.finish();
  }

 private:
  void read_arrays(const Statement& row, NewRow& out) const {
    const Index count = count_in(row, 2, sizeof(double));
    if (form_ == Form::kArray ? features_ > 0 && count != features_ : count != count_in(row, 3, sizeof(std::int32_t))) {
      fail(row,
           form_ == Form::kArray ? "an array of " + std::to_string(features_) + " numbers"
                                 : "as many column numbers as values",
           std::to_string(count));
    }
    Index previous = 0;
    for (Index k = 0; k < count; ++k) {
      double value = 0.0;
      std::memcpy(&value, bytes(row, 2) + sizeof value * static_cast<std::size_t>(k), sizeof value);
      auto column = static_cast<std::int32_t>(k + 1);
      if (form_ == Form::kSparse) {
        std::memcpy(&column, bytes(row, 3) + sizeof column * static_cast<std::size_t>(k), sizeof column);
      }
      if (column <= previous || (features_ > 0 && column > features_)) {
        fail(row, "column numbers that ascend from 1", std::to_string(column));
      }
      if (!std::isfinite(value)) {
        fail(row, "a finite number in feature " + std::to_string(column), "another");
      }
      previous = column;
      out.put(column - 1, value);
    }
  }

  static const char* bytes(const Statement& row, int column) {
    return static_cast<const char*>(sqlite3_column_blob(row.get(), column));
  }

  [[nodiscard]] Index count_in(const Statement& row, int column, std::size_t element) const {
    const int size = sqlite3_column_bytes(row.get(), column);
    if (sqlite3_column_type(row.get(), column) != SQLITE_BLOB || size % static_cast<int>(element) != 0) {
      fail(row, "a blob of numbers of " + std::to_string(element) + " bytes", "another");
    }
    return size / static_cast<int>(element);
  }

  [[nodiscard]] double number(const Statement& row, int column, const std::string& what) const {
    const int type = sqlite3_column_type(row.get(), column);
    const double value = sqlite3_column_double(row.get(), column);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !std::isfinite(value)) {
      fail(row, "a finite number in column '" + what + "'",
           type == SQLITE_NULL   ? "NULL"
           : type == SQLITE_TEXT ? "text"
                                 : "another");
    }
    return value;
  }

  [[noreturn]] void fail(const Statement& row, const std::string& expected, const std::string& got) const {
    slidemesh::fail<DataError>(fmt::format("{}: row with key {}", name_, shown(key(row))), expected, got);
  }

  Form form_;
  Index features_;  ///< 0: as yet unknown
  std::string name_;
};

}  // namespace slidemesh::sqlite

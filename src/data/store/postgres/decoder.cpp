#ifdef SLIDEMESH_POSTGRES

#include <fmt/format.h>

#include <cmath>

#include "../../row_views.h"
#include "slidemesh/base/fail.h"
#include "table.h"

namespace slidemesh::postgres {
namespace {

constexpr int kArrayHeader = 20;  // dimensions, flags, element type, size, lower bound

}  // namespace

RowKey read_key(const Field& field, bool is_text) {
  return is_text ? RowKey(std::string(field.data, static_cast<std::size_t>(field.length)))
                 : RowKey(read_int64(field.data));
}

void Decoder::start(Rows& rows) const { clear_rows(rows, features_, !dense_); }

std::uint64_t Decoder::append(std::span<const Field> fields, Rows& rows) const {
  const Field& key = fields[0];
  if (fields[1].length != 8) {
    fail(key, "a label", "NULL");
  }
  NewRow row(rows, dense_, read_double(fields[1].data));
  switch (form_) {
    case Layout::Form::kColumns:
      append_columns(fields.subspan(2), key, row);
      break;
    case Layout::Form::kArray:
      append_array(fields[2], key, row);
      break;
    case Layout::Form::kSparse:
      append_sparse(fields[2], fields[3], key, row);
      break;
  }
  return row.finish();
}

void Decoder::append_columns(std::span<const Field> fields, const Field& key, NewRow& row) const {
  for (std::size_t j = 0; j < fields.size(); ++j) {
    if (fields[j].length != 8) {
      fail(key, "a number in feature " + std::to_string(j + 1), "NULL");
    }
    row.put(static_cast<Index>(j), finite(fields[j].data, key, static_cast<Index>(j)));
  }
}

void Decoder::append_array(const Field& values, const Field& key, NewRow& row) const {
  const Index size = array_size(values, key, 8);
  if (size != features_) {
    fail(key, "an array of " + std::to_string(features_) + " numbers", std::to_string(size));
  }
  for (Index j = 0; j < size; ++j) {
    row.put(j, finite(values.data + kArrayHeader + 12 * j + 4, key, j));
  }
}

void Decoder::append_sparse(const Field& values, const Field& indices, const Field& key, NewRow& row) const {
  const Index size = array_size(values, key, 8);
  if (array_size(indices, key, 4) != size) {
    fail(key, "as many column numbers as values", "another number of them");
  }
  Index previous = 0;
  for (Index k = 0; k < size; ++k) {
    const Index column = read_int32(indices.data + kArrayHeader + 8 * k + 4);
    if (column <= previous || column > features_) {
      fail(key, "column numbers that ascend from 1 to " + std::to_string(features_), std::to_string(column));
    }
    previous = column;
    row.put(column - 1, finite(values.data + kArrayHeader + 12 * k + 4, key, column - 1));
  }
}

/// The number of elements of a one-dimensional array without NULLs.
Index Decoder::array_size(const Field& field, const Field& key, int element_bytes) const {
  if (field.length < 12) {
    fail(key, "an array", "NULL");
  }
  const std::int32_t dimensions = read_int32(field.data);
  if (dimensions == 0) {
    return 0;
  }
  if (dimensions != 1 || field.length < kArrayHeader || read_int32(field.data + 4) != 0) {
    fail(key, "an array of one dimension and without NULL", "another");
  }
  const Index size = read_int32(field.data + 12);
  if (field.length != kArrayHeader + (4 + element_bytes) * size) {
    fail(key, "an array of numbers", "another");
  }
  return size;
}

double Decoder::finite(const char* data, const Field& key, Index column) const {
  const double value = read_double(data);
  if (!std::isfinite(value)) {
    fail(key, "a finite number in feature " + std::to_string(column + 1), std::isnan(value) ? "NaN" : "infinity");
  }
  return value;
}

void Decoder::fail(const Field& key, const std::string& expected, const std::string& got) const {
  slidemesh::fail<DataError>(fmt::format("{}: row with key {}", what_, shown(read_key(key, text_keys_))), expected,
                             got);
}

}  // namespace slidemesh::postgres

#endif  // SLIDEMESH_POSTGRES

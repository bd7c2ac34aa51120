#pragma once

#include <cstdint>
#include <string_view>

#include "slidemesh/core/rows.h"

namespace slidemesh {

/// What a generated table is for.
enum class SyntheticKind {
  kClassification,  ///< windows of one signal, labels -1 and +1: the shape of ijcnn1
  kRegression,      ///< real labels from a sparse linear model
  kMulticlass,      ///< labels 0 .. classes - 1 from a linear model with a column for each class
  kMatrix,          ///< observed entries of a low-rank matrix
};

[[nodiscard]] SyntheticKind parse_synthetic_kind(std::string_view name);
[[nodiscard]] std::string_view to_string(SyntheticKind kind);

struct SyntheticOptions {
  SyntheticKind kind = SyntheticKind::kClassification;
  Index rows = 0;       ///< for a matrix: the entries that are observed; 0: 20,000, or two fifths of the matrix
  Index features = 22;  ///< not for a matrix
  std::uint64_t seed = 1;
  double noise = 0.5;  ///< of the labels, in units of the deviation of what they follow
  /// How much the rows change from the first to the last, in units of their own spread. A contiguous
  /// split then gives nodes different data. 0: rows that are all alike in law.
  double heterogeneity = 1.0;
  double positive = 0.097;  ///< classification: the share of +1
  Index classes = 5;        ///< multiclass
  Index matrix_rows = 50;   ///< matrix
  Index matrix_columns = 40;
  Index rank = 3;
};

/// The same table for the same options, bit for bit and on every machine: the numbers come from
/// core/random.h and take nothing but arithmetic and square roots, which IEEE 754 rounds in one way.
///
/// An entry (i, j) of a matrix is a row with a single 1 in column i + j * matrix_rows, its label the
/// entry with noise: <a, x> is then entry (i, j) of the unknown matrix, stored by columns.
[[nodiscard]] Rows make_synthetic(const SyntheticOptions& options);

}  // namespace slidemesh

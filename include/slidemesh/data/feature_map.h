#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/loss.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/data/preparation.h"

namespace slidemesh {

/// What a file calls a class, and what the losses call it. Part of a model: without it, predictions
/// cannot be said in the words of the data.
struct LabelMap {
  LabelKind kind = LabelKind::kReal;
  /// The labels as the file has them, ascending. Binary: values[0] is -1 and values[1] is +1, so that
  /// {-1, +1}, {0, 1} and {1, 2} all keep their order; classes: values[c] is class c. Real: empty.
  std::vector<double> values;

  [[nodiscard]] Index classes() const { return static_cast<Index>(values.size()); }
  /// Replaces the labels of a file by those of the losses. A label that the map has not is a
  /// DataError; `where` names the data in it.
  void apply(std::span<double> labels, const std::string& where) const;
};

/// How many different labels may be taken for classes. A column of measurements taken for them by mistake should be
/// told so, not trained on.
inline constexpr std::size_t kMostClasses = 65'536;
[[nodiscard]] std::size_t most_classes(LabelKind kind);

/// The map that fits these labels. Binary wants exactly two values; classes want at least two and
/// integers; real takes any but words. `words` are what the data calls the labels 0, 1, ..., where it has words.
[[nodiscard]] LabelMap make_label_map(std::span<const double> labels, LabelKind kind, const std::string& where,
                                      std::span<const std::string> words = {});

/// Whether such words are true and false alone, which are 1 and 0 as well.
[[nodiscard]] bool are_truth_values(std::span<const std::string> words);

/// Both: makes the map of a table and applies it. `classes` becomes the number of classes (2 for
/// binary, 0 for real).
LabelMap prepare_labels(Rows& rows, LabelKind kind, Index& classes, const std::string& where);

/// How one column of a table becomes features of a row.
struct FeatureColumn {
  std::string name;
  std::vector<std::string> words = {};  ///< a feature of 0 or 1 for each, in order of their bytes; empty: a number
  /// What stands for a missing number; where there are words, that a missing one is none of them. Absent: refused.
  std::optional<double> missing = {};

  [[nodiscard]] Index features() const { return words.empty() ? 1 : static_cast<Index>(words.size()); }
  friend bool operator==(const FeatureColumn&, const FeatureColumn&) = default;
};

/// Of the features that columns become: "age", "colour=red".
[[nodiscard]] std::vector<std::string> feature_names(std::span<const FeatureColumn> columns);

/// What entries of a matrix are called by the data that they are from.
struct MatrixNames {
  std::string row;  ///< the data's column that says in which row of the matrix an entry is
  std::string column;
  std::vector<std::string> row_names = {};  ///< in order of their bytes; empty: rows are numbered from 0
  std::vector<std::string> column_names = {};

  friend bool operator==(const MatrixNames&, const MatrixNames&) = default;
};

/// From the fields of a row to the numbers that a model multiplies, and from a loss's label to the data's: what a model
/// needs beside its coefficients in order to be used on new rows.
struct FeatureMap {
  std::vector<FeatureColumn> columns = {};  ///< where the data has names; else features are known by number
  Index features = 0;                       ///< before preparation
  std::string label = {};                   ///< the name of its column, if it has one
  std::vector<std::string> label_words =
      {};  ///< where labels are words: the word that LabelMap::values calls 0, 1, ...
  LabelMap labels = {};
  Preparation preparation = {};
  std::optional<MatrixNames> matrix = {};  ///< where rows are entries of a matrix that were read from a file

  [[nodiscard]] Index prepared_features() const { return preparation.features(features); }
  /// One for each prepared feature: "age", "colour=red", "intercept"; "1", "2", ... where the data has no names.
  [[nodiscard]] std::vector<std::string> feature_names() const;
  /// What the data calls class `c` of the losses (0, 1, ...; for binary labels 0 is -1): a word or a number.
  [[nodiscard]] std::string class_name(Index c) const;
};

}  // namespace slidemesh

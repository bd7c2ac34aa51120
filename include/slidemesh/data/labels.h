#pragma once

#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/loss.h"
#include "slidemesh/core/rows.h"

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
[[nodiscard]] std::size_t most_classes(LabelKind kind);

/// The map that fits these labels. Binary wants exactly two values; classes want at least two and
/// integers; real takes any.
[[nodiscard]] LabelMap make_label_map(std::span<const double> labels, LabelKind kind, const std::string& where);

/// Both: makes the map of a table and applies it. `classes` becomes the number of classes (2 for
/// binary, 0 for real).
LabelMap prepare_labels(Rows& rows, LabelKind kind, Index& classes, const std::string& where);

}  // namespace slidemesh

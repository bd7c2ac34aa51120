#include "slidemesh/data/feature_map.h"

#include "slidemesh/base/text.h"

namespace slidemesh {

std::vector<std::string> feature_names(std::span<const FeatureColumn> columns) {
  std::vector<std::string> names;
  for (const FeatureColumn& column : columns) {
    if (column.words.empty()) {
      names.push_back(column.name);
    }
    for (const std::string& word : column.words) {
      names.push_back(column.name + "=" + word);
    }
  }
  return names;
}

std::vector<std::string> FeatureMap::feature_names() const {
  std::vector<std::string> names = slidemesh::feature_names(columns);
  for (Index j = 1; columns.empty() && j <= features; ++j) {
    names.push_back(std::to_string(j));
  }
  if (preparation.options.intercept) {
    names.emplace_back("intercept");
  }
  return names;
}

std::string FeatureMap::class_name(Index c) const {
  const double value = labels.values[static_cast<std::size_t>(c)];
  const auto word = static_cast<std::size_t>(value);
  return label_words.empty() || word >= label_words.size() ? text::shortest(value) : label_words[word];
}

}  // namespace slidemesh

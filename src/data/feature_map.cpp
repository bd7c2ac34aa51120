#include "slidemesh/data/feature_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/fields.h"
#include "slidemesh/base/fail.h"
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

std::vector<std::size_t> FeatureMap::find_columns(std::span<const std::string> header, const std::string& where) const {
  std::vector<std::size_t> places;
  for (const FeatureColumn& column : columns) {
    const auto found = std::find(header.begin(), header.end(), column.name);
    if (found == header.end()) {
      fail<DataError>(where, fmt::format("a column called {}", text::quoted(column.name)), "none");
    }
    places.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  return places;
}

void FeatureMap::prepare(std::span<const std::string_view> fields, const std::string& where,
                         std::span<double> prepared) const {
  std::fill(prepared.begin(), prepared.end(), 0.0);
  std::size_t first = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const FeatureColumn& column = columns[c];
    if (std::optional<std::size_t> word; column.words.empty()) {
      if (!read_number(fields[c], column, prepared[first])) {
        fail_number(fields[c], column.name, where);
      }
    } else if (!read_word(fields[c], column, word)) {
      fail_word(fields[c], column.name, where);
    } else if (word) {
      prepared[first + *word] = 1.0;
    }
    first += static_cast<std::size_t>(column.features());
  }
  prepare_features(prepared, preparation);
}

void FeatureMap::prepare(std::span<const double> numbers, std::span<double> prepared) const {
  std::copy(numbers.begin(), numbers.end(), prepared.begin());
  prepare_features(prepared, preparation);
}

std::string FeatureMap::class_name(Index c) const {
  const double value = labels.values[static_cast<std::size_t>(c)];
  const auto word = static_cast<std::size_t>(value);
  return label_words.empty() || word >= label_words.size() ? text::shortest(value) : label_words[word];
}

}  // namespace slidemesh

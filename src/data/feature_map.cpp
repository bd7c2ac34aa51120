#include "slidemesh/data/feature_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

namespace {

constexpr std::size_t kShown = 4;  ///< labels in a message

/// A label as the data has it.
std::string spelled(double label, std::span<const std::string> words) {
  return words.empty() ? text::shortest(label) : text::quoted(words[static_cast<std::size_t>(label)]);
}

template <class Values, class Spell>
std::string first_of(const Values& values, const Spell& spell) {
  const std::span shown(values.data(), std::min(values.size(), kShown));
  return text::joined(shown, ", ", spell) + (values.size() > kShown ? ", ..." : "");
}

std::vector<double> distinct(std::span<const double> labels, std::size_t most, const std::string& where,
                             std::span<const std::string> words, const std::string& expected, const char* hint = "") {
  std::set<double> values;
  for (const double label : labels) {
    values.insert(label);
    if (values.size() > most) {
      const auto in_data = [words](double value) { return spelled(value, words); };
      fail<DataError>(where, expected,
                      fmt::format("{} or more: {}{}", values.size(),
                                  first_of(std::vector(values.begin(), values.end()), in_data), hint));
    }
  }
  return {values.begin(), values.end()};
}

}  // namespace

std::size_t most_classes(LabelKind kind) { return kind == LabelKind::kBinary ? 2 : kMostClasses; }

bool are_truth_values(std::span<const std::string> words) {
  constexpr std::array<std::string_view, 2> kTruth = {"false", "true"};
  return std::equal(words.begin(), words.end(), kTruth.begin(), kTruth.end());
}

LabelMap make_label_map(std::span<const double> labels, LabelKind kind, const std::string& where,
                        std::span<const std::string> words) {
  LabelMap map{kind, {}};
  if (kind == LabelKind::kReal) {
    if (!words.empty() && !are_truth_values(words)) {
      fail<DataError>(where, "labels that are numbers",
                      fmt::format("words: {} (problem.loss = \"{}\" takes them)",
                                  first_of(words, [](const std::string& word) { return text::quoted(word); }),
                                  (words.size() == 2 ? "logistic" : "softmax")));
    }
    return map;
  }
  if (kind == LabelKind::kClass) {
    for (const double label : labels) {
      if (label != std::floor(label)) {
        fail<DataError>(where, "integers as labels of classes", text::shortest(label));
      }
    }
    map.values = distinct(labels, most_classes(kind), where, words,
                          "at most " + std::to_string(most_classes(kind)) + " classes");
  } else {
    map.values =
        distinct(labels, most_classes(kind), where, words, "labels of two values",
                 words.empty() ? " (problem.loss = \"softmax\" takes more classes, \"least-squares\" takes numbers)"
                               : " (problem.loss = \"softmax\" takes more classes)");
  }
  require<DataError>(map.values.size() >= 2, where, "labels of two values at least",
                     map.values.empty() ? "none" : spelled(map.values.front(), words) + " alone");
  return map;
}

void LabelMap::apply(std::span<double> labels, const std::string& where) const {
  if (kind == LabelKind::kReal) {
    return;
  }
  for (double& label : labels) {
    const auto place = std::lower_bound(values.begin(), values.end(), label);
    if (place == values.end() || *place != label) {
      fail<DataError>(where, "a label that the model knows", text::shortest(label));
    }
    const auto number = static_cast<double>(place - values.begin());
    label = kind == LabelKind::kBinary ? 2.0 * number - 1.0 : number;
  }
}

LabelMap prepare_labels(Rows& rows, LabelKind kind, Index& classes, const std::string& where) {
  LabelMap map = make_label_map(rows.labels, kind, where);
  map.apply(rows.labels, where);
  classes = map.classes();
  return map;
}

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

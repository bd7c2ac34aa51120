#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "slidemesh/base/config_table.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {

/// The values of an enumeration, and the word that configs and files have for each.
template <class Value, std::size_t kCount>
using Words = std::array<std::pair<Value, std::string_view>, kCount>;

/// The word for a value, which has one.
template <class Value, std::size_t kCount>
[[nodiscard]] std::string_view word_for(const Words<Value, kCount>& words, Value value) {
  return std::find_if(words.begin(), words.end(), [&](const auto& entry) { return entry.first == value; })->second;
}

/// The value that has this word; a UsageError that names `key` where none has.
template <class Value, std::size_t kCount>
[[nodiscard]] Value value_for(const Words<Value, kCount>& words, std::string_view word, std::string_view key) {
  std::vector<std::string> known;
  for (const auto& [value, its_word] : words) {
    if (its_word == word) {
      return value;
    }
    known.emplace_back(its_word);
  }
  fail<UsageError>(key, alternatives(known), std::string("'").append(word).append("'"));
}

}  // namespace slidemesh

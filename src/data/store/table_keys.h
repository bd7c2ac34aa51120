#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/base/text.h"
#include "slidemesh/data/row_key.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// In a message: text in quotes, and without bytes that a terminal would obey.
[[nodiscard]] inline std::string shown(const RowKey& key) {
  return std::holds_alternative<std::string>(key) ? text::quoted(std::get<std::string>(key)) : to_text(key);
}

/// The keys of a database's table in its own order: all numbers, which ascend, or all text, in whatever order the
/// database sorts it. None is there twice.
class TableKeys {
 public:
  void clear() { *this = {}; }
  [[nodiscard]] Index size() const { return static_cast<Index>(numbers_.empty() ? texts_.size() : numbers_.size()); }
  [[nodiscard]] bool are_text() const { return !texts_.empty(); }
  [[nodiscard]] RowKey at(Index row) const {
    const auto place = static_cast<std::size_t>(row);
    return are_text() ? RowKey(texts_[place]) : RowKey(numbers_[place]);
  }
  [[nodiscard]] std::int64_t number(Index row) const { return numbers_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const std::string& text(Index row) const { return texts_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] bool is(Index row, const RowKey& key) const {
    const auto* number = std::get_if<std::int64_t>(&key);
    return number != nullptr ? !are_text() && numbers_[static_cast<std::size_t>(row)] == *number
                             : are_text() && texts_[static_cast<std::size_t>(row)] == std::get<std::string>(key);
  }

  /// Of the same kind as those before it.
  void push(RowKey key) {
    if (auto* number = std::get_if<std::int64_t>(&key)) {
      numbers_.push_back(*number);
    } else {
      texts_.push_back(std::move(std::get<std::string>(key)));
    }
  }

  /// When all are there: text is looked up in the order of its bytes.
  void finish() {
    by_bytes_.resize(texts_.size());
    std::iota(by_bytes_.begin(), by_bytes_.end(), Index{0});
    std::sort(by_bytes_.begin(), by_bytes_.end(), [this](Index a, Index b) { return text(a) < text(b); });
  }

  [[nodiscard]] std::optional<Index> find(const RowKey& key) const {
    if (const auto* number = std::get_if<std::int64_t>(&key)) {
      const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), *number);
      return found != numbers_.end() && *found == *number ? std::optional<Index>(found - numbers_.begin())
                                                          : std::nullopt;
    }
    const auto& wanted = std::get<std::string>(key);
    const auto found = std::lower_bound(by_bytes_.begin(), by_bytes_.end(), wanted,
                                        [this](Index row, const std::string& other) { return text(row) < other; });
    return found != by_bytes_.end() && text(*found) == wanted ? std::optional(*found) : std::nullopt;
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::vector<std::string> texts_;
  std::vector<Index> by_bytes_;  ///< rows
};

}  // namespace slidemesh

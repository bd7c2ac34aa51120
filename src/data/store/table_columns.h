#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "slidemesh/data/store/streamed.h"

namespace slidemesh {

inline constexpr Index kMostTableColumns = 1000;

/// The columns that a database's table for these rows has beside id and label: the features by their names, or f1, f2,
/// ... where names are none or would not do; one array where rows are wider than a table may be; two where they are
/// sparse.
inline std::vector<std::string> table_columns(const StoredRows& rows, std::vector<std::string> names) {
  constexpr std::size_t kLongestName = 63;
  if (rows.is_sparse()) {
    return {"indices", "features"};
  }
  if (rows.features() > kMostTableColumns) {
    return {"features"};
  }
  std::set<std::string> taken = {"id", "label"};
  const bool usable = static_cast<Index>(names.size()) == rows.features() &&
                      std::all_of(names.begin(), names.end(), [&](std::string name) {
                        const bool fits = !name.empty() && name.size() <= kLongestName;
                        std::transform(name.begin(), name.end(), name.begin(),
                                       [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
                        return fits && taken.insert(name).second;
                      });
  if (!usable) {
    names.clear();
    for (Index j = 1; j <= rows.features(); ++j) {
      names.push_back(std::string("f").append(std::to_string(j)));
    }
  }
  return names;
}

}  // namespace slidemesh

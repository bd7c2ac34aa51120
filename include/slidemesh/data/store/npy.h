#pragma once

#include <filesystem>
#include <memory>

#include "slidemesh/data/store/row_store.h"

namespace slidemesh {

/// NumPy's files: one array each. Rows stay on disk and are mapped into memory, so that the system holds as much of
/// them as it has room for.
struct NpyOptions {
  std::filesystem::path path = {};    ///< rows: two dimensions, of doubles or floats, row after row ("C order")
  std::filesystem::path labels = {};  ///< as many numbers of any kind; empty: none, and labels are 0
  Index max_rows = 0;                 ///< the first so many; 0: all
};

/// Rows are dense whatever is in them. Anything malformed is a DataError, a number that is not finite among it; that is
/// looked for in the first pass, and in what is fetched before.
[[nodiscard]] std::shared_ptr<RowStore> open_npy(const NpyOptions& options);

}  // namespace slidemesh

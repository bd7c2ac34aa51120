#pragma once

#include <functional>
#include <string>
#include <vector>

#include "slidemesh/data/dataset.h"
#include "slidemesh/data/feature_map.h"

namespace slidemesh {

/// Some rows that a model is used on.
struct NewRows {
  RowBlock rows;                 ///< prepared as the model's own rows were; labels as its loss has them, 0 without any
  Index first = 0;               ///< the number of the first of them, from 0
  std::vector<std::string> ids;  ///< what the data calls them: keys of a database, a column `id`; empty: nothing
};

struct NewRowsOptions {
  bool labels = false;    ///< whether labels are wanted; without them, data may have none
  Index matrix_rows = 0;  ///< of the matrix that the model completes, if it does
  Index matrix_columns = 0;
};

/// Shows rows of new data once, in order, some at a time. Columns that have names are found by their name, wherever
/// they are; others by their place. A column that is missing, a word or a label that the model does not know, and
/// another number of features are a DataError that names them. Files of rows and databases are not held in memory.
void scan_new_rows(const DataSpec& spec, const FeatureMap& map, const NewRowsOptions& options,
                   const std::function<void(const NewRows&)>& visit);

}  // namespace slidemesh

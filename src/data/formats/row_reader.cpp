#include "slidemesh/data/formats/row_reader.h"

#include <limits>

#include "slidemesh/base/errors.h"

namespace slidemesh {

Rows read_all(RowReader& reader, Index max_rows) {
  Rows rows;
  rows.offsets.push_back(0);
  reader.read(max_rows > 0 ? max_rows : std::numeric_limits<Index>::max(), rows);
  if (rows.count() == 0) {
    throw DataError(reader.name() + ": expected rows, got none");
  }
  rows.features = reader.features();
  if (rows.features == 0) {
    throw DataError(reader.name() + ": expected a feature in some row, got labels alone");
  }
  return rows;
}

}  // namespace slidemesh

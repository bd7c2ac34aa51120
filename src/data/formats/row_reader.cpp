#include "slidemesh/data/formats/row_reader.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "slidemesh/base/fail.h"

namespace slidemesh {

void read_into_memory(RowReader& reader, Index most, Rows& rows) {
  try {
    reader.read(most, rows);
  } catch (const std::bad_alloc&) {
    const Index fitted = rows.count();
    rows = {};  // the message wants memory too
    throw DataError(reader.name() + ": out of memory after " + std::to_string(fitted) +
                    " rows; data.rows = \"streamed\" keeps them on disk, data.rows = " +
                    std::to_string(std::max<Index>(fitted / 2, 1)) + " takes the first so many");
  }
}

Rows read_all(RowReader& reader, Index max_rows) {
  Rows rows;
  rows.offsets.push_back(0);
  read_into_memory(reader, max_rows > 0 ? max_rows : std::numeric_limits<Index>::max(), rows);
  require<DataError>(rows.count() > 0, reader.name(), "rows", "none");
  rows.features = reader.features();
  require<DataError>(rows.features > 0, reader.name(), "a feature in some row", "labels alone");
  return rows;
}

}  // namespace slidemesh

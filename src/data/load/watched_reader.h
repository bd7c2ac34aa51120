#pragma once

#include <functional>
#include <memory>

#include "slidemesh/data/formats/row_reader.h"

namespace slidemesh {

/// A reader that tells how many rows it has read, and ends with a StoppedError where the work under way is to be left
/// (base/interruption.h): a large file takes minutes, and limits and signals hold for them too.
[[nodiscard]] std::unique_ptr<RowReader> watched_reader(std::unique_ptr<RowReader> reader,
                                                        std::function<void(Count rows)> on_rows);

}  // namespace slidemesh

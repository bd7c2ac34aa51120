#pragma once

#include <functional>
#include <memory>

#include "csv_layout.h"

namespace slidemesh {

/// Opens the bytes of a file from its first.
using OpenCsvBytes = std::function<std::unique_ptr<ByteStream>()>;

/// Passes over the rows of a file whose layout is known.
[[nodiscard]] CsvSurvey survey_rows(const OpenCsvBytes& open, const std::string& name, const CsvLayout& layout,
                                    const CsvOptions& options);

}  // namespace slidemesh

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "slidemesh/data/formats/decompress.h"
#include "slidemesh/data/formats/row_reader.h"

namespace slidemesh {

/// A LIBSVM file has one row a line: `label index:value index:value ...`, indices from 1 and
/// ascending, what is not named is zero. Blank lines, and everything behind a `#`, do not count. A
/// row of a label alone is a row of zeros.
struct LibsvmOptions {
  Index max_rows = 0;                   ///< read so many rows and no further; 0: all
  Index features = 0;                   ///< columns; a larger index is an error; 0: the largest index in the file
  std::optional<ByteRange> range = {};  ///< these bytes of a plain file alone
};

/// The rows of a file, plain or packed with gzip, bzip2, xz or zstd, sparse and with its labels as
/// they are written. Anything malformed is a DataError that names file and line.
[[nodiscard]] Rows read_libsvm(const std::filesystem::path& path, const LibsvmOptions& options = {});

/// The same from memory; `name` stands for the file in messages.
[[nodiscard]] Rows parse_libsvm(std::string_view text, const std::string& name, const LibsvmOptions& options = {});

/// The same a few rows at a time, for files that do not fit.
[[nodiscard]] std::unique_ptr<RowReader> open_libsvm(const std::filesystem::path& path,
                                                     const LibsvmOptions& options = {});

}  // namespace slidemesh

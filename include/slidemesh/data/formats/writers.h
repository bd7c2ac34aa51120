#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/partition.h"

namespace slidemesh {

/// Tables as text. Numbers are the shortest decimals that read back as the same doubles, so a table
/// that is written and read again is the same to the last bit.
void write_libsvm(std::ostream& out, const Rows& rows);
/// With a header: label, f1, f2, ...
void write_csv(std::ostream& out, const Rows& rows);
/// Coordinates, the label in column 1.
void write_matrix_market(std::ostream& out, const Rows& rows);

/// `slidemesh data split`: a LIBSVM file for each node of the partition, named part-0.svm and so on,
/// in a directory that is made if need be. An existing part is a UsageError unless `replace`.
/// Gives back the files.
std::vector<std::filesystem::path> write_parts(const Rows& rows, const Partition& partition,
                                               const std::filesystem::path& directory, bool replace = false);

}  // namespace slidemesh

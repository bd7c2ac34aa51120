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
/// What a table calls its columns and, where labels are words, its classes 0, 1, ...
struct TableNames {
  std::string label = "label";
  std::vector<std::string> features = {};  ///< empty: f1, f2, ...
  std::vector<std::string> label_words = {};
};
/// A field of a CSV file: in quotes where it must be (RFC 4180).
[[nodiscard]] std::string csv_field(const std::string& text);
/// With a header.
void write_csv(std::ostream& out, const Rows& rows);
void write_csv(std::ostream& out, const Rows& rows, const TableNames& names);
/// Coordinates, the label in column 1.
void write_matrix_market(std::ostream& out, const Rows& rows);

/// `slidemesh data split`: a file for each node of the partition in a directory that is made if need be: CSV where
/// columns have names, part-0.csv and so on; else LIBSVM, part-0.svm. An existing part is a UsageError unless
/// `replace`. Gives back the files.
std::vector<std::filesystem::path> write_parts(const Rows& rows, const Partition& partition,
                                               const std::filesystem::path& directory, bool replace = false,
                                               const TableNames& names = {});

}  // namespace slidemesh

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "slidemesh/data/formats/csv_glance.h"

namespace slidemesh::app {

/// Prints what is in every column of a CSV file, and lines of a config that would read it; none where there is no such
/// file.
std::optional<CsvProposal> print_glance(const std::filesystem::path& path, char delimiter, const std::string& label);

}  // namespace slidemesh::app

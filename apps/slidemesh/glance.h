#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "slidemesh/data/formats/csv_glance.h"

namespace slidemesh::app {

/// Prints what is in every column of a CSV file, and lines of a config that would read it. Nothing where there is no
/// such file, or no row and feature in it.
std::optional<CsvProposal> print_glance(const std::filesystem::path& path, char delimiter, const std::string& label);

}  // namespace slidemesh::app

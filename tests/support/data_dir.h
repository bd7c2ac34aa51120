#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace slidemesh::testing {

/// A file of the real data that the project may use but not ship: in $SLIDEMESH_DATA_DIR, else in
/// shared/data beside or above the source tree. Tests that want one skip where there is none.
inline std::optional<std::filesystem::path> data_file(const std::string& name) {
  namespace fs = std::filesystem;
  if (const char* directory = std::getenv("SLIDEMESH_DATA_DIR"); directory != nullptr && *directory != '\0') {
    const fs::path file = fs::path(directory) / name;
    return fs::exists(file) ? std::optional(file) : std::nullopt;
  }
  for (fs::path at = fs::path(SLIDEMESH_SOURCE_DIR).parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (const fs::path file = at / "shared" / "data" / name; fs::exists(file)) {
      return file;
    }
  }
  return std::nullopt;
}

}  // namespace slidemesh::testing

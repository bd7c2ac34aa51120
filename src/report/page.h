#pragma once

#include <string_view>

/// The parts of the page, put into the library when it is built (embed_page.cmake). A hash is what a
/// Content-Security-Policy wants to see of a script or a style that may run.
namespace slidemesh::page {

extern const std::string_view kTemplate;
extern const std::string_view kStyle;
extern const std::string_view kStyleHash;
extern const std::string_view kChartLibrary;
extern const std::string_view kChartLibraryHash;
extern const std::string_view kScript;
extern const std::string_view kScriptHash;

}  // namespace slidemesh::page

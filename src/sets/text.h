#pragma once

#include <string>

namespace slidemesh::detail {

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string number_text(double value);

}  // namespace slidemesh::detail

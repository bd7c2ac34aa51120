#pragma once

#include <span>
#include <string>
#include <string_view>

namespace slidemesh::detail {

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string number_text(double value);

/// The candidate with the fewest edits from `word`; empty if there is none within a third of its length.
[[nodiscard]] std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

}  // namespace slidemesh::detail

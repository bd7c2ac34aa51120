#pragma once

#include <span>
#include <string>
#include <string_view>

namespace slidemesh {

/// The one of `known` with the fewest edits from `word`, for "did you mean"; empty if none is near.
[[nodiscard]] std::string nearest_word(std::string_view word, std::span<const std::string> known);

}  // namespace slidemesh

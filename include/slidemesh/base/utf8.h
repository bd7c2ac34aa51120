#pragma once

#include <cstddef>
#include <string_view>

namespace slidemesh {

/// The length in bytes of the character that `bytes` begin with, or 0 if they begin with none: no overlong form, no
/// surrogate, nothing beyond U+10FFFF (RFC 3629).
[[nodiscard]] std::size_t utf8_character(std::string_view bytes) noexcept;

/// Whether this is text in UTF-8, which has no NUL.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

/// How many characters there are; a byte that is none counts as one.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

/// The first so many characters.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t characters) noexcept;

}  // namespace slidemesh

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "slidemesh/base/text.h"
#include "slidemesh/data/feature_map.h"

namespace slidemesh {

/// What the text of a field is.
enum class FieldKind {
  kNumber,
  kBoolean,  ///< true or false, in any case: 1 or 0
  kMissing,  ///< nothing, NA, NaN, null or ?
  kWord,
  kNotFinite,
};

[[nodiscard]] std::string_view trimmed(std::string_view field);
[[nodiscard]] FieldKind parse_field(std::string_view field, double& value);
[[nodiscard]] FieldKind kind_of(std::string_view field);
/// 2024-01-31, 31.1.2024, 1/31/24, perhaps with a time behind it.
[[nodiscard]] bool looks_like_date(std::string_view field);

/// Digits, one comma, digits: what spreadsheets of half the world write. Or commas between thousands, as the other
/// half.
[[nodiscard]] bool has_decimal_comma(std::string_view field);

/// The number of a field, or what stands for it where it is missing; false where it has neither.
[[nodiscard]] bool read_number(std::string_view field, const FeatureColumn& column, double& value);
/// Says why, with a hint at the key of [data] that would take it: a DataError.
[[noreturn]] void fail_number(std::string_view field, const std::string& column, const std::string& where);

/// Which of the column's words a field has, or none where it is missing and may be; false where it is another.
[[nodiscard]] bool read_word(std::string_view field, const FeatureColumn& column, std::optional<std::size_t>& word);
[[noreturn]] void fail_word(std::string_view field, const std::string& column, const std::string& where);

/// "nothing", or the field in quotes and a hint at the key of [data] that would take it.
[[nodiscard]] std::string describe_field(std::string_view field);

}  // namespace slidemesh

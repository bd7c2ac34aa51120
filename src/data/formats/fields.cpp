#include "fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "number.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

/// Whether `field` is `word` in any case; `word` is in lower case.
bool is_word(std::string_view field, std::string_view word) {
  return field.size() == word.size() &&
         std::equal(field.begin(), field.end(), word.begin(), [](char a, char b) { return (a | 0x20) == b; });
}

/// 1,234.5 or 1.234,5 (`between` thousands, then `point`): digits in threes behind the first comma or point.
bool has_thousands(std::string_view field, char between, char point) {
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) {
    field.remove_prefix(1);
  }
  const std::string_view whole = field.substr(0, field.find(point));
  const std::string_view rest = field.substr(std::min(whole.size() + 1, field.size()));
  std::size_t digits = 0;
  bool parted = false;
  for (const char c : whole) {
    if (c == between && digits > 0 && (parted ? digits == 3 : digits <= 3)) {
      parted = true;
      digits = 0;
    } else if (text::is_digit(c)) {
      ++digits;
    } else {
      return false;
    }
  }
  return parted && digits == 3 && std::all_of(rest.begin(), rest.end(), text::is_digit);
}

std::string hint(std::string_view field) {
  switch (kind_of(field)) {
    case FieldKind::kMissing:
      return " (data.missing = \"mean\" or \"zero\" fills it)";
    case FieldKind::kWord:
      if (looks_like_date(field)) {
        return " (a date: leave the column out with data.ignore, or make it a number, as days since some day)";
      }
      if (has_decimal_comma(field)) {
        return " (a decimal comma, or one between thousands: numbers are written with a point alone, as 1234.56)";
      }
      return " (data.categorical = \"one-hot\" takes words; data.ignore leaves the column out)";
    default:
      return "";
  }
}

}  // namespace

bool has_decimal_comma(std::string_view field) {
  std::string pointed(trimmed(field));
  const std::size_t comma = pointed.find(',');
  if (comma == std::string::npos) {
    return false;
  }
  if (has_thousands(pointed, ',', '.') || has_thousands(pointed, '.', ',')) {
    return true;
  }
  pointed[comma] = '.';
  return kind_of(pointed) == FieldKind::kNumber;
}

std::string_view trimmed(std::string_view field) {
  while (!field.empty() && text::is_blank(field.front())) {
    field.remove_prefix(1);
  }
  while (!field.empty() && text::is_blank(field.back())) {
    field.remove_suffix(1);
  }
  return field;
}

FieldKind parse_field(std::string_view field, double& value) {
  field = trimmed(field);
  if (field.empty() || field == "NA" || field == "NaN" || field == "nan" || field == "null" || field == "NULL" ||
      field == "?") {
    return FieldKind::kMissing;
  }
  const char* end = field.data() + field.size();
  const char* stop = nullptr;
  const text::Parsed parsed = text::parse_number(field.data(), end, value, stop);
  if (parsed != text::Parsed::kMalformed && stop == end) {
    return parsed == text::Parsed::kNumber ? FieldKind::kNumber : FieldKind::kNotFinite;
  }
  const bool is_true = is_word(field, "true");
  if (is_true || is_word(field, "false")) {
    value = is_true ? 1.0 : 0.0;
    return FieldKind::kBoolean;
  }
  return FieldKind::kWord;
}

FieldKind kind_of(std::string_view field) {
  double ignored = 0.0;
  return parse_field(field, ignored);
}

bool looks_like_date(std::string_view field) {
  field = trimmed(field);
  std::array<std::size_t, 3> digits{};
  std::size_t part = 0;
  char separator = '\0';
  std::size_t at = 0;
  for (; at < field.size() && part < digits.size(); ++at) {
    const char c = field[at];
    if (text::is_digit(c)) {
      ++digits[part];
    } else if (part < 2 && (separator == '\0' ? c == '-' || c == '/' || c == '.' : c == separator)) {
      separator = c;
      ++part;
    } else {
      break;
    }
  }
  const auto is_short = [](std::size_t n) { return n == 1 || n == 2; };
  const bool year_first = digits[0] == 4 && is_short(digits[1]) && is_short(digits[2]);
  const bool year_last = is_short(digits[0]) && is_short(digits[1]) && (digits[2] == 4 || digits[2] == 2);
  return part == 2 && (year_first || year_last) && (at == field.size() || field[at] == ' ' || field[at] == 'T');
}

std::string describe_field(std::string_view field) {
  return (field.empty() ? "nothing" : text::quoted(field)) + hint(field);
}

bool read_number(std::string_view field, const FeatureColumn& column, double& value) {
  const FieldKind kind = parse_field(field, value);
  if (kind == FieldKind::kMissing && column.missing) {
    value = *column.missing;
    return true;
  }
  return kind == FieldKind::kNumber || kind == FieldKind::kBoolean;
}

void fail_number(std::string_view field, const std::string& column, const std::string& where) {
  const bool not_finite = kind_of(field) == FieldKind::kNotFinite;
  fail<DataError>(where, fmt::format("a {}number in column {}", (not_finite ? "finite " : ""), text::quoted(column)),
                  describe_field(field));
}

bool read_word(std::string_view field, const FeatureColumn& column, std::optional<std::size_t>& word) {
  const std::string_view wanted = trimmed(field);
  const auto found = std::lower_bound(column.words.begin(), column.words.end(), wanted);
  word.reset();
  if (found != column.words.end() && *found == wanted) {
    word = static_cast<std::size_t>(found - column.words.begin());
    return true;
  }
  return column.missing && kind_of(field) == FieldKind::kMissing;
}

void fail_word(std::string_view field, const std::string& column, const std::string& where) {
  const bool missing = kind_of(field) == FieldKind::kMissing;
  fail<DataError>(where, fmt::format("a word that column {} is known to have", text::quoted(column)),
                  (missing ? describe_field(field) : text::quoted(field)));
}

}  // namespace slidemesh

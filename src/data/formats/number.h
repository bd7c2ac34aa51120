#pragma once

#include <array>
#include <charconv>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

#include "slidemesh/base/text.h"

namespace slidemesh::text {

/// What a token turned out to be.
enum class Parsed { kNumber, kMalformed, kNotFinite };

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// The rare tokens: many digits, far exponents, words. Rounds exactly, as std::from_chars does.
inline Parsed parse_number_slowly(const char* begin, const char* end, double& value, const char*& stop) {
  const char* first = begin;
  if (first != end && *first == '+') {
    ++first;
    if (first == end || *first == '-' || *first == '+') {
      return Parsed::kMalformed;
    }
  }
  const auto [where, error] = std::from_chars(first, end, value);
  stop = where;
  if (error == std::errc::invalid_argument) {
    return Parsed::kMalformed;
  }
  if (error ==
      std::errc::result_out_of_range) {  // too large, or so small that it is zero; a point is a point everywhere
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    value = strtod_l(std::string(first, where).c_str(), nullptr, plain);
  }
  return value - value == 0.0 ? Parsed::kNumber : Parsed::kNotFinite;
}

/// Reads a decimal number at `begin` and sets `stop` behind it. The value is the double nearest to
/// the decimal: up to 2^53 with a power of ten that is exact, one multiplication or division of exact
/// numbers rounds once (Clinger 1990); everything else goes to the standard library.
inline Parsed parse_number(const char* begin, const char* end, double& value, const char*& stop) {
  static constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr int kSafeDigits = 18;  // a mantissa of so many digits fits 64 bits
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53U;

  const char* p = begin;
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) {
    ++p;
  }
  std::uint64_t mantissa = 0;
  const char* digits = p;
  while (p != end && is_digit(*p)) {
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
  }
  auto count = p - digits;
  std::ptrdiff_t decimals = 0;
  if (p != end && *p == '.') {
    const char* point = ++p;
    while (p != end && is_digit(*p)) {
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
    }
    decimals = p - point;
    count += decimals;
  }
  const bool exponent = p != end && (*p == 'e' || *p == 'E');
  if (count == 0 || count > kSafeDigits || mantissa > kExact || exponent) {
    return parse_number_slowly(begin, end, value, stop);
  }
  auto magnitude = static_cast<double>(mantissa);
  if (decimals != 0) {
    magnitude /= kPowers[static_cast<std::size_t>(decimals)];
  }
  value = negative ? -magnitude : magnitude;
  stop = p;
  return Parsed::kNumber;
}

}  // namespace slidemesh::text

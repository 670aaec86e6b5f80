// Text to double, correctly rounded. Plain decimals of up to 19 digits, nearly all there is in real tables,
// take a path that reads eight digits at a time; fast_float does everything else.
#pragma once

#include <fast_float/fast_float.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace causcale {

// The fast path may look at this many bytes from its start on.
inline constexpr std::size_t kNumberReadAhead = 80;

namespace detail {

inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t kIntegerPowers[] = {1,      10,      100,      1000,     10000,
                                                   100000, 1000000, 10000000, 100000000};

inline std::uint64_t load_eight(const char* at) {
  std::uint64_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

// How many of the eight bytes, from the first on, are digits. `bytes` is text with '0' taken off each byte
// (by exclusive or); a byte above 9 sets its top bit, and carries only spoil bytes after the first such.
inline int leading_digits(std::uint64_t bytes) {
  const std::uint64_t other = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
  return other == 0 ? 8 : std::countr_zero(other) >> 3;
}

// Eight digits (values 0 to 9, first digit in the lowest byte) to a number: pairs, fours, eight.
inline std::uint64_t combine_digits(std::uint64_t digits) {
  digits = digits * 10 + (digits >> 8);
  constexpr std::uint64_t kMask = 0x000000FF000000FF;
  return (((digits & kMask) * 0x000F424000000064) + (((digits >> 16) & kMask) * 0x0000271000000001)) >> 32;
}

// Takes up to 8 digits at `at` into `number`; returns how many there were.
inline int take_digits(const char* at, std::uint64_t& number) {
  const std::uint64_t bytes = load_eight(at) ^ 0x3030303030303030;
  const int count = leading_digits(bytes);
  if (count == 0) return 0;
  // Shifted up, the digits stand behind leading zeros.
  number = number * kIntegerPowers[count] + combine_digits(bytes << (64 - 8 * count));
  return count;
}

}  // namespace detail

// Where a plain decimal starts at `text`, stores it and returns its end; otherwise nullptr, which only means
// that the slow path has to decide. kNumberReadAhead bytes must be readable.
inline const char* parse_plain_decimal(const char* text, double& value) {
  static_assert(std::endian::native == std::endian::little);
  // Signs are random in real data: they are handled without a branch, from here to the end.
  const std::uint64_t negative = *text == '-';
  const char* at = text + negative;
  std::uint64_t number = 0;
  const char* const integer_begin = at;
  unsigned digit = static_cast<unsigned char>(*at) - '0';
  while (digit <= 9) {
    number = number * 10 + digit;
    digit = static_cast<unsigned char>(*++at) - '0';
    if (at - integer_begin > 19) return nullptr;
  }
  std::int64_t digits = at - integer_begin;
  std::int64_t exponent = 0;
  if (*at == '.') {
    const char* const fraction = ++at;
    for (int block = 0; block < 3; ++block) {
      const int taken = detail::take_digits(at, number);
      at += taken;
      if (taken < 8) break;
    }
    exponent = fraction - at;
    digits -= exponent;
    if (fraction == at && fraction - 1 == integer_begin) return nullptr;  // a lone point
  } else if (at == integer_begin) {
    return nullptr;
  }
  if (digits > 19) {
    for (const char* zero = integer_begin; zero != at && (*zero == '0' || *zero == '.'); ++zero)
      digits -= *zero == '0';
    if (digits > 19) return nullptr;
  }
  if ((*at | 0x20) == 'e') {
    const char* power_at = at + 1;
    const bool negative_power = *power_at == '-';
    if (negative_power || *power_at == '+') ++power_at;
    const char* const power_begin = power_at;
    int power = 0;
    while (static_cast<unsigned char>(*power_at - '0') <= 9) {
      power = power * 10 + (*power_at++ - '0');
      if (power_at - power_begin > 3) return nullptr;
    }
    if (power_at == power_begin) return nullptr;
    exponent += negative_power ? -power : power;
    at = power_at;
  }
  if (number <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
    // Both numbers are exact doubles, so that the one operation rounds correctly.
    double result = static_cast<double>(number);
    if (exponent < 0)
      result /= detail::kPowersOfTen[-exponent];
    else
      result *= detail::kPowersOfTen[exponent];
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(result) ^ negative << 63);
    return at;
  }
  const auto rounded = fast_float::compute_float<fast_float::binary_format<double>>(exponent, number);
  if (rounded.power2 < 0) return nullptr;
  value = std::bit_cast<double>(rounded.mantissa | static_cast<std::uint64_t>(rounded.power2) << 52 |
                                negative << 63);
  return at;
}

// The whole of `cell` as a number ("inf" and "nan" included); false if it is none.
inline bool parse_number(std::string_view cell, double& value) {
  const char* begin = cell.data();
  const char* const end = begin + cell.size();
  if (begin != end && *begin == '+' && cell.size() > 1 && begin[1] != '-') ++begin;
  const auto [stop, failure] = fast_float::from_chars(begin, end, value);
  return failure == std::errc() && stop == end;
}

}  // namespace causcale

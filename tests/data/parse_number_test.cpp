#include "data/parse_number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <string>

#include "base/random.h"

namespace causcale {
namespace {

// The fast path on a padded copy, as the reader guarantees.
const char* fast(const std::string& text, double& value, std::size_t& used) {
  static std::string padded;
  padded = text + "," + std::string(kNumberReadAhead, 'x');
  const char* stop = parse_plain_decimal(padded.data(), value);
  used = stop ? static_cast<std::size_t>(stop - padded.data()) : 0;
  return stop;
}

void expect_like_strtod(const std::string& text, bool must_be_fast) {
  double value = -1.0;
  std::size_t used = 0;
  const bool was_fast = fast(text, value, used) != nullptr;
  ASSERT_TRUE(was_fast || !must_be_fast) << text;
  const double expected = std::strtod(text.c_str(), nullptr);
  if (was_fast) {
    ASSERT_EQ(used, text.size()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
  }
  ASSERT_TRUE(parse_number(text, value)) << text;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
}

TEST(ParseNumber, ChosenNumbersAreExact) {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "-1",
                           "12345678",
                           "123456789",
                           "0.1",
                           "-0.1",
                           "3.14159265358979",
                           "1e5",
                           "1E-5",
                           "2.5e+3",
                           ".5",
                           "5.",
                           "9007199254740993",
                           "9007199254740992",
                           "1234567890123456789",
                           "0.000001234567890123456",
                           "00000001.5",
                           "2.2250738585072014e-308",
                           "1.7976931348623157e308",
                           "8.5e22",
                           "1e22",
                           "1e23",
                           "123456.12345678",
                           "0.12345678901234567"})
    expect_like_strtod(text, true);
  for (const char* text :
       {"4.9e-324", "2.4703282292062328e-324", "99999999999999999999", "0.30000000000000000001665",
        "1.00000000000000011102230246251565404236316680908203125", "1e400", "-1e-400"})
    expect_like_strtod(text, false);
}

TEST(ParseNumber, RandomNumbersAreExact) {
  RandomStream random(3, 0, 0);
  for (int i = 0; i < 200000; ++i) {
    const double scale = std::pow(10.0, random.uniform(-12, 12));
    const double value = random.normal() * scale;
    expect_like_strtod(fmt::format("{:.6g}", value), true);
    expect_like_strtod(fmt::format("{:.17g}", value), false);
    expect_like_strtod(fmt::format("{:.{}f}", value, random.below(12)), false);
    const std::uint64_t bits = (std::uint64_t{random.bits()} << 32) | random.bits();
    const double any = std::bit_cast<double>(bits);
    if (std::isfinite(any)) expect_like_strtod(fmt::format("{}", any), false);
  }
}

TEST(ParseNumber, WhatIsNoNumberIsRefused) {
  double value;
  std::size_t used;
  for (const char* text : {"", "-", ".", "-.", "e5", "abc", "--1", "+-1", "1e", "1e+"}) {
    EXPECT_FALSE(parse_number(text, value)) << text;
    EXPECT_EQ(fast(text, value, used), nullptr) << text;
  }
  // Only a part of these is a number: the fast path stops before the rest, the careful one refuses.
  for (const char* text : {"1.2.3", "1-2", "0x10", "1 2", "1,5", "0.00000000000000000000.5"}) {
    EXPECT_FALSE(parse_number(text, value)) << text;
    fast(text, value, used);
    EXPECT_LT(used, std::string(text).size()) << text;
  }
  EXPECT_TRUE(parse_number("+1.5", value));
  EXPECT_EQ(value, 1.5);
}

}  // namespace
}  // namespace causcale

#include "data/number_format.h"

#include <gtest/gtest.h>

namespace causcale {
namespace {

using Words = std::vector<std::string_view>;

TEST(NumberFormat, EveryWayOfWriting) {
  const struct {
    const char* text;
    DecimalMark mark;
    double value;
  } cases[] = {
      {"12", DecimalMark::kPoint, 12},
      {"-1.5e3", DecimalMark::kPoint, -1500},
      {".5", DecimalMark::kPoint, 0.5},
      {"1,5", DecimalMark::kComma, 1.5},
      {"-0,25", DecimalMark::kComma, -0.25},
      {"74.821,75", DecimalMark::kComma, 74821.75},
      {"1.234.567", DecimalMark::kComma, 1234567},
      {"74,821.75", DecimalMark::kPoint, 74821.75},
      {"1,234,567", DecimalMark::kPoint, 1234567},
      {"1 234 567.5", DecimalMark::kPoint, 1234567.5},
      {"1\xC2\xA0"
       "234,5",
       DecimalMark::kComma, 1234.5},
      {"1'234.5", DecimalMark::kPoint, 1234.5},
      {"25.1%", DecimalMark::kPoint, 0.251},
      {"-3 %", DecimalMark::kPoint, -0.03},
      {"$4,198.07", DecimalMark::kPoint, 4198.07},
      {"-$5", DecimalMark::kPoint, -5},
      {"$-5", DecimalMark::kPoint, -5},
      {"($1,000)", DecimalMark::kPoint, -1000},
      {"12,50 \xE2\x82\xAC", DecimalMark::kComma, 12.5},
      {"USD 7", DecimalMark::kPoint, 7},
      {"\xE2\x88\x92"
       "3",
       DecimalMark::kPoint, -3},
      {"12.5 kg", DecimalMark::kPoint, 12.5},
      {"+4", DecimalMark::kPoint, 4},
  };
  for (const auto& [text, mark, value] : cases) {
    const auto number = read_formatted_number(text, mark);
    ASSERT_TRUE(number) << text;
    EXPECT_DOUBLE_EQ(number->value, value) << text;
  }
}

TEST(NumberFormat, WhatIsNoNumber) {
  for (const char* text :
       {"",          " ",   "$",     "%",   "abc", "12A", "1,23", "1,2345", "0,123",   "12,34,567",
        "1,234 567", "--5", "1.2.3", "5 6", "(5",  "1e",  "e5",   "$ $5",   "12 kg 3", "1,,000"})
    EXPECT_FALSE(read_formatted_number(text, DecimalMark::kPoint)) << text;
  EXPECT_FALSE(read_formatted_number("1.5", DecimalMark::kComma));
  EXPECT_FALSE(read_formatted_number("0.123", DecimalMark::kComma));
}

TEST(NumberFormat, OneMarkForAColumn) {
  const auto comma = read_number_words({"1,5", "2", "1.234"}, DecimalMark::kPoint);
  ASSERT_TRUE(comma);
  EXPECT_EQ(comma->values, (std::vector<double>{1.5, 2, 1234}));
  EXPECT_FALSE(comma->either_mark);
  EXPECT_FALSE(read_number_words({"1,5", "2.5"}, DecimalMark::kPoint));
  // Either way: what is preferred decides, and that is said.
  const auto point = read_number_words({"1,234", "2,345"}, DecimalMark::kPoint);
  EXPECT_EQ(point->values, (std::vector<double>{1234, 2345}));
  EXPECT_TRUE(point->either_mark);
  EXPECT_EQ(read_number_words({"1,234", "2,345"}, DecimalMark::kComma)->values,
            (std::vector<double>{1.234, 2.345}));
  EXPECT_FALSE(read_number_words({"1,234", "1,234,567"}, DecimalMark::kComma)->either_mark);
  EXPECT_TRUE(has_decimal_commas({"1,5", "12"}));
  EXPECT_FALSE(has_decimal_commas({"1,234", "12"}));
  EXPECT_FALSE(has_decimal_commas({"1,5", "1.5"}));
}

TEST(NumberFormat, WhatStandsAroundNumbersIsTheSameThroughout) {
  EXPECT_FALSE(read_number_words({"$5",
                                  "\xC2\xA3"
                                  "5"},
                                 DecimalMark::kPoint));
  EXPECT_FALSE(read_number_words({"5%", "7"}, DecimalMark::kPoint));
  EXPECT_FALSE(read_number_words({"5 kg", "7 g"}, DecimalMark::kPoint));
  const auto percent = read_number_words({"5%", "0", "10 %"}, DecimalMark::kPoint);
  ASSERT_TRUE(percent);
  EXPECT_EQ(percent->writing, "percent");
  EXPECT_EQ(read_number_words({"$5", "1,000"}, DecimalMark::kPoint)->writing,
            "thousands set apart, currency $");
}

}  // namespace
}  // namespace causcale

#include "data/date_format.h"

#include <gtest/gtest.h>

namespace causcale {
namespace {

TEST(DateFormat, TheSameDayInEveryForm) {
  const double day = 19753;  // 31 January 2024, counted from 1970-01-01
  for (const char* text : {"2024-01-31", "2024/1/31", "2024.01.31", "31.01.2024", "31/1/2024", "31-01-24",
                           "1/31/2024", "31 Jan 2024", "31-Jan-24", "January 31, 2024", "Jan 31 2024",
                           "2024 Jan 31", "2024-01-31T00:00:00Z", "2024-01-31 00:00"}) {
    const auto dates = read_date_words({text});
    ASSERT_TRUE(dates) << text;
    EXPECT_EQ(dates->days, (std::vector<double>{day})) << text;
    EXPECT_FALSE(dates->either_order) << text;
  }
  EXPECT_EQ(read_date_words({"1970-01-01", "1969-12-31", "2000-02-29", "2024-01"})->days,
            (std::vector<double>{0, -1, 11016, 19723}));
}

TEST(DateFormat, Times) {
  const auto days = [](const char* text) { return read_date_words({text})->days.front(); };
  EXPECT_DOUBLE_EQ(days("1970-01-01 06:00"), 0.25);
  EXPECT_DOUBLE_EQ(days("1970-01-01T12:00:00+06:00"), 0.25);
  EXPECT_DOUBLE_EQ(days("1/1/1970 6:00:00 PM"), 0.75);
  EXPECT_DOUBLE_EQ(days("1970-01-01 00:00:43.2"), 0.0005);
  EXPECT_DOUBLE_EQ(days("18:00"), 0.75);
}

TEST(DateFormat, OneOrderForAColumn) {
  EXPECT_EQ(read_date_words({"13/1/2024", "2/1/2024"})->writing, "day before month");
  EXPECT_EQ(read_date_words({"1/13/2024", "2/1/2024"})->writing, "month before day");
  EXPECT_FALSE(read_date_words({"13/1/2024", "1/13/2024"}));
  const auto either = read_date_words({"3/4/2024", "2/1/2024"});
  EXPECT_TRUE(either->either_order);
  EXPECT_EQ(either->writing, "month before day");
  EXPECT_EQ(read_date_words({"3.4.2024", "2.1.2024"})->writing, "day before month");
}

TEST(DateFormat, WhatIsNoDate) {
  for (const char* text :
       {"", "2024", "20240131", "2023-02-29", "2024-13-01", "31.31.2024", "1.2.3", "1.5", "3/4", "abc",
        "Marc 5", "24:99", "12-34", "2020-2021", "may", "2024-01-31x", "10.1234"})
    EXPECT_FALSE(read_date_words({text})) << text;
  EXPECT_FALSE(read_date_words({}));
}

}  // namespace
}  // namespace causcale

// Dates and times as files write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causcale {

// A column of dates.
struct DateColumn {
  std::vector<double> days;   // since 1970-01-01, one per word; times are fractions of a day
  std::string writing;        // "day/month/year"
  bool either_order = false;  // no day is above 12: day and month might be the other way round
};

// All of `words` in one order of day, month and year: 2024-01-31, 2024/1/31, 31.01.2024, 31/1/24, 1/31/2024,
// 31 Jan 2024, January 31, 2024, 2024-01; each with or without a time (14:05, 2:05:30.5 pm, T14:05Z, +01:00).
// Times of day alone, such as 14:05, count, too. Dates with slashes that fit both ways are taken for
// month/day, others for day.month.
std::optional<DateColumn> read_date_words(const std::vector<std::string_view>& words);

}  // namespace causcale

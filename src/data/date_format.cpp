#include "data/date_format.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace causcale {
namespace {

enum class DateOrder { kYearFirst, kDayFirst, kMonthFirst };

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// 1 to 12 for "Jan", "january", "Sept."; 0: no month.
int month_named(std::string_view word) {
  constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                     "may",       "june",     "july",     "august",
                                                     "september", "october",  "november", "december"};
  const std::string lower = lower_case(word);
  if (lower.size() < 3) return 0;
  for (std::size_t m = 0; m < kMonths.size(); ++m)
    if (kMonths[m].starts_with(lower)) return static_cast<int>(m) + 1;
  return 0;
}

// Up to four digits.
std::optional<int> take_integer(std::string_view& text) {
  int value = 0;
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits]) && digits < 5)
    value = 10 * value + (text[digits++] - '0');
  if (digits == 0 || digits > 4) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

// Days from 1970-01-01 on, in the Gregorian calendar; nullopt: no such day.
std::optional<double> day_number(int year, int month, int day) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 1 || month < 1 || month > 12 || day < 1 ||
      day > kDays[month - 1] + (month == 2 && leap(year) ? 1 : 0))
    return std::nullopt;
  const int before = year - 1;
  std::int64_t days = std::int64_t{365} * before + before / 4 - before / 100 + before / 400;
  for (int m = 1; m < month; ++m) days += kDays[m - 1] + (m == 2 && leap(year) ? 1 : 0);
  constexpr std::int64_t kDaysBefore1970 = 719162;
  return static_cast<double>(days + day - 1 - kDaysBefore1970);
}

// "14:05", "2:05:30.5 pm", "14:05Z", "14:05:00+01:00" as a fraction of a day.
std::optional<double> read_time(std::string_view text) {
  const auto hour = take_integer(text);
  if (!hour || !text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  const auto minute = take_integer(text);
  if (!minute || *minute > 59) return std::nullopt;
  double second = 0.0;
  if (text.starts_with(':')) {
    text.remove_prefix(1);
    const auto whole = take_integer(text);
    if (!whole || *whole > 60) return std::nullopt;
    second = *whole;
    if (text.starts_with('.') || text.starts_with(',')) {
      text.remove_prefix(1);
      double unit = 0.1;
      if (text.empty() || !is_digit(text.front())) return std::nullopt;
      for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), unit /= 10)
        second += unit * (text.front() - '0');
    }
  }
  int hours = *hour;
  double zone = 0.0;
  if (text.starts_with(' ')) text.remove_prefix(1);
  const std::string half = lower_case(text);
  if (half == "am" || half == "pm") {
    if (hours < 1 || hours > 12) return std::nullopt;
    hours = hours % 12 + (half == "pm" ? 12 : 0);
    text = {};
  } else if (half == "z" || half == "utc") {
    text = {};
  } else if (text.starts_with('+') || text.starts_with('-')) {
    const double sign = text.front() == '+' ? 1.0 : -1.0;
    text.remove_prefix(1);
    const bool colon = text.size() == 5 && text[2] == ':';
    std::string digits(text.substr(0, 2));
    digits += text.size() > 2 ? text.substr(colon ? 3 : 2) : "00";
    if (digits.size() != 4 || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
    zone = sign *
           ((digits[0] - '0') * 10 + (digits[1] - '0') + ((digits[2] - '0') * 10 + (digits[3] - '0')) / 60.0);
    text = {};
  }
  if (!text.empty() || hours > 24) return std::nullopt;
  return ((hours - zone) * 3600.0 + *minute * 60.0 + second) / 86400.0;
}

struct Part {
  int number = 0;
  std::size_t digits = 0;  // 0: a month's name
};

// The parts of a date and what stands between them.
struct Parts {
  std::vector<Part> parts;
  char separator = '\0';
  std::string_view rest;
  bool named = false;
};

std::optional<Parts> split_date(std::string_view text) {
  Parts found;
  while (found.parts.size() < 3 && !text.empty()) {
    if (!found.parts.empty()) {
      const std::size_t length = std::min(text.find_first_not_of("-/., "), text.size());
      const std::string_view between = text.substr(0, length);
      if (between.empty() || between.size() > 2 || (between.size() == 2 && between[1] != ' ')) break;
      if (found.parts.size() == 2 && (between == " " || length == text.size())) {
        // "2024-01 12:30": the third part is a time.
        if (!found.named && between == " " && found.separator != ' ') break;
      }
      if (!found.separator) found.separator = between[0];
      if (!found.named && between[0] != found.separator) return std::nullopt;
      text.remove_prefix(length);
    }
    Part part;
    if (!text.empty() && is_digit(text.front())) {
      const std::size_t before = text.size();
      const auto number = take_integer(text);
      if (!number) return std::nullopt;
      part = {*number, before - text.size()};
    } else {
      std::size_t letters = 0;
      while (letters < text.size() && ((text[letters] | 0x20) >= 'a' && (text[letters] | 0x20) <= 'z'))
        ++letters;
      part.number = month_named(text.substr(0, letters));
      if (part.number == 0 || found.named) return std::nullopt;
      found.named = true;
      text.remove_prefix(letters);
    }
    found.parts.push_back(part);
  }
  found.rest = text;
  return found;
}

int full_year(const Part& part) {
  if (part.digits != 2) return part.number;
  return part.number + (part.number < 69 ? 2000 : 1900);
}

// A date with the order asked for; words whose order is plain fit every order.
std::optional<double> read_date(std::string_view word, DateOrder order) {
  constexpr std::size_t kLongest = 40;
  if (word.size() < 3 || word.size() > kLongest) return std::nullopt;
  const auto split = split_date(word);
  if (!split || split->parts.size() < 2) return std::nullopt;
  const std::vector<Part>& parts = split->parts;
  const auto is_year = [](const Part& part) { return part.digits == 4; };
  std::optional<double> day;
  if (parts.size() == 2) {  // a month of a year
    const bool first = is_year(parts[0]);
    if (first == is_year(parts[1])) return std::nullopt;
    if (parts[first ? 1 : 0].digits > 2 || split->separator == '.') return std::nullopt;
    day = day_number(parts[first ? 0 : 1].number, parts[first ? 1 : 0].number, 1);
  } else {
    for (std::size_t k = 0; k < 3; ++k)
      if (parts[k].digits == 3 || (parts[k].digits == 4 && k == 1)) return std::nullopt;
    if (is_year(parts[0])) {
      if (order != DateOrder::kYearFirst && !split->named) return std::nullopt;
      if (parts[2].digits == 0) return std::nullopt;
      day = day_number(parts[0].number, parts[1].number, parts[2].number);
    } else {
      if (parts[2].digits != 4 && parts[2].digits != 2) return std::nullopt;
      const bool month_first = split->named ? parts[0].digits == 0 : order == DateOrder::kMonthFirst;
      if (order == DateOrder::kYearFirst) return std::nullopt;
      if (split->named && parts[1].digits != 0 && !month_first) return std::nullopt;
      const int year = full_year(parts[2]);
      day = month_first ? day_number(year, parts[0].number, parts[1].number)
                        : day_number(year, parts[1].number, parts[0].number);
    }
  }
  if (!day) return std::nullopt;
  std::string_view rest = split->rest;
  if (rest.empty()) return day;
  if (rest.front() != ' ' && rest.front() != 'T' && rest.front() != ',') return std::nullopt;
  rest.remove_prefix(std::min(rest.find_first_not_of(" T,"), rest.size()));
  const auto time = read_time(rest);
  return time ? std::optional(*day + *time) : std::nullopt;
}

template <class Read>
std::optional<std::vector<double>> read_all(const std::vector<std::string_view>& words, const Read& read) {
  std::vector<double> days;
  for (const std::string_view word : words) {
    const std::optional<double> day = read(word);
    if (!day) return std::nullopt;
    days.push_back(*day);
  }
  return days;
}

}  // namespace

std::optional<DateColumn> read_date_words(const std::vector<std::string_view>& words) {
  if (words.empty()) return std::nullopt;
  const auto in_order = [&](DateOrder order) {
    return read_all(words, [order](std::string_view word) { return read_date(word, order); });
  };
  if (auto days = read_all(words, read_time)) return DateColumn{std::move(*days), "time of day", false};
  if (auto days = in_order(DateOrder::kYearFirst)) return DateColumn{std::move(*days), "year first", false};
  auto day_first = in_order(DateOrder::kDayFirst), month_first = in_order(DateOrder::kMonthFirst);
  const bool both = day_first && month_first && *day_first != *month_first;
  const bool slashes = words.front().find('/') != std::string_view::npos;
  if (month_first && (!day_first || (slashes && both)))
    return DateColumn{std::move(*month_first), "month before day", both};
  if (day_first)
    return DateColumn{std::move(*day_first), month_first && !both ? "month by name" : "day before month",
                      both};
  return std::nullopt;
}

}  // namespace causcale

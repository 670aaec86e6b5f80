#include "data/number_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/parse_number.h"

namespace causcale {
namespace {

using namespace std::string_view_literals;

// Blanks that are set between groups of digits, and those around a number.
constexpr std::array kBlanks{" "sv, "\t"sv, "\xC2\xA0"sv, "\xE2\x80\xAF"sv, "\xE2\x80\x89"sv};
constexpr std::array kApostrophes{"'"sv, "\xE2\x80\x99"sv};
constexpr auto kMinus = "\xE2\x88\x92"sv;
constexpr std::array kCurrencies{
    "US$"sv,
    "$"sv,
    "\xE2\x82\xAC"sv /* euro */,
    "\xC2\xA3"sv /* pound */,
    "\xC2\xA5"sv /* yen */,
    "\xE2\x82\xB9"sv /* rupee */,
    "\xE2\x82\xA9"sv /* won */,
    "USD"sv,
    "EUR"sv,
    "GBP"sv,
    "CHF"sv,
    "JPY"sv,
    "CNY"sv,
    "INR"sv,
    "AUD"sv,
    "CAD"sv,
    "SEK"sv,
    "NOK"sv,
    "DKK"sv,
    "PLN"sv,
    "CZK"sv,
    "BRL"sv,
    "kr"sv,
    "R$"sv,
    "Rs"sv,
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool take_front(std::string_view& text, std::string_view piece) {
  if (!text.starts_with(piece)) return false;
  text.remove_prefix(piece.size());
  return true;
}

bool take_back(std::string_view& text, std::string_view piece) {
  if (!text.ends_with(piece)) return false;
  text.remove_suffix(piece.size());
  return true;
}

template <class Pieces>
std::string_view take_front_of(std::string_view& text, const Pieces& pieces) {
  for (const std::string_view piece : pieces)
    if (take_front(text, piece)) return piece;
  return {};
}

template <class Pieces>
std::string_view take_back_of(std::string_view& text, const Pieces& pieces) {
  for (const std::string_view piece : pieces)
    if (take_back(text, piece)) return piece;
  return {};
}

void trim(std::string_view& text) {
  while (!take_front_of(text, kBlanks).empty()) continue;
  while (!take_back_of(text, kBlanks).empty()) continue;
}

// A sign, if there is one; false: a second one.
bool take_sign(std::string_view& text, bool& signed_already, bool& negative) {
  const bool minus = take_front(text, "-") || take_front(text, kMinus);
  if (!minus && !take_front(text, "+")) return true;
  if (signed_already) return false;
  signed_already = true;
  negative = negative != minus;
  trim(text);
  return true;
}

// "12 kg" -> "kg". A unit needs a blank before it, or it would be hard to tell from a code such as 12A.
std::string take_unit(std::string_view& text) {
  const std::size_t digit = text.find_last_of("0123456789"sv);
  if (digit == text.npos || digit + 1 == text.size()) return {};
  std::string_view rest = text.substr(digit + 1);
  bool apart = false;
  while (!take_front_of(rest, kBlanks).empty()) apart = true;
  constexpr std::size_t kLongestUnit = 12;
  if (!apart || rest.empty() || rest.size() > kLongestUnit) return {};
  const bool plain = std::all_of(rest.begin(), rest.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '^' ||
           (static_cast<unsigned char>(c) & 0x80);
  });
  if (!plain) return {};
  text = text.substr(0, digit + 1);
  return std::string(rest);
}

std::string_view separator_at(std::string_view text, DecimalMark mark) {
  const std::string_view other = mark == DecimalMark::kPoint ? ","sv : "."sv;
  if (text.starts_with(other)) return other;
  for (const std::string_view piece : kBlanks)
    if (text.starts_with(piece)) return piece;
  for (const std::string_view piece : kApostrophes)
    if (text.starts_with(piece)) return piece;
  return {};
}

// Digits with or without separators, a fraction, an exponent: to a plain decimal.
bool plain_decimal(std::string_view text, DecimalMark mark, std::string& plain, FormattedNumber& number) {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  plain.append(text.substr(0, digits));
  const bool may_group = digits >= 1 && digits <= 3 && text.front() != '0';
  text.remove_prefix(digits);
  std::string_view separator;
  while (may_group && !text.empty()) {
    const std::string_view next = separator_at(text, mark);
    if (next.empty()) break;
    if (!separator.empty() && next != separator) return false;
    separator = next;
    const std::string_view group = text.substr(next.size(), 3);
    if (group.size() < 3 || !std::all_of(group.begin(), group.end(), is_digit)) return false;
    const std::string_view rest = text.substr(next.size() + 3);
    if (!rest.empty() && is_digit(rest.front())) return false;
    plain.append(group);
    text = rest;
    digits += 3;
    number.grouped = true;
  }
  if (!text.empty() && text.front() == (mark == DecimalMark::kPoint ? '.' : ',')) {
    plain += '.';
    text.remove_prefix(1);
    number.fraction = true;
    while (!text.empty() && is_digit(text.front())) {
      plain += text.front();
      text.remove_prefix(1);
      ++digits;
    }
  }
  if (digits == 0) return false;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    plain.append(text);
    text = {};
  }
  return text.empty();
}

}  // namespace

std::optional<FormattedNumber> read_formatted_number(std::string_view word, DecimalMark mark) {
  constexpr std::size_t kLongest = 64;
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  FormattedNumber number;
  bool negative = false, has_sign = false;
  trim(word);
  if (word.size() > 2 && word.front() == '(' && word.back() == ')') {
    word = word.substr(1, word.size() - 2);
    negative = has_sign = true;
    trim(word);
  }
  if (!take_sign(word, has_sign, negative)) return std::nullopt;
  number.currency = take_front_of(word, kCurrencies);
  if (!number.currency.empty()) {
    trim(word);
    if (!take_sign(word, has_sign, negative)) return std::nullopt;
  }
  if (take_back(word, "%")) {
    number.percent = true;
    trim(word);
  } else if (number.currency.empty()) {
    number.currency = take_back_of(word, kCurrencies);
    trim(word);
  }
  if (number.currency.empty() && !number.percent) number.unit = take_unit(word);
  std::string plain;
  if (!plain_decimal(word, mark, plain, number) || !parse_number(plain, number.value)) return std::nullopt;
  if (number.percent) number.value /= 100.0;
  if (negative) number.value = -number.value;
  return number;
}

namespace {

std::optional<NumberColumn> read_with(const std::vector<std::string_view>& words, DecimalMark mark) {
  NumberColumn column;
  bool grouped = false, fraction = false;
  std::size_t percents = 0, units = 0, plain_zeros = 0;
  std::string currency, unit;
  for (const std::string_view word : words) {
    const auto number = read_formatted_number(word, mark);
    if (!number) return std::nullopt;
    if (!number->currency.empty()) {
      if (!currency.empty() && currency != number->currency) return std::nullopt;
      currency = number->currency;
    }
    if (!number->unit.empty()) {
      if (!unit.empty() && unit != number->unit) return std::nullopt;
      unit = number->unit;
      ++units;
    }
    percents += number->percent;
    plain_zeros += !number->percent && number->unit.empty() && number->value == 0.0;
    grouped = grouped || number->grouped;
    fraction = fraction || number->fraction;
    column.values.push_back(number->value);
  }
  for (const std::size_t marked : {percents, units})
    if (marked > 0 && marked + plain_zeros < words.size()) return std::nullopt;
  const auto add = [&](std::string_view piece) {
    column.writing += column.writing.empty() ? "" : ", ";
    column.writing += piece;
  };
  if (mark == DecimalMark::kComma && (fraction || grouped)) add("decimal comma");
  if (grouped) add("thousands set apart");
  if (percents > 0) add("percent");
  if (!currency.empty()) add("currency " + currency);
  if (!unit.empty()) add("unit " + unit);
  return column;
}

}  // namespace

std::optional<NumberColumn> read_number_words(const std::vector<std::string_view>& words,
                                              DecimalMark preferred) {
  std::optional<NumberColumn> point = read_with(words, DecimalMark::kPoint);
  std::optional<NumberColumn> comma = read_with(words, DecimalMark::kComma);
  if (!point || !comma) return point ? std::move(point) : std::move(comma);
  if (point->values == comma->values) return point;
  std::optional<NumberColumn>& chosen = preferred == DecimalMark::kPoint ? point : comma;
  chosen->either_mark = true;
  return std::move(chosen);
}

bool has_decimal_commas(const std::vector<std::string_view>& words) {
  bool comma = false;
  for (const std::string_view word : words) {
    const bool fits_point = read_formatted_number(word, DecimalMark::kPoint).has_value();
    const auto number = read_formatted_number(word, DecimalMark::kComma);
    if (fits_point && !number) return false;
    comma = comma || (number && !fits_point && number->fraction);
  }
  return comma;
}

}  // namespace causcale

// Numbers as spreadsheets write them for people: decimal commas, thousands separators, percent signs,
// currencies, accountants' parentheses, a unit behind the number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causcale {

enum class DecimalMark { kPoint, kComma };

struct FormattedNumber {
  double value = 0.0;  // of "25.1%" 0.251
  bool percent = false;
  bool grouped = false;  // thousands are set apart
  bool fraction = false;
  std::string currency;  // as written, empty: none
  std::string unit;      // letters behind a blank, empty: none
};

// The whole of `word`, which is UTF-8, as a number with that decimal mark. Plain numbers fit, too.
std::optional<FormattedNumber> read_formatted_number(std::string_view word, DecimalMark mark);

// A column of such numbers.
struct NumberColumn {
  std::vector<double> values;  // one per word
  std::string writing;         // "decimal comma, thousands set apart, currency $"; empty: plain numbers
  bool either_mark = false;    // "1,234" throughout: both decimal marks fit, with different values
};

// All of `words` with one decimal mark, at most one currency, and percent signs or a unit on all or none (a
// plain 0 may do without). `preferred` decides where both marks fit.
std::optional<NumberColumn> read_number_words(const std::vector<std::string_view>& words,
                                              DecimalMark preferred);

// Some word has a decimal comma, and none can be read with a decimal point only.
bool has_decimal_commas(const std::vector<std::string_view>& words);

}  // namespace causcale

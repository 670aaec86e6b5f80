// What a column of words is: numbers written for people, dates, yes and no, categories, names of rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/columns.h"
#include "data/number_format.h"
#include "data/word_column.h"

namespace causcale {

struct WordReading {
  std::optional<ColumnKind> kind;  // nullopt: plain numbers, whose values tell it
  std::string reason;
  bool set_aside = false;
  std::string writing;              // of numbers and dates
  std::string assumption;           // what had to be assumed about it
  std::vector<std::string> levels;  // of categories: value k stands for levels[k]
  std::vector<double> value;        // one per word of the column; NaN: missing or not readable
  std::vector<char> unreadable;     // one per word; empty: all can be read
};

// `told` is the kind that the caller gave, or nullptr. `preferred` decides where "1,234" may be either.
// Throws InputError where a told kind cannot be (binary with three words), naming `source` and `name`.
WordReading read_words(const WordColumn& cells, const ColumnType* told,
                       const std::vector<std::string>& missing_markers, DecimalMark preferred,
                       bool dates_as_numbers, const std::string& source, const std::string& name);

// Runs of digits by their number: "C2" before "C10".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace causcale

// Columns as methods for discrete and mixed data see them: which are discrete, and their values as codes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "causcale/table.h"

namespace causcale {

// By its kind where the table knows kinds: binary, ordered and unordered columns. Else by its values: whole
// numbers, at most 20 different ones, each in two rows on average.
bool is_discrete(const Table& table, std::size_t column);
// One per column. A column without two different values counts as neither and is false here.
std::vector<char> discrete_columns(const Table& table);

enum class TableKind { kContinuous, kDiscrete, kMixed };
// Columns without two different values do not count.
TableKind table_kind(const Table& table);

std::size_t missing_cells(const Table& table);

inline constexpr std::size_t kMostLevels = 255;

// Codes 0, 1, ... stand for the values of a column in ascending order; the code `levels` for a missing one.
struct CodedColumn {
  int levels = 0;
  bool missing = false;  // some value is
  std::vector<std::uint8_t> codes;

  int width() const { return levels + missing; }  // codes are below it
};
// Throws InputError when there are more than kMostLevels values; `purpose` names who wanted codes.
CodedColumn coded_column(const Table& table, std::size_t column, const std::string& purpose);

}  // namespace causcale

// What the columns of a table are: the kinds' names, how a kind is told from the values, and how users say
// otherwise.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "causcale/table.h"

namespace causcale {

inline constexpr NameTable<ColumnKind, 8> kColumnKindNames{{
    {ColumnKind::kContinuous, "continuous"},
    {ColumnKind::kCount, "count"},
    {ColumnKind::kBinary, "binary"},
    {ColumnKind::kOrdered, "ordered"},
    {ColumnKind::kUnordered, "unordered"},
    {ColumnKind::kConstant, "constant"},
    {ColumnKind::kIdentifier, "identifier"},
    {ColumnKind::kDate, "date"},
}};

// A kind that somebody has given to a column.
struct ColumnType {
  std::string column;  // its name or, where no column has such a name, its 0-based index
  ColumnKind kind = ColumnKind::kContinuous;
  std::vector<std::string> order;  // kOrdered: the words, least first; empty: sorted
};

// Indicator columns that together are one variable.
struct ColumnGroup {
  std::string name;
  std::vector<std::string> members;  // names or 0-based indices
};

// What was understood of a column.
struct ColumnNote {
  std::string name;
  ColumnKind kind = ColumnKind::kContinuous;
  std::string reason;                // why it is taken for that
  bool told = false;                 // by the caller
  bool set_aside = false;            // it is not in the table
  std::string writing;               // how its numbers are written, where not plainly: "decimal comma"
  std::vector<std::string> levels;   // the words of its values, if any
  std::size_t missing = 0;           // cells, before they were dropped or filled
  std::vector<std::string> members;  // the indicator columns that it was made of
  std::string assumption;            // what had to be assumed to read it; usually empty
};

struct KindFound {
  ColumnKind kind = ColumnKind::kContinuous;
  std::string reason;
};

// At most this many different numbers make a column one of few values.
inline constexpr std::size_t kFewValues = 10;

// The kind of every column by its numbers alone; NaN is left out.
std::vector<KindFound> infer_kinds(const Matrix<double>& values);

// A name that row numbers have: id, index, row, sample, no, nr, number, case, subject, "Unnamed: 0" and such.
bool names_a_row(std::string_view column);
// Whole numbers that count the rows: every value once, from the smallest to the largest without a gap.
bool counts_rows(const Matrix<double>& values, std::size_t column);

// "a=ordered,b=unordered,c=ordered:low<middle<high". Throws UsageError.
std::vector<ColumnType> parse_column_types(std::string_view list);
// A text table of two or three columns: name, kind, order of the words. A heading "name,kind" may come first.
// Throws InputError naming the file and line.
std::vector<ColumnType> read_column_types(const std::filesystem::path& path);
// "colour=red,green,blue". Throws UsageError.
ColumnGroup parse_column_group(std::string_view text);

}  // namespace causcale

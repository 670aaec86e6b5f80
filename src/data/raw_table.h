// What a file held, before rows are chosen, missing values are treated and interventions are understood: the
// common ground between the readers of the formats and read_dataset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/excerpt.h"
#include "causcale/matrix.h"
#include "data/reader.h"
#include "data/word_column.h"

namespace causcale {

// A column that holds more than plain numbers.
struct TextColumn {
  std::size_t column = 0;  // of `values`
  WordColumn cells;
};

struct RawTable {
  std::vector<std::string> variables;              // every variable of the file, before selection
  std::vector<std::size_t> kept;                   // those selected, ascending; the columns of `values`
  Matrix<double> values;                           // NaN: missing (or text, where faults are noted)
  std::optional<std::vector<std::string>> labels;  // perturbation label of every row
  std::optional<Matrix<double>> mask;              // intervention mask that came with the data
  std::vector<std::size_t> line_of_row;            // 1-based; text files only
  std::vector<ReadNotes::Fault> text_cells;
  std::vector<TextColumn> texts;
  bool decimal_commas_likely = false;  // by the delimiter and the other columns of the file
  bool header_looks_numeric = false;
  bool not_utf8 = false;  // names or words were converted

  // Filled by settle_columns; one per column of `values`, but for the last.
  std::vector<std::vector<std::string>> levels;
  std::vector<std::optional<ColumnKind>> kinds;         // nullopt: the values tell
  std::vector<std::size_t> note_of_column;              // its place among the notes
  std::map<std::size_t, std::vector<char>> unreadable;  // of a column: the rows with cells that are no value
};

// The variables that options.select and options.exclude leave, ascending. `source` is used in messages.
std::vector<std::size_t> choose_columns(const std::vector<std::string>& variables, const ReadOptions& options,
                                        const std::string& source);

// The variables with these names or, where no variable has such a name, 0-based indices. Throws InputError.
std::vector<std::size_t> find_variables(const std::vector<std::string>& variables,
                                        const std::vector<std::string>& wanted, const std::string& source);

// A table that was read whole: turned over if asked, named X0, X1, ... where it has no names, then selected.
// `names` belong to the variables, or are empty.
void adopt_whole_table(Matrix<double> values, std::vector<std::string> names, const ReadOptions& options,
                       const std::string& source, RawTable& raw);

// What adopt_whole_table takes beside the values: a name for every variable, and a copy of the values where
// they are turned over or selected from.
std::uint64_t whole_table_memory(std::size_t rows, std::size_t columns, const ReadOptions& options);

// "1,5": a number but for its decimal comma.
bool has_decimal_comma(std::string_view cell);

// The table of what a file or a caller held: columns settled, rows chosen, gaps treated, kinds filled in. The
// targets of `parsed` are columns of raw.values. Faults go to `notes` where given and are thrown otherwise.
Dataset settle_table(RawTable raw, ParsedInterventions parsed, const ReadOptions& options,
                     const std::string& source, ReadNotes* notes);

// What to do about a cell that is text among numbers.
inline constexpr const char* kTextCellHint =
    "give the text as a --missing-marker, take the column as categories with --types NAME=unordered, or "
    "leave it "
    "out with --exclude";

// What to do about missing cells, given how many rows have none.
std::string missing_hint(std::size_t complete_rows, std::size_t rows);

// The markers that are numbers.
std::vector<double> numeric_markers(const std::vector<std::string>& markers);

// Empty, one of the words that stand for a missing value everywhere (NA, NaN, -, ?, #N/A and such, in any
// case), or one of the markers.
bool is_missing(std::string_view cell, const std::vector<std::string>& markers);
// The same for a column of words, where "none" is a word like others.
bool is_missing_word(std::string_view cell, const std::vector<std::string>& markers);

}  // namespace causcale

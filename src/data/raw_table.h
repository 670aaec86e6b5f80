// What a file held, before rows are chosen, missing values are treated and interventions are understood: the
// common ground between the readers of the formats and read_dataset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/excerpt.h"
#include "causcale/matrix.h"
#include "data/reader.h"

namespace causcale {

struct RawTable {
  std::vector<std::string> variables;              // every variable of the file, before selection
  std::vector<std::size_t> kept;                   // those selected, ascending; the columns of `values`
  Matrix<double> values;                           // NaN: missing (or text, where faults are noted)
  std::optional<std::vector<std::string>> labels;  // perturbation label of every row
  std::optional<Matrix<double>> mask;              // intervention mask that came with the data
  std::vector<std::size_t> line_of_row;            // 1-based; text files only
  std::vector<ReadNotes::Fault> text_cells;
  bool header_looks_numeric = false;
};

// The variables that options.select and options.exclude leave, ascending. `source` is used in messages.
std::vector<std::size_t> choose_columns(const std::vector<std::string>& variables, const ReadOptions& options,
                                        const std::string& source);

// A table that was read whole: turned over if asked, named X0, X1, ... where it has no names, then selected.
// `names` belong to the variables, or are empty.
void adopt_whole_table(Matrix<double> values, std::vector<std::string> names, const ReadOptions& options,
                       const std::string& source, RawTable& raw);

// What adopt_whole_table takes beside the values: a name for every variable, and a copy of the values where
// they are turned over or selected from.
std::uint64_t whole_table_memory(std::size_t rows, std::size_t columns, const ReadOptions& options);

// "1,5": a number but for its decimal comma.
bool has_decimal_comma(std::string_view cell);

// Empty, NA, NaN, N/A, null, None (in any case) or one of the markers.
bool is_missing(std::string_view cell, const std::vector<std::string>& markers);

}  // namespace causcale

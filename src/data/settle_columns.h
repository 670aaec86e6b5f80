// From what a file held to the columns of a table: words become values, columns that are no variables are set
// aside, indicator columns become one.
#pragma once

#include <string>
#include <vector>

#include "data/raw_table.h"

namespace causcale {

struct SettledColumns {
  std::vector<ColumnNote>
      notes;                    // every column asked for, in the file's order; missing cells not counted yet
  std::vector<int> new_column;  // of every former column of raw.values; -1: set aside
};

// Rewrites raw.values, raw.kept and what belongs to their columns. Cells that cannot be read are noted in
// raw.text_cells and become NaN; without `note_faults` the first of them is thrown.
SettledColumns settle_columns(RawTable& raw, const ReadOptions& options, const std::string& source,
                              bool note_faults);

}  // namespace causcale

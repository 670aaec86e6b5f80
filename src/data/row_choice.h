// Which rows of a table stay, and what becomes of missing and infinite values in them.
#pragma once

#include <string>
#include <vector>

#include "data/raw_table.h"

namespace causcale {

// The rows that stay, ascending. `dropped` are rows to be left out in any case. Faults go to `notes` where
// that is given and are thrown otherwise; missing cells are counted in `columns`.
std::vector<std::size_t> choose_rows(RawTable& raw, const ReadOptions& options, const std::string& source,
                                     const std::vector<std::size_t>& dropped,
                                     std::vector<ColumnNote>& columns, ReadNotes* notes);

// Fills the missing cells of a table that consists of these rows of `raw`, by the means of their columns and,
// among words, the most frequent one. Returns how many there were.
std::size_t fill_gaps(const RawTable& raw, const std::vector<std::size_t>& rows, const std::string& source,
                      Table& table);

}  // namespace causcale

// The second pass of the CSV reader: columns that are more than plain numbers, cell by cell.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "data/csv_chunks.h"
#include "data/csv_rows.h"
#include "data/raw_table.h"

namespace causcale {

// Fills raw.texts, given the numbers and the notes of the first pass: the columns with cells that are no
// numbers, those whose kind asks for words, and, where the file has decimal commas, those that have points.
// Words are UTF-8 afterwards.
void collect_words(const std::vector<CsvChunk>& chunks, const char* readable_end, const CsvLayout& layout,
                   const ReadOptions& options, const std::function<void(std::string_view)>& done_with,
                   RawTable& raw);

}  // namespace causcale

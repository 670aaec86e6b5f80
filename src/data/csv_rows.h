// The inner part of the CSV reader: lines of cells to rows of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/reader.h"
#include "data/word_column.h"

namespace causcale {

enum class CellRole : std::uint8_t { kNumber, kSkip, kLabel, kRowName, kWord };

// What the lines of one file have in common.
struct CsvLayout {
  std::string source;  // for messages
  char delimiter = ',';
  char comment = '\0';
  std::vector<CellRole> roles;     // one per column of the file
  std::vector<std::string> names;  // likewise
  std::size_t numbers_per_row = 0;
  std::vector<std::string> missing_markers;
  bool note_text_cells = false;            // instead of throwing
  std::vector<std::uint32_t> word_column;  // kWord: which collector takes it; one per column of the file
};

// What a stretch of lines held besides numbers.
struct CsvBlock {
  std::size_t rows = 0;
  std::vector<std::size_t> line_of_row;
  std::vector<std::string> labels;
  std::vector<std::string> row_names;
  std::vector<ReadNotes::Fault> text_cells;  // one entry a column; `row` counts from the start of the block
};

// Parses whole lines. `text` lies within the bytes up to `readable_end`; numbers go to `out`, which has room
// for every row. `first_line` is the line number of the first line. `words` takes the columns of that role.
CsvBlock parse_csv_rows(std::string_view text, const char* readable_end, std::size_t first_line,
                        const CsvLayout& layout, double* out, std::vector<WordCollector>* words = nullptr);

// One line split into cells, quotes undone. `next` is where the following line starts.
struct CsvLine {
  std::vector<std::string> cells;
  std::size_t next = 0;
  std::size_t line_breaks = 0;  // including those within quotes
};
CsvLine split_csv_line(std::string_view text, std::size_t at, char delimiter);

}  // namespace causcale

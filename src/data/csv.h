// Delimited text: comma, semicolon, tab, bar or blanks; quotes, CRLF, byte order mark, comments.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "data/raw_table.h"
#include "data/reader.h"

namespace causcale {

// What becomes of cells that are no plain numbers.
enum class TextCells {
  kThrow,    // an error
  kNote,     // NaN, and noted in `text_cells`
  kCollect,  // likewise, and the whole column is kept in `texts` (not from a table that is turned over)
};

// `done_with` is told which bytes are not needed for a while, so that a mapped file need not stay in memory.
RawTable parse_csv(std::string_view text, const std::string& source, const ReadOptions& options,
                   TextCells text_cells = TextCells::kThrow,
                   const std::function<void(std::string_view)>& done_with = {});
// A text file, packed by gzip or not, or the first sheet of an Excel workbook.
RawTable read_csv(const std::filesystem::path& path, const ReadOptions& options,
                  TextCells text_cells = TextCells::kThrow);

// The delimiter that splits the first lines into the same number of cells; the extension decides where
// nothing does.
char sniff_delimiter(std::string_view text, char comment, const std::filesystem::path& path);

}  // namespace causcale

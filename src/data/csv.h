// Delimited text: comma, semicolon, tab, bar or blanks; quotes, CRLF, byte order mark, comments.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "data/raw_table.h"
#include "data/reader.h"

namespace causcale {

// Text cells are noted in the result rather than thrown where `note_text_cells` is set. `done_with` is told
// which bytes are not needed for a while, so that a mapped file need not stay in memory.
RawTable parse_csv(std::string_view text, const std::string& source, const ReadOptions& options,
                   bool note_text_cells = false, const std::function<void(std::string_view)>& done_with = {});
RawTable read_csv(const std::filesystem::path& path, const ReadOptions& options,
                  bool note_text_cells = false);

// The delimiter that splits the first lines into the same number of cells; the extension decides where
// nothing does.
char sniff_delimiter(std::string_view text, char comment, const std::filesystem::path& path);

}  // namespace causcale

// A text cut into stretches of whole lines that can be parsed independently.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace causcale {

// The start of a line, and its 1-based number.
struct CsvPosition {
  std::size_t at = 0;
  std::size_t line = 1;
};

// A stretch of whole lines with what is known before it is parsed.
struct CsvChunk {
  std::string_view text;
  std::size_t first_line = 0;
  std::size_t most_rows = 0;
  std::size_t first_row = 0;  // where its rows go if all chunks before it are full
};

// Lines are counted first, so that the table is allocated once and chunks can be parsed independently. Quoted
// cells may hold line breaks; a text with quotes is therefore one chunk.
std::vector<CsvChunk> split_into_chunks(std::string_view text, CsvPosition data, std::size_t columns,
                                        const std::function<void(std::string_view)>& done_with);

}  // namespace causcale

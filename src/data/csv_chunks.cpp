#include "data/csv_chunks.h"

#include <algorithm>
#include <cstdint>

namespace causcale {
namespace {

// Small enough to stay in the cache between counting lines and parsing them.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// In byte-sized counters, one for each byte of a stripe, which the compiler turns into vector code.
std::size_t count_line_breaks(std::string_view text) {
  constexpr std::size_t kStripe = 64, kMostStripes = 255;
  std::size_t total = 0, at = 0;
  while (text.size() - at >= kStripe) {
    std::uint8_t counters[kStripe] = {};
    const std::size_t stripes = std::min((text.size() - at) / kStripe, kMostStripes);
    for (std::size_t s = 0; s < stripes; ++s, at += kStripe)
      for (std::size_t k = 0; k < kStripe; ++k) counters[k] += text[at + k] == '\n';
    for (const std::uint8_t counter : counters) total += counter;
  }
  return total + static_cast<std::size_t>(
                     std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n'));
}

}  // namespace

std::vector<CsvChunk> split_into_chunks(std::string_view text, CsvPosition data, std::size_t columns,
                                        const std::function<void(std::string_view)>& done_with) {
  std::vector<CsvChunk> chunks;
  std::size_t line = data.line, row = 0;
  bool quotes = false;
  for (std::size_t at = data.at; at < text.size();) {
    std::size_t stop = std::min(at + kChunkBytes, text.size());
    if (stop < text.size()) stop = std::min(text.find('\n', stop - 1), text.size() - 1) + 1;
    const std::string_view piece = text.substr(at, stop - at);
    const std::size_t breaks = count_line_breaks(piece);
    quotes = quotes || piece.find('"') != piece.npos;
    // A cell takes at least one byte, its delimiter: this bounds the rows of a text of empty lines.
    const std::size_t most_rows = std::min(breaks + 1, piece.size() / columns + 1);
    chunks.push_back({piece, line, most_rows, row});
    line += breaks;
    row += most_rows;
    at = stop;
    if (done_with) done_with(piece);
  }
  if (quotes) chunks = {{text.substr(data.at), data.line, row, 0}};
  return chunks;
}

}  // namespace causcale

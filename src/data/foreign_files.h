// Files that are no text tables: packed ones, which are unpacked, and foreign formats, which are named.
#pragma once

#include <string>
#include <string_view>

namespace causcale {

// Throws InputError where the first bytes are those of a workbook, a Parquet file and such: one line that
// says what it is and how to make a table of it.
void reject_foreign_file(std::string_view bytes, const std::string& source);

bool is_gzip(std::string_view bytes);

// Throws InputError for a damaged file, one that unpacks to more than `most_bytes`, and where the program was
// built without zlib.
inline constexpr std::size_t kMostInflatedBytes = std::size_t{2} << 30;
std::string inflate_gzip(std::string_view bytes, const std::string& source,
                         std::size_t most_bytes = kMostInflatedBytes);

}  // namespace causcale

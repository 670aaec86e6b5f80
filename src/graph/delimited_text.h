// Text of lines and cells, as graphs are stored in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace causcale {

struct DelimitedLine {
  std::size_t number;  // in the file, from 1
  std::vector<std::string> cells;
};

// The lines that are neither empty nor begin with #. Tabs, semicolons, commas or spaces separate, whichever
// cuts all lines alike; cells may be quoted. Throws InputError with file and line where a quote is not
// closed.
std::vector<DelimitedLine> split_delimited(std::string_view text, const std::string& path);

}  // namespace causcale

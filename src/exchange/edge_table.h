// Lines of an edge table as its readers share them: columns found by name, cells checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/delimited_text.h"

namespace causcale {

class EdgeTable {
 public:
  // The first line is the header. Throws InputError where a line has more or fewer cells than it.
  EdgeTable(std::string_view text, const std::string& path);

  // By the first of these names that a column has, in any case; nothing where there is none.
  std::optional<std::size_t> column(std::initializer_list<std::string_view> names) const;
  std::size_t required_column(std::initializer_list<std::string_view> names) const;
  const std::vector<DelimitedLine>& lines() const { return lines_; }  // without the header
  std::string where(const DelimitedLine& line) const;
  const std::string& name(const DelimitedLine& line, std::size_t column) const;  // not empty
  double number(const DelimitedLine& line, std::size_t column) const;            // finite

 private:
  std::string path_;
  std::vector<std::string> header_;
  std::vector<DelimitedLine> lines_;
};

}  // namespace causcale

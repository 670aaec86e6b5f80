#include "graph/delimited_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "causcale/error.h"

namespace causcale {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

constexpr std::string_view kSeparators = "\t;, ";  // in order of preference

// The text up to the end of a line (not included), or of a cell with a separator other than 0. Both may
// stand within quotes, which count where a cell begins.
std::size_t end_of(std::string_view text, std::string_view separators, bool at_separator) {
  bool cell_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') return i;
    if (c == '"' && cell_begins) {
      do i = text.find('"', i + 1) == text.npos ? text.size() : text.find('"', i + 1) + 1;
      while (i < text.size() && text[i] == '"');  // a doubled quote stands for one
      if (i >= text.size()) return text.size();
      --i;
      cell_begins = false;
      continue;
    }
    const bool separates = separators.find(c) != separators.npos;
    if (separates && at_separator) return i;
    if (separates)
      cell_begins = true;
    else if (c != ' ' && c != '\t')
      cell_begins = false;
  }
  return text.size();
}

// A cell without the blanks and quotes around it.
std::string content_of(std::string_view cell) {
  cell = trimmed(cell);
  if (!cell.starts_with('"')) return std::string(cell);
  std::string content;
  bool open = true;
  for (std::size_t i = 1; i < cell.size(); ++i) {
    if (open && cell[i] == '"') {
      if (i + 1 < cell.size() && cell[i + 1] == '"')
        content += cell[++i];
      else
        open = false;
    } else {
      content += cell[i];
    }
  }
  return content;
}

std::vector<std::string> split(std::string_view line, char separator) {
  if (separator == ' ') line = trimmed(line);
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t end = end_of(line, std::string_view(&separator, 1), true);
    cells.push_back(content_of(line.substr(0, end)));
    if (end >= line.size()) return cells;
    line.remove_prefix(end + 1);
    while (separator == ' ' && line.starts_with(' ')) line.remove_prefix(1);  // runs of blanks count once
  }
}

// Names may contain characters that separate elsewhere. So, of those that occur in the first line, the one
// that cuts all lines into as many cells; the first line may have one less (R leaves the corner out).
char separator_of(const std::vector<std::string_view>& lines) {
  constexpr std::string_view kCorner = "source\\target";  // of the matrices that this program writes
  const std::string_view first = lines.front();
  if (first.starts_with(kCorner) && first.size() > kCorner.size() && first[kCorner.size()] == ',') return ',';
  std::string present;
  for (const char separator : kSeparators)
    if (split(first, separator).size() > 1) present += separator;
  if (present.empty()) return ',';
  for (const char separator : present.size() > 1 ? std::string_view(present) : std::string_view()) {
    const std::size_t width = split(lines.back(), separator).size(), head = split(first, separator).size();
    if (width < 2 || (head != width && head + 1 != width)) continue;
    if (std::all_of(lines.begin() + 1, lines.end(),
                    [&](std::string_view line) { return split(line, separator).size() == width; }))
      return separator;
  }
  return present.front();
}

}  // namespace

std::vector<DelimitedLine> split_delimited(std::string_view text, const std::string& path) {
  text = without_byte_order_mark(text);
  std::vector<std::string_view> lines;
  std::vector<std::size_t> numbers;
  for (std::size_t number = 1; !text.empty();) {
    const bool comment = text.front() == '#';
    const std::size_t end =
        comment ? std::min(text.find('\n'), text.size()) : end_of(text, kSeparators, false);
    std::string_view line = text.substr(0, end);
    const std::size_t breaks = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\n'));
    constexpr std::size_t kMostBreaks = 1000;
    if (breaks > kMostBreaks || (breaks > 0 && end == text.size() && !line.ends_with('"')))
      throw InputError(fmt::format("{}, line {}: a quote is not closed", path, number));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!comment && !trimmed(line).empty()) {
      lines.push_back(line);
      numbers.push_back(number);
    }
    number += breaks + 1;
  }
  std::vector<DelimitedLine> result;
  if (lines.empty()) return result;
  const char separator = separator_of(lines);
  for (std::size_t l = 0; l < lines.size(); ++l) result.push_back({numbers[l], split(lines[l], separator)});
  return result;
}

}  // namespace causcale

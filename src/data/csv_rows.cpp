#include "data/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "causcale/error.h"
#include "data/parse_number.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// A lone carriage return ends nothing: rows are counted by their line feeds.
bool ends_line(const char* p, const char* end) {
  return *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

// A cell taken apart the careful way.
struct Cell {
  std::string_view text;  // trimmed; points into the file or into the scratch string
  const char* end;        // the delimiter, the line break or the end of the text
  std::size_t line_breaks = 0;
  bool closed = true;  // false: a quote was opened and never closed
};

Cell take_cell(const char* at, const char* end, char delimiter, std::string& scratch) {
  while (at != end && is_blank(*at) && *at != delimiter) ++at;
  Cell cell{{}, at, 0, true};
  const auto ends_cell = [&](const char* p) {
    return *p == delimiter || (delimiter == ' ' && *p == '\t') || ends_line(p, end);
  };
  if (at != end && *at == '"') {
    scratch.clear();
    ++at;
    for (;; ++at) {
      if (at == end) {
        cell.closed = false;
        break;
      }
      if (*at == '"') {
        if (at + 1 == end || at[1] != '"') {
          ++at;
          break;
        }
        ++at;
      }
      cell.line_breaks += *at == '\n';
      scratch += *at;
    }
    // Whatever stands between the closing quote and the delimiter belongs to the cell, so that it shows up.
    while (at != end && !ends_cell(at)) {
      if (!is_blank(*at)) scratch += *at;
      ++at;
    }
    cell.text = scratch;
    cell.end = at;
    return cell;
  }
  const char* const begin = at;
  while (at != end && !ends_cell(at)) ++at;
  cell.end = at;
  while (at != begin && is_blank(at[-1])) --at;
  cell.text = {begin, static_cast<std::size_t>(at - begin)};
  return cell;
}

// Past the line break at `at`, if there is one.
const char* skip_line_break(const char* at, const char* end) {
  if (at != end && *at == '\r') ++at;
  if (at != end && *at == '\n') ++at;
  return at;
}

class RowParser {
 public:
  RowParser(std::string_view text, const char* readable_end, std::size_t first_line, const CsvLayout& layout,
            double* out, std::vector<WordCollector>* words)
      : at_(text.data()),
        end_(text.data() + text.size()),
        fast_until_(readable_end),
        layout_(layout),
        line_(first_line),
        out_(out),
        words_(words) {}

  CsvBlock run() {
    while (at_ != end_) {
      if (skip_idle_line()) continue;
      line_begin_ = at_;
      row_line_ = line_;
      parse_row();
      block_.line_of_row.push_back(row_line_);
      ++block_.rows;
    }
    return std::move(block_);
  }

 private:
  // Empty lines and comments.
  bool skip_idle_line() {
    const char* p = at_;
    while (p != end_ && *p == ' ') ++p;
    const bool comment = layout_.comment != '\0' && p != end_ && *p == layout_.comment;
    if (comment) {
      const void* next = std::memchr(p, '\n', static_cast<std::size_t>(end_ - p));
      p = next ? static_cast<const char*>(next) : end_;
    } else if (p != end_ && !ends_line(p, end_)) {
      return false;
    }
    at_ = skip_line_break(p, end_);
    ++line_;
    return true;
  }

  void parse_row() {
    const std::size_t columns = layout_.roles.size();
    const CellRole* const roles = layout_.roles.data();
    const char delimiter = layout_.delimiter;
    const char* at = at_;
    if (delimiter == ' ')
      while (at != end_ && is_blank(*at)) ++at;
    for (std::size_t column = 0;;) {
      if (column == columns) ragged();
      if (roles[column] == CellRole::kNumber && fast_until_ - at >= std::ptrdiff_t{kNumberReadAhead})
          [[likely]] {
        double value;
        const char* const stop = parse_plain_decimal(at, value);
        if (stop) [[likely]] {
          if (*stop == delimiter && stop < end_ && delimiter != ' ') [[likely]] {
            *out_++ = value;
            at = stop + 1;
            ++column;
            continue;
          }
          if (*stop == '\n' && stop < end_) {
            *out_++ = value;
            ++column;
            if (column != columns) ragged();
            at_ = stop + 1;
            ++line_;
            return;
          }
          if (delimiter == ' ' && is_blank(*stop) && stop < end_ && !at_line_end(stop)) {
            *out_++ = value;
            at = stop;
            while (is_blank(*at)) ++at;
            ++column;
            continue;
          }
        }
      }
      const Cell cell = take_cell(at, end_, delimiter, scratch_);
      if (!cell.closed)
        throw InputError(fmt::format("{}:{}: a quote is opened in column {} and never closed", layout_.source,
                                     line_, quoted_excerpt(layout_.names[column])));
      store(cell.text, column);
      line_ += cell.line_breaks;
      ++column;
      at = cell.end;
      if (delimiter == ' ')
        while (at != end_ && is_blank(*at)) ++at;
      if (at == end_ || ends_line(at, end_)) {
        if (column != columns) ragged();
        at_ = skip_line_break(at, end_);
        ++line_;
        return;
      }
      if (delimiter != ' ') ++at;
    }
  }

  // Nothing but blanks is left of the line.
  bool at_line_end(const char* at) const {
    while (at != end_ && is_blank(*at)) ++at;
    return at == end_ || ends_line(at, end_);
  }

  void store(std::string_view text, std::size_t column) {
    switch (layout_.roles[column]) {
      case CellRole::kSkip:
        return;
      case CellRole::kLabel:
        block_.labels.emplace_back(text);
        return;
      case CellRole::kRowName:
        block_.row_names.emplace_back(text);
        return;
      case CellRole::kWord:
        (*words_)[layout_.word_column[column]].add(text);
        return;
      case CellRole::kNumber:
        break;
    }
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!is_missing(text, layout_.missing_markers) && !parse_number(text, value)) {
      value = std::numeric_limits<double>::quiet_NaN();
      if (!layout_.note_text_cells) throw InputError(text_cell_message(text, column));
      note_text_cell(text, column);
    }
    *out_++ = value;
  }

  std::string text_cell_message(std::string_view text, std::size_t column) const {
    std::string message = fmt::format("{}:{}: column {}: {} is not a number", layout_.source, row_line_,
                                      quoted_excerpt(layout_.names[column]), quoted_excerpt(text));
    if (has_decimal_comma(text)) return message + " (decimal commas are not accepted: write 1.5, not 1,5)";
    return message +
           " (leave the column out with --exclude, name it as the label column, or give the text as a "
           "missing marker)";
  }

  void note_text_cell(std::string_view text, std::size_t column) {
    fault_of_column_.resize(layout_.roles.size(), 0);
    std::size_t& number = fault_of_column_[column];
    if (number == 0) {
      block_.text_cells.push_back(
          {layout_.names[column], row_line_, block_.rows, quoted_excerpt(text), 0, column});
      number = block_.text_cells.size();
    }
    ++block_.text_cells[number - 1].count;
  }

  [[noreturn]] void ragged() const {
    const CsvLine line =
        split_csv_line({line_begin_, static_cast<std::size_t>(end_ - line_begin_)}, 0, layout_.delimiter);
    std::string hint;
    if (layout_.delimiter == ',' && std::memchr(line_begin_, ';', line.next))
      hint = " (semicolons found: if the numbers have decimal commas, write them with points)";
    else if (line.cells.size() == layout_.roles.size() + 1 && block_.rows == 0)
      hint = " (if the first column holds row names and has no heading, give --row-names yes)";
    else if (line.cells.size() == 1)
      hint = " (is the delimiter right?)";
    throw InputError(fmt::format("{}:{}: expected {} cells, found {}{}", layout_.source, row_line_,
                                 layout_.roles.size(), line.cells.size(), hint));
  }

  const char* at_;
  const char* const end_;
  const char* const fast_until_;
  const CsvLayout& layout_;
  std::size_t line_;
  double* out_;
  std::vector<WordCollector>* words_;
  const char* line_begin_ = nullptr;
  std::size_t row_line_ = 0;
  std::string scratch_;
  std::vector<std::size_t> fault_of_column_;  // 1 + its place in text_cells, 0: none yet; made when needed
  CsvBlock block_;
};

}  // namespace

CsvBlock parse_csv_rows(std::string_view text, const char* readable_end, std::size_t first_line,
                        const CsvLayout& layout, double* out, std::vector<WordCollector>* words) {
  return RowParser(text, readable_end, first_line, layout, out, words).run();
}

CsvLine split_csv_line(std::string_view text, std::size_t at, char delimiter) {
  const char* p = text.data() + at;
  const char* const end = text.data() + text.size();
  CsvLine line;
  std::string scratch;
  if (delimiter == ' ')
    while (p != end && is_blank(*p)) ++p;
  for (;;) {
    const Cell cell = take_cell(p, end, delimiter, scratch);
    line.cells.emplace_back(cell.text);
    line.line_breaks += cell.line_breaks;
    p = cell.end;
    if (delimiter == ' ')
      while (p != end && is_blank(*p)) ++p;
    if (p == end || ends_line(p, end)) break;
    if (delimiter != ' ') ++p;
  }
  const char* const next = skip_line_break(p, end);
  line.line_breaks += next != p;
  line.next = static_cast<std::size_t>(next - text.data());
  return line;
}

}  // namespace causcale

#include "data/csv.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <unordered_map>

#include "base/byte_size.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/text_encoding.h"
#include "causcale/error.h"
#include "data/csv_chunks.h"
#include "data/csv_rows.h"
#include "data/csv_words.h"
#include "data/foreign_files.h"
#include "data/parse_number.h"
#include "data/workbook.h"
#include "graph/convert.h"

namespace causcale {
namespace {

using Position = CsvPosition;

Position skip_idle_lines(std::string_view text, Position position, char comment) {
  while (position.at < text.size()) {
    const std::size_t stop = std::min(text.find('\n', position.at), text.size());
    const std::size_t content = text.find_first_not_of(" \r", position.at);
    const bool idle =
        content == text.npos || content >= stop || (comment != '\0' && text[content] == comment);
    if (!idle) break;
    position.at = std::min(stop + 1, text.size());
    ++position.line;
  }
  return position;
}

void reject_binary(std::string_view text, const std::string& source) {
  const std::string_view start = text.substr(0, std::size_t{1} << 16);
  if (start.find('\0') != start.npos)
    throw InputError(
        fmt::format("{}: this is not a text table (zero bytes found); .npy, .npz and .h5ad files are known "
                    "by their extension",
                    source));
  if (start.find('\r') != start.npos && start.find('\n') == start.npos)
    throw InputError(
        fmt::format("{}: lines end in a lone carriage return; convert them to line feeds", source));
}

bool all_numbers(const std::vector<std::string>& cells) {
  double ignored;
  return !cells.empty() && std::all_of(cells.begin(), cells.end(),
                                       [&](const std::string& cell) { return parse_number(cell, ignored); });
}

// The columns of the file: their names, what becomes of each, and where the data starts.
struct Columns {
  CsvLayout layout;
  Position data;
  bool header_looks_numeric = false;
};

Columns read_columns(std::string_view text, const std::string& source, const ReadOptions& options,
                     RawTable& raw) {
  Columns columns;
  CsvLayout& layout = columns.layout;
  layout.source = source;
  layout.comment = options.comment;
  layout.missing_markers = options.missing_markers;
  layout.delimiter = options.delimiter ? options.delimiter : sniff_delimiter(text, options.comment, source);

  Position at = skip_idle_lines(text, {}, options.comment);
  if (at.at == text.size()) throw InputError(fmt::format("{}: the file is empty", source));
  bool row_names = options.row_names == RowNames::kYes;
  if (options.header) {
    CsvLine line = split_csv_line(text, at.at, layout.delimiter);
    columns.header_looks_numeric = all_numbers(line.cells);
    layout.names = std::move(line.cells);
    for (std::string& name : layout.names)
      if (make_utf8(name)) raw.not_utf8 = true;
    at = skip_idle_lines(text, {line.next, at.line + line.line_breaks}, options.comment);
  }
  columns.data = at;
  if (at.at == text.size() && options.header)
    throw InputError(fmt::format("{}: a header of {} columns and no data", source, layout.names.size()));

  const CsvLine first = split_csv_line(text, at.at, layout.delimiter);
  double ignored;
  if (options.header) {
    // R's write.table gives the row names no heading.
    const bool one_name_short = first.cells.size() == layout.names.size() + 1;
    if (one_name_short && (row_names || (options.row_names == RowNames::kAuto &&
                                         !parse_number(first.cells.front(), ignored)))) {
      layout.names.insert(layout.names.begin(), "");
      row_names = true;
    }
    if (options.row_names == RowNames::kAuto && layout.names.front().empty() && layout.names.size() > 1)
      row_names = true;
  } else {
    layout.names = default_names(first.cells.size());
    if (options.row_names == RowNames::kAuto && options.transpose &&
        !parse_number(first.cells.front(), ignored))
      row_names = true;
  }

  layout.roles.assign(layout.names.size(), CellRole::kNumber);
  if (row_names) {
    layout.roles.front() = CellRole::kRowName;
    if (!options.header) {
      layout.names = default_names(layout.names.size() - 1);
      layout.names.insert(layout.names.begin(), "");
    }
  }
  // A delimiter at the end of every line makes a last column without name or content.
  if (options.header && layout.names.size() > 1 && layout.names.back().empty() &&
      first.cells.size() == layout.names.size() && first.cells.back().empty())
    layout.roles.back() = CellRole::kSkip;

  if (!options.label_column.empty()) {
    if (options.transpose)
      throw UsageError(
          "a label column and a transposed table do not go together: give the interventions in a file");
    ReadOptions only_label;
    only_label.select = {options.label_column};
    const std::size_t label = choose_columns(layout.names, only_label, source).front();
    layout.roles[label] = CellRole::kLabel;
  }
  std::vector<std::size_t> column_of_variable;
  for (std::size_t c = 0; c < layout.roles.size(); ++c)
    if (layout.roles[c] == CellRole::kNumber) {
      column_of_variable.push_back(c);
      raw.variables.push_back(layout.names[c]);
    }
  layout.numbers_per_row = column_of_variable.size();
  if (!options.transpose) {
    raw.kept = choose_columns(raw.variables, options, source);
    for (const std::size_t c : column_of_variable) layout.roles[c] = CellRole::kSkip;
    for (const std::size_t v : raw.kept) layout.roles[column_of_variable[v]] = CellRole::kNumber;
    layout.numbers_per_row = raw.kept.size();
  }
  if (layout.numbers_per_row == 0) throw InputError(fmt::format("{}: no column of numbers", source));
  return columns;
}

// What the chunks held besides numbers, put together.
class Gathering {
 public:
  explicit Gathering(RawTable& raw) : raw_(raw) {}

  void add(CsvBlock&& block, std::size_t rows_before) {
    raw_.line_of_row.insert(raw_.line_of_row.end(), block.line_of_row.begin(), block.line_of_row.end());
    if (raw_.labels) move_to_end(block.labels, *raw_.labels);
    move_to_end(block.row_names, row_names);
    for (ReadNotes::Fault& fault : block.text_cells) {
      const auto [known, added] = fault_of_column_.emplace(fault.file_column, raw_.text_cells.size());
      if (added) {
        fault.row += rows_before;
        raw_.text_cells.push_back(std::move(fault));
      } else {
        raw_.text_cells[known->second].count += fault.count;
      }
    }
  }

  std::vector<std::string> row_names;

 private:
  static void move_to_end(std::vector<std::string>& from, std::vector<std::string>& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  RawTable& raw_;
  std::unordered_map<std::size_t, std::size_t> fault_of_column_;
};

// One chunk after the other; memory is touched as it is filled.
Matrix<double> parse_in_turn(const std::vector<CsvChunk>& chunks, const CsvLayout& layout,
                             std::string_view text, const std::function<void(std::string_view)>& done_with,
                             Gathering& gathering) {
  const std::size_t width = layout.numbers_per_row;
  std::vector<double> values;
  values.reserve((chunks.back().first_row + chunks.back().most_rows) * width);
  std::size_t rows = 0;
  for (const CsvChunk& chunk : chunks) {
    values.resize((rows + chunk.most_rows) * width);
    CsvBlock block = parse_csv_rows(chunk.text, text.data() + text.size(), chunk.first_line, layout,
                                    values.data() + rows * width);
    const std::size_t before = rows;
    rows += block.rows;
    gathering.add(std::move(block), before);
    values.resize(rows * width);
    if (done_with) done_with(chunk.text);
  }
  return {rows, width, std::move(values)};
}

// All chunks at once, each to the place it has if every chunk is full; then gaps are closed.
Matrix<double> parse_in_parallel(const std::vector<CsvChunk>& chunks, const CsvLayout& layout,
                                 std::string_view text, int threads,
                                 const std::function<void(std::string_view)>& done_with,
                                 Gathering& gathering) {
  const std::size_t width = layout.numbers_per_row;
  std::vector<double> values((chunks.back().first_row + chunks.back().most_rows) * width);
  std::vector<CsvBlock> blocks(chunks.size());
  std::vector<std::exception_ptr> failures(chunks.size());
  parallel_for(chunks.size(), threads, [&](std::size_t i) {
    try {
      blocks[i] = parse_csv_rows(chunks[i].text, text.data() + text.size(), chunks[i].first_line, layout,
                                 values.data() + chunks[i].first_row * width);
    } catch (...) {
      failures[i] = std::current_exception();
    }
    if (done_with) done_with(chunks[i].text);
  });
  for (const std::exception_ptr& failure : failures)  // the first in the file, whoever came first
    if (failure) std::rethrow_exception(failure);
  std::size_t rows = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(chunks[i].first_row * width);
    const std::size_t count = blocks[i].rows;
    if (rows != chunks[i].first_row)
      std::copy(from, from + static_cast<std::ptrdiff_t>(count * width),
                values.begin() + static_cast<std::ptrdiff_t>(rows * width));
    gathering.add(std::move(blocks[i]), rows);
    rows += count;
  }
  values.resize(rows * width);
  return {rows, width, std::move(values)};
}

}  // namespace

char sniff_delimiter(std::string_view text, char comment, const std::filesystem::path& path) {
  constexpr std::size_t kLines = 8;
  constexpr char kCandidates[] = {'\t', ';', '|', ',', ' '};  // a comma may be a decimal comma: ask it late
  std::vector<std::string_view> lines;
  for (Position at = skip_idle_lines(text, {}, comment); at.at < text.size() && lines.size() < kLines;
       at = skip_idle_lines(text, at, comment)) {
    const CsvLine line = split_csv_line(text, at.at, '\n');
    lines.push_back(text.substr(at.at, line.next - at.at));
    at = {line.next, at.line + line.line_breaks};
  }
  // A header may be one name short, as R writes it. What splits the header, too, is surer: labels such as A;B
  // in every row split a table with commas into two cells under a header of one.
  char with_short_header = '\0';
  for (const char candidate : kCandidates) {
    if (candidate == ' ' && with_short_header == '\t') break;  // blanks split at tabs, too, and within names
    std::vector<std::size_t> cells;
    for (const std::string_view line : lines)
      cells.push_back(split_csv_line(line, 0, candidate).cells.size());
    const bool short_header = cells.size() > 1 && cells[0] + 1 == cells[1];
    if (short_header) ++cells[0];
    if (cells.empty() || cells[0] < 2 ||
        std::count(cells.begin(), cells.end(), cells[0]) != std::ssize(cells))
      continue;
    if (!short_header) return candidate;
    if (with_short_header == '\0') with_short_header = candidate;
  }
  if (with_short_header != '\0') return with_short_header;
  if (path.extension() == ".tsv") return '\t';
  return ',';
}

RawTable parse_csv(std::string_view text, const std::string& source, const ReadOptions& options,
                   TextCells text_cells, const std::function<void(std::string_view)>& done_with) {
  text = without_byte_order_mark(text);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw InputError(fmt::format("{}: the text is UTF-16; save it as UTF-8", source));
  reject_binary(text, source);

  RawTable raw;
  Columns columns = read_columns(text, source, options, raw);
  CsvLayout& layout = columns.layout;
  layout.note_text_cells = text_cells != TextCells::kThrow;
  raw.header_looks_numeric = columns.header_looks_numeric;
  raw.decimal_commas_likely = layout.delimiter == ';';
  if (!options.label_column.empty()) raw.labels.emplace();

  const std::vector<CsvChunk> chunks = split_into_chunks(text, columns.data, layout.roles.size(), done_with);
  Gathering gathering(raw);
  const int threads = std::min<int>(resolve_threads(options.threads), static_cast<int>(chunks.size()));
  Matrix<double> values = threads > 1 ? parse_in_parallel(chunks, layout, text, threads, done_with, gathering)
                                      : parse_in_turn(chunks, layout, text, done_with, gathering);
  if (raw.labels)
    for (std::string& label : *raw.labels)
      if (make_utf8(label)) raw.not_utf8 = true;
  if (!options.transpose) {
    raw.values = std::move(values);
    if (text_cells == TextCells::kCollect)
      collect_words(chunks, text.data() + text.size(), layout, options, done_with, raw);
    return raw;
  }
  for (std::string& name : gathering.row_names)
    if (make_utf8(name)) raw.not_utf8 = true;
  raw.variables.clear();
  adopt_whole_table(std::move(values), std::move(gathering.row_names), options, source, raw);
  // Lines are variables now, and rows have no line of their own.
  raw.line_of_row.clear();
  return raw;
}

RawTable read_csv(const std::filesystem::path& path, const ReadOptions& options, TextCells text_cells) {
  const MappedFile file(path);
  if (is_workbook(file.bytes())) {
    ReadOptions with_commas = options;
    with_commas.delimiter = ',';
    return parse_csv(workbook_text(file.bytes(), path.string(), reading_limit(options.max_bytes)),
                     path.string(), with_commas, text_cells);
  }
  reject_foreign_file(file.text(), path.string());
  if (is_gzip(file.text()))
    return parse_csv(inflate_gzip(file.text(), path.string()), path.string(), options, text_cells);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto release = [page](std::string_view done) {
    const auto begin = (reinterpret_cast<std::uintptr_t>(done.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(done.data() + done.size()) / page * page;
    // The mapping is read-only: what is needed again comes back from the file.
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  };
  return parse_csv(file.text(), path.string(), options, text_cells, release);
}

}  // namespace causcale

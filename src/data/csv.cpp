#include "data/csv.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <unordered_map>

#include "base/file.h"
#include "base/parallel.h"
#include "causcale/error.h"
#include "data/csv_rows.h"
#include "data/parse_number.h"
#include "graph/convert.h"

namespace causcale {
namespace {

// Small enough to stay in the cache between counting lines and parsing them.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// Where the first line that is neither empty nor a comment starts, and how many lines come before it.
struct Position {
  std::size_t at = 0;
  std::size_t line = 1;
};

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

// A stretch of whole lines with what is known before it is parsed.
struct Chunk {
  std::string_view text;
  std::size_t first_line = 0;
  std::size_t most_rows = 0;
  std::size_t first_row = 0;  // where its rows go if all chunks before it are full
};

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

// Lines are counted first, so that the table is allocated once and chunks can be parsed independently. Quoted
// cells may hold line breaks; a text with quotes is therefore one chunk.
std::vector<Chunk> split_into_chunks(std::string_view text, Position data, std::size_t columns,
                                     const std::function<void(std::string_view)>& done_with) {
  std::vector<Chunk> chunks;
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

// What the chunks held besides numbers, put together.
class Gathering {
 public:
  explicit Gathering(RawTable& raw) : raw_(raw) {}

  void add(CsvBlock&& block, std::size_t rows_before) {
    raw_.line_of_row.insert(raw_.line_of_row.end(), block.line_of_row.begin(), block.line_of_row.end());
    if (raw_.labels) move_to_end(block.labels, *raw_.labels);
    move_to_end(block.row_names, row_names);
    for (ReadNotes::Fault& fault : block.text_cells) {
      const auto [known, added] = fault_of_column_.emplace(fault.column, raw_.text_cells.size());
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
  std::unordered_map<std::string, std::size_t> fault_of_column_;
};

// One chunk after the other; memory is touched as it is filled.
Matrix<double> parse_in_turn(const std::vector<Chunk>& chunks, const CsvLayout& layout, std::string_view text,
                             const std::function<void(std::string_view)>& done_with, Gathering& gathering) {
  const std::size_t width = layout.numbers_per_row;
  std::vector<double> values;
  values.reserve((chunks.back().first_row + chunks.back().most_rows) * width);
  std::size_t rows = 0;
  for (const Chunk& chunk : chunks) {
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
Matrix<double> parse_in_parallel(const std::vector<Chunk>& chunks, const CsvLayout& layout,
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
  for (const char candidate : kCandidates) {
    std::vector<std::size_t> cells;
    for (const std::string_view line : lines)
      cells.push_back(split_csv_line(line, 0, candidate).cells.size());
    if (cells.size() > 1 && cells[0] + 1 == cells[1]) ++cells[0];  // a header may be one name short
    if (!cells.empty() && cells[0] > 1 &&
        std::count(cells.begin(), cells.end(), cells[0]) == std::ssize(cells))
      return candidate;
  }
  if (path.extension() == ".tsv") return '\t';
  return ',';
}

RawTable parse_csv(std::string_view text, const std::string& source, const ReadOptions& options,
                   bool note_text_cells, const std::function<void(std::string_view)>& done_with) {
  text = without_byte_order_mark(text);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw InputError(fmt::format("{}: the text is UTF-16; save it as UTF-8", source));
  reject_binary(text, source);

  RawTable raw;
  Columns columns = read_columns(text, source, options, raw);
  CsvLayout& layout = columns.layout;
  layout.note_text_cells = note_text_cells;
  raw.header_looks_numeric = columns.header_looks_numeric;
  if (!options.label_column.empty()) raw.labels.emplace();

  const std::vector<Chunk> chunks = split_into_chunks(text, columns.data, layout.roles.size(), done_with);
  Gathering gathering(raw);
  const int threads = std::min<int>(resolve_threads(options.threads), static_cast<int>(chunks.size()));
  Matrix<double> values = threads > 1 ? parse_in_parallel(chunks, layout, text, threads, done_with, gathering)
                                      : parse_in_turn(chunks, layout, text, done_with, gathering);
  if (!options.transpose) {
    raw.values = std::move(values);
    return raw;
  }
  raw.variables.clear();
  adopt_whole_table(std::move(values), std::move(gathering.row_names), options, source, raw);
  // Lines are variables now, and rows have no line of their own.
  raw.line_of_row.clear();
  return raw;
}

RawTable read_csv(const std::filesystem::path& path, const ReadOptions& options, bool note_text_cells) {
  const MappedFile file(path);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto release = [page](std::string_view done) {
    const auto begin = (reinterpret_cast<std::uintptr_t>(done.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(done.data() + done.size()) / page * page;
    // The mapping is read-only: what is needed again comes back from the file.
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  };
  return parse_csv(file.text(), path.string(), options, note_text_cells, release);
}

}  // namespace causcale

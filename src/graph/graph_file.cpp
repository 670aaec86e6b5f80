#include "graph/graph_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/byte_size.h"
#include "base/decimal.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/text_encoding.h"
#include "causcale/error.h"
#include "graph/delimited_text.h"
#include "graph/sparse_file.h"

namespace causcale {

namespace {

double score_in(const std::string& path, const DelimitedLine& line, std::size_t column) {
  const std::string& cell = line.cells[column];
  const auto value = parse_decimal(cell);
  if (!value || !std::isfinite(*value))
    throw InputError(fmt::format("{}, line {}, column {}: '{}' is not a finite number", path, line.number,
                                 column + 1, cell));
  return *value;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool begins_edge_list(const DelimitedLine& header) {
  if (header.cells.size() < 2) return false;
  const std::string first = lower(header.cells[0]), second = lower(header.cells[1]);
  return (first == "source" && second == "target") || (first == "from" && second == "to");
}

// Numbers of more digits are identifiers rather than positions.
bool is_node_number(const std::string& name) {
  return !name.empty() && name.size() <= 5 &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         (name == "0" || name[0] != '0');
}

GraphFile parse_edge_list(const std::vector<DelimitedLine>& lines, const std::string& path) {
  const std::vector<std::string>& header = lines.front().cells;
  std::optional<std::size_t> score_column, reverse_column, marks_column;
  for (std::size_t c = 2; c < header.size(); ++c) {
    const std::string name = lower(header[c]);
    for (const char* known : {"probability", "score", "weight", "strength"})
      if (name == known && !score_column) score_column = c;
    if ((name == "probability_reverse" || name == "score_reverse") && !reverse_column) reverse_column = c;
    if (name == "edge") marks_column = c;
  }
  GraphFile result;
  result.path = path;
  result.is_edge_list = true;
  result.has_scores = score_column.has_value();
  std::unordered_map<std::string, int> index;
  std::set<std::pair<int, int>> seen;
  for (std::size_t l = 1; l < lines.size(); ++l) {
    const DelimitedLine& line = lines[l];
    if (line.cells.size() != header.size())
      throw InputError(fmt::format("{}, line {}: {} cells, the header has {}", path, line.number,
                                   line.cells.size(), header.size()));
    std::array<int, 2> ends{};
    for (int end : {0, 1}) {
      const std::string& name = line.cells[end];
      if (name.empty())
        throw InputError(fmt::format("{}, line {}, column {}: the name of a variable is missing", path,
                                     line.number, end + 1));
      const auto [entry, added] = index.emplace(name, static_cast<int>(result.names.size()));
      if (added) result.names.push_back(name);
      ends[end] = entry->second;
    }
    const auto [source, target] = ends;
    if (source == target)
      throw InputError(
          fmt::format("{}, line {}: edge from '{}' to itself", path, line.number, line.cells[0]));
    if (!seen.insert({source, target}).second)
      throw InputError(fmt::format("{}, line {}: edge {} -> {} was given before", path, line.number,
                                   line.cells[0], line.cells[1]));
    // A common cause that was not measured: neither of the two acts on the other.
    if (marks_column && line.cells[*marks_column] == "<->") continue;
    result.edges.push_back({source, target, score_column ? score_in(path, line, *score_column) : 1.0});
    if (score_column && reverse_column)
      result.reverse_scores.push_back(score_in(path, line, *reverse_column));
  }
  result.named = has_names(true, result.names);
  return result;
}

// The header may stand above the first column of names with a cell of its own or (as R writes it) without.
GraphFile parse_matrix(const std::vector<DelimitedLine>& lines, const std::string& path) {
  GraphFile result;
  result.path = path;
  const auto is_number = [](const std::string& cell) { return parse_decimal(cell).has_value(); };
  const std::vector<std::string>& first = lines.front().cells;
  const std::size_t width = lines.back().cells.size();
  const bool header = lines.size() == width + 1 || !std::all_of(first.begin(), first.end(), is_number);
  const std::size_t n = header ? lines.size() - 1 : lines.size();
  const bool row_names = header && width == n + 1;
  if (width != n + row_names)
    throw InputError(fmt::format(
        "{}: {} rows of {} cells are no square matrix; an edge list has to start with a line source,target",
        path, n, width));
  if (header) {
    result.names.assign(first.end() - std::min(n, first.size()), first.end());
    if (first.size() != n && first.size() != n + row_names)
      throw InputError(
          fmt::format("{}, line {}: {} names for {} columns", path, lines.front().number, first.size(), n));
    require_distinct_names(result.names, fmt::format("{}, line {}", path, lines.front().number));
  } else {
    result.names = numbers_as_names(n);
  }

  result.matrix = Matrix<double>(n, n);
  for (std::size_t r = 0; r < n; ++r) {
    const DelimitedLine& line = lines[r + header];
    if (line.cells.size() != width)
      throw InputError(fmt::format("{}, line {}: {} cells, other lines have {}", path, line.number,
                                   line.cells.size(), width));
    if (row_names && line.cells[0] != result.names[r])
      throw InputError(
          fmt::format("{}, line {}: row '{}' where column {} is '{}'; both have to be in the same order",
                      path, line.number, line.cells[0], r + 1, result.names[r]));
    for (std::size_t c = 0; c < n; ++c) result.matrix(r, c) = score_in(path, line, c + row_names);
  }
  result.named = has_names(false, result.names);
  return result;
}

}  // namespace

void require_distinct_names(const std::vector<std::string>& names, const std::string& where) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty()) throw InputError(fmt::format("{}: a name is empty", where));
    if (!seen.insert(name).second) throw InputError(fmt::format("{}: name '{}' occurs twice", where, name));
  }
}

std::vector<std::string> numbers_as_names(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = std::to_string(i);
  return names;
}

GraphFile with_whole_matrix(GraphFile file, std::size_t max_bytes) {
  if (!file.is_sparse) return file;
  const std::size_t n = file.names.size();
  require_memory(fmt::format("{} has {} variables, whose matrix", file.path, n),
                 std::uint64_t{1} * n * n * sizeof(double), reading_limit(max_bytes));
  file.matrix = Matrix<double>(n, n);
  for (const StoredEdge& edge : file.edges) file.matrix(edge.source, edge.target) = edge.score;
  file.edges.clear();
  file.is_sparse = false;
  return file;
}

bool has_names(bool is_edge_list, const std::vector<std::string>& names) {
  if (is_edge_list) return !std::all_of(names.begin(), names.end(), is_node_number);
  return names != numbers_as_names(names.size());
}

GraphFile parse_graph_text(std::string_view text, const std::string& path) {
  if (text.find('\0') != std::string_view::npos)
    throw InputError(fmt::format("{}: neither text nor a .npy file", path));
  const std::vector<DelimitedLine> lines = split_delimited(text, path);
  if (lines.empty()) throw InputError(fmt::format("{}: the file is empty", path));
  return begins_edge_list(lines.front()) ? parse_edge_list(lines, path) : parse_matrix(lines, path);
}

GraphFile read_graph_file(const std::filesystem::path& path) {
  if (is_sparse_name(path)) return read_sparse(path);
  if (path.extension() != ".npy") {
    const MappedFile file(path);
    std::string converted;
    return parse_graph_text(as_utf8(file.text(), converted), path.string());
  }
  NpyArray array = read_npy(path, reading_limit(0));
  if (array.shape.size() != 2 || array.shape[0] != array.shape[1])
    throw InputError(fmt::format("{}: shape ({}), a graph is a square matrix", path.string(),
                                 fmt::join(array.shape, ", ")));
  GraphFile result;
  result.path = path.string();
  result.names = numbers_as_names(array.shape[0]);
  result.matrix = Matrix<double>(array.shape[0], array.shape[0], std::move(array.values));
  for (std::size_t i = 0; i < result.matrix.size(); ++i)
    if (!std::isfinite(result.matrix.values()[i]))
      throw InputError(fmt::format("{}: row {}, column {} is not a finite number", result.path,
                                   i / array.shape[0], i % array.shape[0]));
  return result;
}

}  // namespace causcale

#include "exchange/edge_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/csv_cell.h"
#include "base/decimal.h"
#include "causcale/error.h"
#include "exchange/format_files.h"

namespace causcale {

EdgeTable::EdgeTable(std::string_view text, const std::string& path) : path_(path) {
  lines_ = split_delimited(text, path);
  if (lines_.empty()) throw InputError(fmt::format("{}: the file is empty", path));
  header_ = std::move(lines_.front().cells);
  lines_.erase(lines_.begin());
  for (std::string& cell : header_)
    std::transform(cell.begin(), cell.end(), cell.begin(), [](unsigned char c) { return std::tolower(c); });
  for (DelimitedLine& line : lines_) {
    // R's write.table puts row names before the cells and nothing above them.
    if (line.cells.size() == header_.size() + 1) line.cells.erase(line.cells.begin());
    if (line.cells.size() != header_.size())
      throw InputError(
          fmt::format("{}: {} cells, the header has {}", where(line), line.cells.size(), header_.size()));
  }
}

std::optional<std::size_t> EdgeTable::column(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(header_, name);
    if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
  }
  return std::nullopt;
}

std::size_t EdgeTable::required_column(std::initializer_list<std::string_view> names) const {
  if (const auto found = column(names)) return *found;
  throw InputError(fmt::format("{}, line 1: no column {}; there are {}", path_, fmt::join(names, " or "),
                               fmt::join(header_, ", ")));
}

std::string EdgeTable::where(const DelimitedLine& line) const {
  return fmt::format("{}, line {}", path_, line.number);
}

const std::string& EdgeTable::name(const DelimitedLine& line, std::size_t column) const {
  const std::string& cell = line.cells[column];
  if (cell.empty())
    throw InputError(
        fmt::format("{}, column {}: the name of a variable is missing", where(line), column + 1));
  return cell;
}

double EdgeTable::number(const DelimitedLine& line, std::size_t column) const {
  const std::string& cell = line.cells[column];
  const auto value = parse_decimal(cell);
  if (!value || !std::isfinite(*value))
    throw InputError(
        fmt::format("{}, column {}: '{}' is not a finite number", where(line), column + 1, cell));
  return *value;
}

// A line per edge: source,target with an optional column of scores and one of marks; or from,edge,to as caugi
// and causalDisco have it, in which an undirected edge stands once.
GraphDocument parse_edge_table(std::string_view text, const std::string& path,
                               std::optional<double> threshold) {
  const EdgeTable table(text, path);
  const std::size_t source = table.required_column({"source", "from"});
  const std::size_t target = table.required_column({"target", "to"});
  const auto marks = table.column({"edge"});
  const auto score = table.column({"probability", "score", "weight", "strength"});
  DocumentBuilder builder(path);
  builder.document().all_nodes = false;
  for (const DelimitedLine& line : table.lines()) {
    DocumentEdge edge{builder.node(table.name(line, source)), builder.node(table.name(line, target)),
                      Mark::kTail, Mark::kArrow};
    if (marks && !parse_edge_text(line.cells[*marks], edge.at_a, edge.at_b))
      throw InputError(fmt::format("{}, column {}: '{}' is no edge (--> --- <-> o-> o-o --o <-- are known)",
                                   table.where(line), *marks + 1, line.cells[*marks]));
    if (score) edge.score = table.number(line, *score);
    if (threshold && score && !(edge.score > *threshold)) continue;
    builder.edge(edge, table.where(line), marks.has_value());
  }
  return builder.finish();
}

std::string format_edges(const GraphDocument& document) {
  const bool scores =
      std::ranges::any_of(document.edges, [](const DocumentEdge& edge) { return !std::isnan(edge.score); });
  const bool marks = !std::ranges::all_of(document.edges, &DocumentEdge::is_arrow);
  std::string out = fmt::format("source,target{}{}\n", scores ? ",score" : "", marks ? ",edge" : "");
  const auto line = [&](const DocumentEdge& edge) {
    out += fmt::format("{},{}", csv_cell(document.names[static_cast<std::size_t>(edge.a)]),
                       csv_cell(document.names[static_cast<std::size_t>(edge.b)]));
    if (scores) out += fmt::format(",{:.9g}", std::isnan(edge.score) ? 1.0 : edge.score);
    if (marks) out += ',' + edge_text(edge);
    out += '\n';
  };
  // A line for every direction that the marks leave open, as discover writes them.
  for (const DocumentEdge& edge : document.edges) {
    line(edge);
    if (edge.at_b != Mark::kArrow) line({edge.b, edge.a, edge.at_b, edge.at_a, edge.score});
  }
  return out;
}

std::string format_caugi(const GraphDocument& document) {
  std::string out = "from,edge,to\n";
  for (const DocumentEdge& edge : document.edges)
    out += fmt::format("{},{},{}\n", csv_cell(document.names[static_cast<std::size_t>(edge.a)]),
                       edge_text(edge), csv_cell(document.names[static_cast<std::size_t>(edge.b)]));
  return out;
}

}  // namespace causcale

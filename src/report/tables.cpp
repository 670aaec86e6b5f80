// Plain tables: edge list, list of all pairs and matrix as CSV.
#include <fmt/format.h>

#include "graph/ranked_edges.h"
#include "report/report.h"

namespace causcale {
std::string csv_cell(const std::string& text) {
  // What separates cells in other people's files is quoted, too, so that nobody has to guess.
  const auto is_blank = [](char c) { return c == ' '; };
  const bool like_a_comment = text.starts_with('#');
  const bool blank_ends = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  if (text.find_first_of(",;\t\"\r\n") == std::string::npos && !like_a_comment && !blank_ends) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

namespace {

std::string bootstrap_cells(const DiscoverResult& result, Edge edge) {
  std::string cells;
  for (const EdgeFigure& figure : bootstrap_figures(result))
    cells += fmt::format(",{:.6f}", (*figure.values)(edge.source, edge.target));
  return cells;
}

std::string edge_columns(const DiscoverResult& result) {
  std::string header = "source,target,probability,probability_reverse";
  for (const EdgeFigure& figure : bootstrap_figures(result)) header += fmt::format(",{}", figure.name);
  return header;
}

}  // namespace

std::string format_edges_csv(const DiscoverResult& result) {
  std::string out = edge_columns(result) + '\n';
  for (const ScoredEdge& scored : graph_edges(result)) {
    const auto [source, target] = scored.edge;
    out +=
        fmt::format("{},{},{:.6f},{:.6f}{}\n", csv_cell(result.names[source]), csv_cell(result.names[target]),
                    scored.score, result.probabilities(target, source), bootstrap_cells(result, scored.edge));
  }
  return out;
}

std::string format_pairs_csv(const DiscoverResult& result) {
  const int n = static_cast<int>(result.names.size());
  std::vector<ScoredEdge> pairs;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j) pairs.push_back({{i, j}, result.probabilities(i, j)});
  sort_by_score(pairs);
  std::string out = edge_columns(result) + ",selected\n";
  for (const ScoredEdge& pair : pairs) {
    const auto [source, target] = pair.edge;
    // As many digits as the matrix has: the ranking is what such a list is for.
    out += fmt::format("{},{},{:.9g},{:.9g}{},{}\n", csv_cell(result.names[source]),
                       csv_cell(result.names[target]), pair.score, result.probabilities(target, source),
                       bootstrap_cells(result, pair.edge), result.graph.has_edge(source, target) ? 1 : 0);
  }
  return out;
}

std::string format_matrix_csv(const DiscoverResult& result) {
  std::string out = "source\\target";
  for (const std::string& name : result.names) out += ',' + csv_cell(name);
  out += '\n';
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    out += csv_cell(result.names[i]);
    for (double probability : result.probabilities.row(i)) out += fmt::format(",{:.9g}", probability);
    out += '\n';
  }
  return out;
}

}  // namespace causcale

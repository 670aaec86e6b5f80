// Plain tables: edge list, list of all pairs and matrix as CSV.
#include <fmt/format.h>

#include <cmath>

#include "discover/direction.h"
#include "graph/ranked_edges.h"
#include "report/effect_figures.h"
#include "report/report.h"
#include "report/sparse_output.h"

namespace causcale {
namespace {

std::string figure_cells(const DiscoverResult& result, Edge edge) {
  std::string cells;
  for (const EdgeFigure& figure : edge_figures(result))
    cells += fmt::format(",{:.6f}", (*figure.values)(edge.source, edge.target));
  if (!result.directions.empty()) {
    const DirectionEvidence* direction = find_direction(result, edge);
    cells += ',' + (direction ? name_of(kDirectionNames, direction->basis) : "");
  }
  if (!result.effects.empty()) {
    const EdgeEffect* effect = find_effect(result, edge);
    cells += ',' + (effect ? effect_kind_name(effect->kind) : "");
  }
  for (const auto& [name, value] : effect_figures(result, edge))
    cells += std::isnan(value) ? "," : fmt::format(",{:.6g}", value);
  return cells;
}

std::string edge_columns(const DiscoverResult& result) {
  std::string header = "source,target,probability,probability_reverse";
  for (const EdgeFigure& figure : edge_figures(result)) header += fmt::format(",{}", figure.name);
  if (!result.directions.empty()) header += ",direction_told_by";
  if (!result.effects.empty()) header += ",effect_kind";
  for (const auto& [name, value] : effect_figures(result, {})) header += fmt::format(",{}", name);
  return header;
}

}  // namespace

std::string format_edges_csv(const DiscoverResult& result) {
  std::string out = edge_columns(result) + '\n';
  for (const ScoredEdge& scored : graph_edges(result)) {
    const auto [source, target] = scored.edge;
    out +=
        fmt::format("{},{},{:.6f},{:.6f}{}\n", csv_cell(result.names[source]), csv_cell(result.names[target]),
                    scored.score, result.probabilities(target, source), figure_cells(result, scored.edge));
  }
  return out;
}

std::string format_pairs_csv(const DiscoverResult& result) {
  const int n = static_cast<int>(result.names.size());
  if (result.min_probability == 0)
    require_text_size("--all-pairs", result.names.size(), "give --min-probability, too");
  std::vector<ScoredEdge> pairs;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && result.probabilities(i, j) >= result.min_probability)
        pairs.push_back({{i, j}, result.probabilities(i, j)});
  sort_by_score(pairs);
  std::string out = edge_columns(result) + ",selected\n";
  for (const ScoredEdge& pair : pairs) {
    const auto [source, target] = pair.edge;
    // As many digits as the matrix has: the ranking is what such a list is for.
    out += fmt::format("{},{},{:.9g},{:.9g}{},{}\n", csv_cell(result.names[source]),
                       csv_cell(result.names[target]), pair.score, result.probabilities(target, source),
                       figure_cells(result, pair.edge), result.graph.has_edge(source, target) ? 1 : 0);
  }
  return out;
}

std::string format_matrix_csv(const DiscoverResult& result) {
  return format_matrix_csv(result.names, result.probabilities);
}

std::string format_matrix_csv(const std::vector<std::string>& names, const Matrix<double>& values) {
  std::string out = "source\\target";
  for (const std::string& name : names) out += ',' + csv_cell(name);
  out += '\n';
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += csv_cell(names[i]);
    for (const double value : values.row(i)) out += fmt::format(",{:.9g}", value);
    out += '\n';
  }
  return out;
}

}  // namespace causcale

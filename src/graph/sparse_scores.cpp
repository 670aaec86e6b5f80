#include "graph/sparse_scores.h"

#include <fmt/format.h>

#include <algorithm>

#include "causcale/error.h"

namespace causcale {

const double* SparseScores::find(int source, int target) const {
  const Edge edge{source, target};
  const auto found = std::ranges::lower_bound(entries, edge, {}, &ScoredEdge::edge);
  return found != entries.end() && found->edge == edge ? &found->score : nullptr;
}

SparseScores sparse_scores(int nodes, std::vector<ScoredEdge> entries) {
  std::ranges::sort(entries, {}, &ScoredEdge::edge);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto [source, target] = entries[k].edge;
    if (source < 0 || target < 0 || source >= nodes || target >= nodes)
      throw InputError(fmt::format("a score of {} -> {} among {} variables", source, target, nodes));
    if (source == target) throw InputError(fmt::format("a score of variable {} with itself", source));
    if (k > 0 && entries[k - 1].edge == entries[k].edge)
      throw InputError(fmt::format("the score of {} -> {} is given twice", source, target));
  }
  return {nodes, std::move(entries)};
}

SparseScores scores_at_least(const Matrix<double>& matrix, double least) {
  if (matrix.rows() != matrix.cols())
    throw InputError(fmt::format("a matrix of edge scores must be square, this one is {} x {}", matrix.rows(),
                                 matrix.cols()));
  SparseScores result{static_cast<int>(matrix.rows()), {}};
  for (int i = 0; i < result.nodes; ++i) {
    const auto row = matrix.row(i);
    for (int j = 0; j < result.nodes; ++j)
      if (row[j] >= least && row[j] != 0.0 && i != j) result.entries.push_back({{i, j}, row[j]});
  }
  return result;
}

Matrix<double> dense_scores(const SparseScores& scores) {
  Matrix<double> matrix(scores.nodes, scores.nodes);
  for (const auto& [edge, score] : scores.entries) matrix(edge.source, edge.target) = score;
  return matrix;
}

std::vector<double> scores_of_edges(const SparseScores& scores, const Digraph& graph) {
  std::vector<double> result;
  result.reserve(graph.edge_count());
  for (const Edge& edge : graph.edges()) result.push_back(scores.at(edge.source, edge.target));
  return result;
}

Digraph graph_above(const SparseScores& scores, double threshold) {
  const auto pairs = static_cast<std::size_t>(scores.nodes) * (static_cast<std::size_t>(scores.nodes) - 1);
  if (threshold < 0.0 && scores.entries.size() < pairs)
    throw InputError(
        fmt::format("a threshold of {}: it must not be negative where pairs without a score count as 0, "
                    "as all of them would be edges",
                    threshold));
  std::vector<Edge> edges;
  for (const auto& [edge, score] : scores.entries)
    if (score > threshold) edges.push_back(edge);
  return Digraph(scores.nodes, std::move(edges));
}

}  // namespace causcale

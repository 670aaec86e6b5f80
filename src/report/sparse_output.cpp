#include "report/sparse_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "causcale/error.h"
#include "report/matrix_json.h"
#include "report/report.h"

namespace causcale {
namespace {

using Json = nlohmann::ordered_json;

Json columns_of(const SparseScores& scores, double least, const char* name) {
  std::vector<int> source, target;
  std::vector<double> score;
  for (const auto& [edge, value] : scores.entries) {
    source.push_back(edge.source);
    target.push_back(edge.target);
    score.push_back(value);
  }
  return {{"least", least},
          {"source", std::move(source)},
          {"target", std::move(target)},
          {name, std::move(score)}};
}

}  // namespace

double output_floor(const DiscoverResult& result) {
  if (result.min_probability > 0) return result.min_probability;
  return is_probability(result) ? kUsualFloor : -std::numeric_limits<double>::infinity();
}

SparseScores scores_above_floor(const DiscoverResult& result) {
  return scores_at_least(result.probabilities, output_floor(result));
}

SparseScores graph_scores(const DiscoverResult& result) {
  SparseScores scores{result.graph.nodes(), {}};
  for (const Edge& edge : result.graph.edges())
    scores.entries.push_back({edge, result.probabilities(edge.source, edge.target)});
  return scores;
}

bool holds_pairs(const DiscoverResult& result) {
  return result.min_probability > 0 || result.names.size() > kMostJsonVariables;
}

Json pairs_json(const DiscoverResult& result) {
  const SparseScores above = scores_above_floor(result);
  SparseScores scores = above;
  for (const ScoredEdge& entry : graph_scores(result).entries)
    if (!above.find(entry.edge.source, entry.edge.target)) scores.entries.push_back(entry);
  std::ranges::sort(scores.entries, {}, &ScoredEdge::edge);
  Json json = columns_of(scores, std::max(0.0, output_floor(result)), "score");
  for (const EdgeFigure& figure : bootstrap_figures(result)) {
    std::vector<double> column;
    for (const ScoredEdge& entry : scores.entries)
      column.push_back((*figure.values)(entry.edge.source, entry.edge.target));
    json[figure.name] = std::move(column);
  }
  return json;
}

Json pairs_json(const Matrix<double>& values, double least, const char* name) {
  return columns_of(scores_at_least(values, least), std::max(0.0, least), name);
}

void add_matrices(const DiscoverResult& result, const char* key, Json& out) {
  const bool sparse = holds_pairs(result);
  if (sparse)
    out["pairs"] = pairs_json(result);
  else
    out[key] = matrix_json(result.probabilities);
  if (result.bootstrap == 0) return;
  out["bootstrap"]["repetitions"] = result.bootstrap;
  if (sparse) return;  // the figures are columns of the pairs
  for (const EdgeFigure& figure : bootstrap_figures(result))
    out["bootstrap"][figure.name] = matrix_json(*figure.values);
}

void add_told_pairs(const DiscoverResult& result, Json& out) {
  for (const auto& [name, told] :
       {std::pair("feedback", &result.feedback), std::pair("confounded", &result.confounded)}) {
    if (told->empty()) continue;
    if (told->rows() > kMostJsonVariables)
      out[name]["pairs"] = pairs_json(*told, output_floor(result), name);
    else
      out[name] = matrix_json(*told);
  }
}

void require_text_size(const std::string& what, std::size_t variables, const char* instead) {
  if (variables <= kMostTextVariables) return;
  throw UsageError(fmt::format("{}: the scores of {} x {} pairs are too many for text; {}", what, variables,
                               variables, instead));
}

}  // namespace causcale

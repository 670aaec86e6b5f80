#include "discover/select.h"

#include <algorithm>
#include <cmath>

#include "graph/cycles.h"
#include "graph/optimal_acyclic.h"
#include "graph/ranked_edges.h"

namespace causcale {

std::vector<std::vector<std::size_t>> deal_rows(std::size_t rows, int passes, std::size_t largest,
                                                std::uint64_t seed) {
  // Card k goes to player k mod P. As canonical order groups rows by regime, every player gets its share of
  // each. A player with more cards than allowed keeps an evenly spaced part of its hand, for the same reason.
  std::vector<std::vector<std::size_t>> hands(passes);
  for (std::size_t k = 0; k < rows; ++k) hands[(k + seed) % passes].push_back(k);
  for (auto& hand : hands) {
    if (largest == 0 || hand.size() <= largest) continue;
    const std::size_t slack = hand.size() / largest;  // room to start at another card
    std::vector<std::size_t> thinned(largest);
    for (std::size_t k = 0; k < largest; ++k)
      thinned[k] =
          hand[std::min(k * hand.size() / largest + static_cast<std::size_t>(seed % slack), hand.size() - 1)];
    hand = std::move(thinned);
  }
  return hands;
}

std::vector<Edge> selected_edges(const DiscoverOptions& options, const Matrix<double>& probabilities) {
  const std::vector<ScoredEdge> chosen = options.top > 0 ? surest_edges(probabilities, options.top)
                                                         : ranked_edges(probabilities, options.threshold);
  std::vector<Edge> edges;
  for (const ScoredEdge& scored : chosen)
    if (scored.score >= options.min_probability) edges.push_back(scored.edge);
  // A threshold of 1 or a small K must not push a required edge out.
  for (const Edge& edge : options.knowledge.required) edges.push_back(edge);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

void select_graph(const DiscoverOptions& options, DiscoverResult& result) {
  select_graph(options, selected_edges(options, result.probabilities), result);
}

void select_graph(const DiscoverOptions& options, std::vector<Edge> edges, DiscoverResult& result) {
  result.graph = Digraph(static_cast<int>(result.names.size()), std::move(edges));
  result.min_probability = options.min_probability;
  result.removed_edges.clear();
  result.acyclic_price = {};
  if (!options.acyclic) return;

  double least = options.threshold;
  if (options.top > 0)
    for (const Edge& edge : result.graph.edges())
      least = std::min(least, result.probabilities(edge.source, edge.target));
  const auto price = [&](const Edge& edge) {
    return edge_log_odds(result.probabilities(edge.source, edge.target), least);
  };
  // Of the edges alone: a copy of the matrix could take gigabytes.
  const std::vector<double> scores = edge_scores(result.graph, result.probabilities, options.knowledge);
  CycleBreaking broken = break_cycles(result.graph, scores);
  for (const ScoredEdge& removed : broken.removed)
    result.acyclic_price.greedy_log_odds += price(removed.edge);
  result.acyclic_price.removed_log_odds = result.acyclic_price.greedy_log_odds;
  result.acyclic_price.exact = broken.removed.empty();

  if (options.acyclic_rule == AcyclicRule::kOptimal && !broken.removed.empty()) {
    std::vector<double> weights = scores;
    for (std::size_t e = 0; e < weights.size(); ++e)
      if (!std::isinf(weights[e])) weights[e] = price(result.graph.edges()[e]);
    OptimalAcyclic best =
        optimal_acyclic(result.graph, weights, {.seed = options.seed, .threads = options.threads});
    result.acyclic_price.exact = best.exact;
    if (best.removed_weight < result.acyclic_price.greedy_log_odds) {
      result.acyclic_price.removed_log_odds = best.removed_weight;
      broken = {std::move(best.graph), std::move(best.removed)};
    }
  }
  result.graph = std::move(broken.graph);
  result.removed_edges = std::move(broken.removed);
  for (ScoredEdge& removed : result.removed_edges)
    removed.score = result.probabilities(removed.edge.source, removed.edge.target);
}

}  // namespace causcale

#include "discover/select.h"

#include <algorithm>
#include <limits>

#include "graph/cycles.h"

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
      thinned[k] = hand[std::min(k * hand.size() / largest + seed % slack, hand.size() - 1)];
    hand = std::move(thinned);
  }
  return hands;
}

void apply_knowledge(const Knowledge& knowledge, Matrix<double>& probabilities) {
  const int n = static_cast<int>(probabilities.rows());
  if (!knowledge.tier_of.empty())
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (knowledge.forbids({i, j})) probabilities(i, j) = 0;
  for (const Edge& edge : knowledge.forbidden) probabilities(edge.source, edge.target) = 0;
  for (const Edge& edge : knowledge.required) {
    probabilities(edge.source, edge.target) = 1;
    probabilities(edge.target, edge.source) = 0;
  }
}

void select_graph(const DiscoverOptions& options, DiscoverResult& result) {
  const int n = static_cast<int>(result.names.size());
  std::vector<ScoredEdge> chosen =
      ranked_edges(result.probabilities, options.top > 0 ? 0.0 : options.threshold);
  if (options.top > 0 && chosen.size() > options.top) chosen.resize(options.top);

  std::vector<Edge> edges;
  for (const ScoredEdge& scored : chosen) edges.push_back(scored.edge);
  // A threshold of 1 or a small K must not push a required edge out.
  for (const Edge& edge : options.knowledge.required) edges.push_back(edge);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  result.graph = Digraph(n, std::move(edges));
  if (!options.acyclic) return;

  Matrix<double> scores = result.probabilities;
  for (const Edge& edge : options.knowledge.required)
    scores(edge.source, edge.target) = std::numeric_limits<double>::infinity();
  CycleBreaking broken = break_cycles(result.graph, scores);
  result.graph = std::move(broken.graph);
  result.removed_edges = std::move(broken.removed);
}

}  // namespace causcale

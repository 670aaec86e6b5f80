#include "learn/data/true_knowledge.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace causcale {
namespace {

// Variables fall into two to four tiers by their longest path from a root; variables on a cycle, which have
// none, are left out.
std::vector<int> draw_tiers(const Digraph& graph, RandomStream& random) {
  const int n = graph.nodes();
  std::vector<int> depth(static_cast<std::size_t>(n), 0), waiting(static_cast<std::size_t>(n)), ready;
  for (int v = 0; v < n; ++v) {
    waiting[static_cast<std::size_t>(v)] = static_cast<int>(graph.parents(v).size());
    if (graph.parents(v).empty()) ready.push_back(v);
  }
  int deepest = 0;
  for (std::size_t k = 0; k < ready.size(); ++k)
    for (const int child : graph.children(ready[k])) {
      int& below = depth[static_cast<std::size_t>(child)];
      below = std::max(below, depth[static_cast<std::size_t>(ready[k])] + 1);
      deepest = std::max(deepest, below);
      if (--waiting[static_cast<std::size_t>(child)] == 0) ready.push_back(child);
    }
  const int tiers = 2 + static_cast<int>(random.below(3));
  const double known = random.uniform(0.2, 1.0);
  std::vector<int> tier_of(static_cast<std::size_t>(n), -1);
  for (const int v : ready)
    if (random.coin(known))
      tier_of[static_cast<std::size_t>(v)] = depth[static_cast<std::size_t>(v)] * tiers / (deepest + 1);
  return tier_of;
}

}  // namespace

Knowledge draw_true_knowledge(const Digraph& graph, RandomStream& random) {
  Knowledge knowledge;
  const int n = graph.nodes();
  if (random.coin(0.3)) knowledge.tier_of = draw_tiers(graph, random);
  // Few statements are as likely as many.
  const double required = random.coin() ? std::exp2(random.uniform(-5.0, -0.5)) : 0.0;
  const double forbidden = random.coin() ? std::exp2(random.uniform(-7.0, -1.0)) : 0.0;
  for (const Edge& edge : graph.edges())
    if (required > 0 && !graph.has_edge(edge.target, edge.source) && random.coin(required))
      knowledge.required.push_back(edge);
  for (int i = 0; i < n && forbidden > 0; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && !graph.has_edge(i, j) && random.coin(forbidden)) knowledge.forbidden.push_back({i, j});
  return knowledge;
}

}  // namespace causcale

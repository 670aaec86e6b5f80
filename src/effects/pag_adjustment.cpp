#include "effects/pag_adjustment.h"

#include <algorithm>

#include "effects/separation.h"
#include "graph/reachability.h"

namespace causcale {
namespace {

// One graph of the class without circles: o-> becomes ->, and what is o-o a DAG without new colliders (Zhang
// 2008, theorem 2). Nothing for marks that no class has.
std::optional<MixedGraph> member_of(const MixedGraph& pag) {
  MixedGraph open(pag.nodes()), member = pag;
  for (int a = 0; a < pag.nodes(); ++a)
    for (int b = 0; b < pag.nodes(); ++b) {
      if (a == b || !pag.adjacent(a, b) || pag.mark(b, a) != Mark::kCircle) continue;
      if (pag.mark(a, b) == Mark::kCircle)
        open.set(a, b, Mark::kTail, Mark::kTail);
      else
        member.set_mark(b, a, Mark::kTail);
    }
  const std::optional<Digraph> directions = consistent_extension(open);
  if (!directions) return std::nullopt;
  for (const Edge& edge : directions->edges())
    member.set(edge.source, edge.target, Mark::kTail, Mark::kArrow);
  return member;
}

// A DAG with the same separations among the graph's own nodes: every <-> becomes a common cause, numbered
// behind them. `cut` -> b is left out for every b that is flagged.
Digraph with_common_causes(const MixedGraph& graph, int cut, const std::vector<std::uint8_t>& cut_targets) {
  std::vector<Edge> edges;
  int nodes = graph.nodes();
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b) {
      if (a == b) continue;
      const bool is_cut = a == cut && cut_targets[static_cast<std::size_t>(b)];
      if (graph.directed(a, b) && !is_cut) edges.push_back({a, b});
      if (a < b && graph.bidirected(a, b)) {
        edges.push_back({nodes, a});
        edges.push_back({nodes, b});
        ++nodes;
      }
    }
  return Digraph(nodes, std::move(edges));
}

}  // namespace

bool is_visible(const MixedGraph& graph, int a, int b) {
  if (!graph.directed(a, b)) return false;
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(graph.nodes()), 0);
  std::vector<int> colliders{a};
  seen[static_cast<std::size_t>(a)] = seen[static_cast<std::size_t>(b)] = 1;
  while (!colliders.empty()) {
    const int node = colliders.back();
    colliders.pop_back();
    for (int from = 0; from < graph.nodes(); ++from) {
      if (seen[static_cast<std::size_t>(from)] || graph.mark(from, node) != Mark::kArrow) continue;
      if (!graph.adjacent(from, b)) return true;
      if (!graph.bidirected(from, node) || !graph.directed(from, b)) continue;
      seen[static_cast<std::size_t>(from)] = 1;
      colliders.push_back(from);
    }
  }
  return false;
}

PagAdjustment pag_adjustment(const MixedGraph& pag, int cause, int outcome) {
  const auto n = static_cast<std::size_t>(pag.nodes());
  PagAdjustment answer;
  const std::vector<std::uint8_t> below = possible_descendants(pag, cause),
                                  above = possible_ancestors(pag, outcome, cause);
  std::vector<std::uint8_t> causal(n, 0), forbidden(n, 0);
  for (int node = 0; node < pag.nodes(); ++node) {
    if (node == cause || !below[static_cast<std::size_t>(node)] || !above[static_cast<std::size_t>(node)])
      continue;
    causal[static_cast<std::size_t>(node)] = 1;
    answer.possibly_causal.push_back(node);
    const std::vector<std::uint8_t> further = possible_descendants(pag, node);
    for (std::size_t k = 0; k < n; ++k) forbidden[k] |= further[k];
    if (answer.open_edge_to < 0 && pag.adjacent(cause, node) && pag.mark(node, cause) != Mark::kArrow &&
        !is_visible(pag, cause, node))
      answer.open_edge_to = node;
  }
  if (answer.possibly_causal.empty() || answer.open_edge_to >= 0) return answer;
  const std::optional<MixedGraph> member = member_of(pag);
  if (!member) return answer;
  // If any set is valid, that of all possible ancestors of cause and outcome is.
  const std::vector<std::uint8_t> above_cause = possible_ancestors(pag, cause),
                                  above_outcome = possible_ancestors(pag, outcome);
  std::vector<int> candidates;
  for (std::size_t k = 0; k < n; ++k)
    if ((above_cause[k] || above_outcome[k]) && !forbidden[k] && static_cast<int>(k) != cause &&
        static_cast<int>(k) != outcome)
      candidates.push_back(static_cast<int>(k));
  const Digraph back_doors = with_common_causes(*member, cause, causal);
  const auto is_valid = [&](const std::vector<int>& set) {
    return separated(back_doors, cause, outcome, set);
  };
  if (!is_valid(candidates)) return answer;
  answer.minimal = minimal_sets(candidates, is_valid);
  // What tells nothing about the outcome given the others and the cause only adds variance.
  const Digraph whole = with_common_causes(*member, -1, causal);
  answer.set = pruned_set(whole, cause, outcome, std::move(candidates), is_valid);
  return answer;
}

}  // namespace causcale

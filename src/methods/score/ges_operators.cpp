// The operators of EquivalenceSearch and their gains.
#include <algorithm>
#include <bit>
#include <cmath>

#include "methods/score/ges_search.h"

namespace causcale {

namespace {

// Neighbours beyond the first 63 are never made parents, and no more cliques than these are looked at: bounds
// that only graphs far denser than the method is meant for reach.
constexpr int kMaskBits = 63;
constexpr int kMaxCliques = 4096;

// Calls visit(clique) for all cliques among the nodes of `within`, the empty one first.
template <class Visit>
void for_each_clique(const std::vector<std::uint64_t>& adjacency, std::uint64_t within, Visit visit) {
  struct Level {
    std::uint64_t clique, candidates;
  };
  std::vector<Level> open{{0, within}};
  for (int count = 0; !open.empty() && count < kMaxCliques; ++count) {
    const Level level = open.back();
    open.pop_back();
    visit(level.clique);
    for (std::uint64_t rest = level.candidates; rest != 0; rest &= rest - 1) {
      const int bit = std::countr_zero(rest);
      const std::uint64_t above = ~((std::uint64_t{2} << bit) - 1);
      open.push_back({level.clique | std::uint64_t{1} << bit, level.candidates & adjacency[bit] & above});
    }
  }
}

}  // namespace

std::vector<std::uint64_t> EquivalenceSearch::neighbour_masks(int target) const {
  const std::vector<int>& neighbours = graph_.neighbours(target);
  const int count = std::min<int>(kMaskBits, static_cast<int>(neighbours.size()));
  std::vector<std::uint64_t> masks(count, 0);
  for (int i = 0; i < count; ++i) masks[i] = adjacent_mask(target, neighbours[i]);
  return masks;
}

std::uint64_t EquivalenceSearch::adjacent_mask(int target, int node) const {
  const std::vector<int>& neighbours = graph_.neighbours(target);
  std::uint64_t mask = 0;
  for (int i = 0; i < std::min<int>(kMaskBits, static_cast<int>(neighbours.size())); ++i)
    if (graph_.adjacent(neighbours[i], node)) mask |= std::uint64_t{1} << i;
  return mask;
}

std::vector<int> EquivalenceSearch::members(int target, std::uint64_t clique) const {
  std::vector<int> nodes;
  for (; clique != 0; clique &= clique - 1)
    nodes.push_back(graph_.neighbours(target)[std::countr_zero(clique)]);
  return nodes;
}

double EquivalenceSearch::local(int target, std::vector<int> parents, int with, int without) const {
  std::erase(parents, without);
  if (with >= 0 && std::ranges::find(parents, with) == parents.end()) parents.push_back(with);
  std::ranges::sort(parents);
  return score_.local(target, parents);
}

std::vector<EquivalenceSearch::Operator> EquivalenceSearch::insertions(int target) const {
  std::vector<Operator> found;
  if (score_.constant(target)) return found;
  if (options_.max_degree > 0 && graph_.degree(target) >= options_.max_degree) return found;
  const int n = graph_.nodes();
  std::vector<int> sources;
  std::vector<std::uint64_t> shared;  // neighbours of the target that adjoin the source
  for (int v = 0; v < n; ++v) {
    if (!permissions_.allowed(v, target) || graph_.adjacent(v, target) || score_.constant(v)) continue;
    sources.push_back(v);
    shared.push_back(graph_.neighbours(target).empty() ? 0 : adjacent_mask(target, v));
  }
  const std::vector<std::uint64_t> adjacency = neighbour_masks(target);
  const auto gains = score_.gains(target);
  for (int v : graph_.parents(target)) gains->push(v);
  const std::size_t base = gains->size();
  const std::uint64_t all = (std::uint64_t{1} << adjacency.size()) - 1;
  std::vector<int> held;
  for_each_clique(adjacency, all, [&](std::uint64_t clique) {
    const std::vector<int> wanted = members(target, clique);
    if (static_cast<double>(base + wanted.size()) > score_.most_parents(target)) return;
    std::size_t common = 0;
    while (common < held.size() && common < wanted.size() && held[common] == wanted[common]) ++common;
    for (; held.size() > common; held.pop_back()) gains->pop();
    for (; held.size() < wanted.size(); held.push_back(wanted[held.size()])) gains->push(wanted[held.size()]);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if (shared[s] & ~clique) continue;
      const double gain = gains->gain(sources[s]);
      if (gain > kLeastGain) found.push_back({gain, sources[s], clique});
    }
  });
  return found;
}

std::vector<EquivalenceSearch::Operator> EquivalenceSearch::deletions(int target) const {
  std::vector<Operator> found;
  const std::vector<std::uint64_t> adjacency = neighbour_masks(target);
  const auto consider = [&](int source, std::uint64_t shared) {
    if (std::ranges::binary_search(permissions_.required, Edge{source, target}) ||
        std::ranges::binary_search(permissions_.required, Edge{target, source}))
      return;
    for_each_clique(adjacency, shared, [&](std::uint64_t clique) {
      std::vector<int> given = graph_.parents(target);
      for (int v : members(target, clique)) given.push_back(v);
      const double gain = local(target, given, -1, source) - local(target, given, source, -1);
      if (gain > kLeastGain) found.push_back({gain, source, clique});
    });
  };
  for (int v : graph_.parents(target)) consider(v, adjacent_mask(target, v));
  for (int v : graph_.neighbours(target)) consider(v, adjacent_mask(target, v));
  return found;
}

std::vector<EquivalenceSearch::Operator> EquivalenceSearch::turnings(int target) const {
  std::vector<Operator> found;
  if (score_.constant(target)) return found;
  const std::vector<std::uint64_t> adjacency = neighbour_masks(target);
  const std::uint64_t all = (std::uint64_t{1} << adjacency.size()) - 1;
  const std::vector<int>& neighbours = graph_.neighbours(target);

  for (int source : graph_.children(target)) {
    if (!permissions_.allowed(source, target)) continue;
    const std::uint64_t shared = adjacent_mask(target, source);
    const std::vector<int>& above = graph_.parents(source);
    const double source_gain = local(source, above, -1, target) - local(source, above, -1, -1);
    for_each_clique(adjacency, all, [&](std::uint64_t clique) {
      if (shared & ~clique) return;
      std::vector<int> given = graph_.parents(target);
      for (int v : members(target, clique)) given.push_back(v);
      if (static_cast<double>(given.size()) > score_.most_parents(target)) return;
      const double gain = local(target, given, source, -1) - local(target, given, -1, -1) + source_gain;
      if (gain > kLeastGain) found.push_back({gain, source, clique});
    });
  }

  for (std::size_t s = 0; s < adjacency.size(); ++s) {
    const int source = neighbours[s];
    if (!permissions_.allowed(source, target)) continue;
    const std::uint64_t shared = adjacency[s], self = std::uint64_t{1} << s;
    for_each_clique(adjacency, all & ~self, [&](std::uint64_t clique) {
      if (!(clique & ~shared)) return;  // nothing that would make a new collider
      // The shared neighbours within the clique have to separate the rest of the clique from the rest of
      // the shared neighbours, among all neighbours of the target.
      const std::uint64_t wall = clique & shared;
      std::uint64_t reached = clique & ~shared, fresh = reached;
      while (fresh != 0) {
        std::uint64_t next = 0;
        for (; fresh != 0; fresh &= fresh - 1) next |= adjacency[std::countr_zero(fresh)];
        fresh = next & all & ~wall & ~reached & ~self;
        reached |= fresh;
      }
      if (reached & shared & ~clique) return;
      std::vector<int> given = graph_.parents(target), above = graph_.parents(source);
      for (int v : members(target, clique)) given.push_back(v);
      for (int v : members(target, wall)) above.push_back(v);
      if (static_cast<double>(given.size()) > score_.most_parents(target)) return;
      const double gain = local(target, given, source, -1) - local(target, given, -1, -1) +
                          local(source, above, -1, target) - local(source, above, target, -1);
      if (gain > kLeastGain) found.push_back({gain, source, clique});
    });
  }
  return found;
}

}  // namespace causcale

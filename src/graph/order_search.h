// Local search for an order of nodes in which the edges that lead forward weigh as much as possible.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace causcale {

struct WeightedEdge {
  int source;
  int target;
  double weight;  // finite
};

// Improves `order` (a permutation of 0 .. nodes-1) by moving single nodes and short blocks of neighbours to
// their best places, then repeatedly shakes it and improves again, until about `effort` elementary steps are
// spent. The result is never worse than what was given. Shakes are a pure function of (seed, stream).
std::vector<int> search_order(std::vector<int> order, std::span<const WeightedEdge> edges,
                              std::int64_t effort, std::uint64_t seed, std::uint32_t stream);

// Starting points. By the rule of Eades, Lin and Smyth: sinks go to the end, sources to the front, else the
// node with the largest surplus of outgoing over incoming weight comes next.
std::vector<int> order_by_surplus(int nodes, std::span<const WeightedEdge> edges);
std::vector<int> random_order(int nodes, std::uint64_t seed, std::uint32_t stream);

}  // namespace causcale

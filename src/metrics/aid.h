// Adjustment identification distances of Henckel, Wuerthen and Weichwald (2024) between two DAGs.
//
// For every ordered pair (t, y) the guessed graph says how to identify the effect of t on y: either that
// there is none, or a set of variables to adjust for. The distance counts the pairs where this is wrong in
// the true graph. The strategies differ in the set: the parents of t, the ancestors of t, or the optimal
// adjustment set (o-set).
#pragma once

#include <cstddef>

#include "causcale/graph.h"

namespace causcale {

struct AdjustmentDistance {
  std::size_t count = 0;
  double normalised = 0.0;  // count / (n (n - 1)); 0 for fewer than two nodes
  bool operator==(const AdjustmentDistance&) const = default;
};

// Ordered pairs that a directed path joins; the count ends soon after it exceeds `enough`.
std::size_t ancestral_pairs(const Digraph& dag, std::size_t enough);

// Both graphs must be acyclic and of the same size, else InputError. Parent and ancestor AID take time
// O(n (n + edges)), o-set AID one such linear search per pair that the guess joins by a directed path.
AdjustmentDistance parent_aid(const Digraph& truth, const Digraph& guess, int threads = 1);
AdjustmentDistance ancestor_aid(const Digraph& truth, const Digraph& guess, int threads = 1);
AdjustmentDistance oset_aid(const Digraph& truth, const Digraph& guess, int threads = 1);

}  // namespace causcale

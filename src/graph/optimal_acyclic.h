// The best acyclic part of a weighted directed graph, as against the greedy one of cycles.h.
//
// What is maximised: the sum of the weights of the edges that are kept, over all subsets of the edges without
// a directed cycle. With log-odds as weights (see edge_log_odds) and edges taken as independent, that subset
// is the most probable acyclic graph among those made of the given edges.
//
// Only edges within a strongly connected component lie on cycles, so each component is a problem of its own.
// Components of up to `exact_nodes` nodes are solved exactly (a dynamic programme over the subsets of nodes
// that come first in an order); larger ones by a local search over orders from several starts, the greedy
// solution among them, so that the result never weighs less than the greedy rule's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/graph.h"

namespace causcale {

struct AcyclicSearch {
  int exact_nodes = 20;  // 9 * 2^nodes bytes and nodes * 2^nodes steps a component; at most 24
  std::uint64_t seed = 0;
  int threads = 0;                    // 0 = all cores; changes nothing but the time
  std::int64_t effort = 300'000'000;  // elementary steps of the local search, for each start
};

struct OptimalAcyclic {
  Digraph graph;  // acyclic, a subset of the input; putting any removed edge back makes a cycle
  std::vector<ScoredEdge> removed;  // with their weights, heaviest first
  double removed_weight = 0.0;
  double greedy_removed_weight = 0.0;  // what the greedy rule would have removed, on the same weights
  bool exact = true;                   // every component was small enough to be solved exactly
};

// weights[k] >= 0 belongs to graph.edges()[k]; infinity marks an edge that must be kept. Throws InputError
// when a weight is negative or not a number, or when the edges that must be kept form a cycle.
OptimalAcyclic optimal_acyclic(const Digraph& graph, std::span<const double> weights,
                               const AcyclicSearch& search = {});

// log(p / (1 - p)) - log(r / (1 - r)) with r = min(threshold, 1/2), never negative: how far an edge stands
// above the point where it is as well left out. From a threshold of 1/2 upwards these are the plain log-odds;
// below, where plain log-odds would speak against edges that the user asked for, they count from the
// threshold. Probabilities are held within [1e-9, 1 - 1e-9], so that no single edge outweighs all others.
double edge_log_odds(double probability, double threshold);

}  // namespace causcale

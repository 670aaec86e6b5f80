// A Markov chain over acyclic graphs whose long-run distribution is that of the pair weights, given that the
// graph is acyclic. Two kinds of steps, each of which leaves that distribution as it is:
//
//   pair   A pair gets a new state, drawn from its own three probabilities, unless that closes a cycle. One
//          sweep does this for all pairs in a fixed order.
//   swap   Where a -> b is absent because it would close a cycle, it comes in, and an edge e that all those
//          cycles share goes out. The reverse step has as many edges to choose from: every cycle of the
//          graph with both edges goes through both. So choosing a -> b with probability proportional to q,
//          and e evenly, is accepted with min(1, odds(a -> b) q(e) / (odds(e) q(a -> b))), the odds being
//          those against no edge; q is the odds themselves, up to a limit. Without this step the chain would
//          seldom find another one of several near-certain edges to leave out of a cycle.
//
// Every acyclic graph of positive weight can be reached: edges that may be absent are taken out one by one,
// and the acyclic orientations of what is left are joined by single reversals.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/ordered_graph.h"
#include "samples/pair_weights.h"

namespace causcale {

// What is common to all chains of a component; may be shared by threads.
class ChainTarget {
 public:
  explicit ChainTarget(const WeightComponent& component);

  int nodes() const { return nodes_; }
  const std::vector<PairWeight>& pairs() const { return pairs_; }
  // Of the edge source -> target, relative to no edge; infinite where there must be an edge.
  double odds(int source, int target) const;
  const PairWeight* find(int a, int b) const;  // a < b; null where no edge is possible

 private:
  friend class GraphChain;
  int nodes_;
  std::vector<PairWeight> pairs_;   // sorted by (a, b)
  std::vector<std::size_t> begin_;  // of each a
  IndependentDraw draw_;
  std::vector<Edge> swap_edges_;  // those that may be swapped in, and the running sum of q
  std::vector<double> swap_sum_;
};

class GraphChain {
 public:
  // Starts with a random order of the nodes that edges without alternative allow, and pairs drawn along it.
  // The target has to outlive the chain.
  GraphChain(const ChainTarget& target, RandomStream random);

  // All pairs once, and as many attempts to swap as there are nodes.
  void sweep();
  std::vector<Edge> edges() const { return graph_.edges(); }
  double log_weight() const;

 private:
  void sweep_pairs();
  void try_swap();
  int state(int a, int b) const;  // of a pair: 0 none, 1 a -> b, 2 b -> a

  const ChainTarget& target_;
  RandomStream random_;
  OrderedGraph graph_;
  std::vector<Edge> proposed_, current_;
};

}  // namespace causcale

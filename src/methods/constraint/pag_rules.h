// The orientation rules of FCI: from a skeleton with colliders to a partial ancestral graph (PAG).
//
// R1 to R10 are those of Zhang, On the completeness of orientation rules for causal discovery in the presence
// of latent confounders and selection bias, 2008. They only ever turn circles into tails or arrowheads.
#pragma once

#include <functional>
#include <vector>

#include "graph/mixed_graph.h"
#include "methods/constraint/skeleton.h"

namespace causcale {

// Circles at every end, then what is known beforehand: a required edge is directed, a forbidden a -> b puts
// an arrowhead at a.
MixedGraph circle_graph(const Skeleton& skeleton, const EdgeRules& rules);

// x *-> z <-* y, as far as no tail stands there already.
void orient_collider(MixedGraph& graph, int x, int z, int y);

class PagRules {
 public:
  // A path d ... a, b, c that discriminates b, whose verdict is about to be used; false: it must not be,
  // because the graph has changed. May remove edges from skeleton and graph.
  using CheckPath = std::function<bool(const std::vector<int>& path)>;

  PagRules(const Skeleton& skeleton, MixedGraph& graph, CheckPath check_path = {});
  // Until none of the rules changes anything.
  void run();

 private:
  bool at_least_one_of_r1_to_r3(int b);
  bool r4(int b, int c);
  bool r5(int a, int b);
  bool r6_r7(int b, int c);
  bool r8(int a, int c) const;
  bool r9(int a, int c) const;
  bool r10(int a, int c) const;

  bool circle(int a, int b) const { return graph_.mark(a, b) == Mark::kCircle; }  // at b
  bool arrow(int a, int b) const { return graph_.mark(a, b) == Mark::kArrow; }
  bool tail(int a, int b) const { return graph_.mark(a, b) == Mark::kTail; }
  bool put(int a, int b, Mark at_b);  // where there is a circle; true if there was
  // May the edge be a -> b, by its marks?
  bool possibly_directed(int a, int b) const { return graph_.adjacent(a, b) && !arrow(b, a) && !tail(a, b); }
  // Neither adjacent nor kept apart by knowledge alone: the rules draw on what separated the two.
  bool apart(int a, int b) const { return !graph_.adjacent(a, b) && skeleton_.explained(a, b); }
  bool circle_edge(int a, int b) const { return circle(a, b) && circle(b, a); }
  std::vector<int> discriminating_path(int a, int b, int c) const;
  enum class PathKind { kCircle, kPossiblyDirected };
  // A path first, second, ..., last without repetition on which every three in a row are unshielded and every
  // edge is of the kind; a circle path moreover has a last vertex but one that is not adjacent to the first.
  // The step from first to second is taken for granted. Empty when there is none.
  std::vector<int> uncovered_path(int first, int second, int last, PathKind kind) const;
  std::vector<int> next_on_path(int first, int before, int at, int last, PathKind kind) const;
  std::vector<int> simple_uncovered_path(std::vector<int> path, int last, PathKind kind) const;

  const Skeleton& skeleton_;
  MixedGraph& graph_;
  CheckPath check_path_;
};

}  // namespace causcale

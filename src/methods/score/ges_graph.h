// Graphs of equivalence classes for greedy equivalence search: directed and undirected edges, with the class
// of a DAG under interventions and under knowledge.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "causcale/graph.h"
#include "graph/bit_matrix.h"

namespace causcale {

// Tells whether the class keeps the direction of an edge of a DAG for a reason outside the graph: exactly one
// end is a target of some intervention, or knowledge rules out the other direction.
using KeepsDirection = std::function<bool(Edge)>;

class PartialDag {
 public:
  explicit PartialDag(int nodes);

  int nodes() const { return static_cast<int>(parents_.size()); }
  bool has_directed(int a, int b) const { return test_bit(to_.row(a), b) && !test_bit(to_.row(b), a); }
  bool has_undirected(int a, int b) const { return test_bit(to_.row(a), b) && test_bit(to_.row(b), a); }
  bool adjacent(int a, int b) const { return test_bit(to_.row(a), b) || test_bit(to_.row(b), a); }
  int degree(int v) const {
    return static_cast<int>(parents_[v].size() + children_[v].size() + neighbours_[v].size());
  }
  // Ascending.
  const std::vector<int>& parents(int v) const { return parents_[v]; }
  const std::vector<int>& children(int v) const { return children_[v]; }
  const std::vector<int>& neighbours(int v) const { return neighbours_[v]; }  // by undirected edges

  void set_directed(int a, int b);
  void set_undirected(int a, int b);
  void remove(int a, int b);

  // A path from `from` to `to` along undirected and forward edges that enters no node with avoid[node] set
  // and does not use the edge from -> to itself when `skip_edge`; empty when there is none.
  std::vector<int> open_path(int from, int to, const std::vector<char>& avoid, bool skip_edge) const;

  bool operator==(const PartialDag& other) const {
    return parents_ == other.parents_ && neighbours_ == other.neighbours_;
  }

 private:
  void detach(int a, int b);

  BitMatrix to_;  // bit b of row a: a -> b or a - b
  std::vector<std::vector<int>> parents_, children_, neighbours_;
};

// A DAG with the same adjacencies and the same colliders that keeps all directed edges (Dor and Tarsi 1992);
// nothing when there is none.
std::optional<Digraph> consistent_extension(const PartialDag& graph);

// The graph of all DAGs that share the DAG's adjacencies, colliders and the directions that `keeps` names:
// the essential graph (CPDAG) when it is empty, the interventional essential graph of Hauser and Buehlmann
// (2012) when it speaks for interventions.
PartialDag essential_graph(const Digraph& dag, const KeepsDirection& keeps);

}  // namespace causcale

// An acyclic graph under change, with a topological order that is kept up to date (Pearce and Kelly 2006):
// an edge that agrees with the order costs nothing to check, another one a search between its ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/graph.h"

namespace causcale {

class OrderedGraph {
 public:
  explicit OrderedGraph(int nodes);

  int nodes() const { return static_cast<int>(children_.size()); }
  std::span<const int> children(int node) const { return children_[node]; }
  bool has_edge(int source, int target) const;
  void remove(int source, int target);
  // Adds the edge unless it would close a cycle; says whether it did. It must not be there yet.
  bool try_add(int source, int target);
  // The edges that every directed path from `from` to `to` goes through; empty when there is no path.
  std::vector<Edge> bridges(int from, int to);

  // Sorted.
  std::vector<Edge> edges() const;

 private:
  bool visit(int node);  // marks it; false when it was marked already
  void start_visits();
  // Whether a path leads on from `from` to `to` that does not use the edge `without`.
  bool reaches(int from, int to, Edge without);

  std::vector<std::vector<int>> children_, parents_;
  std::vector<int> position_, at_;  // of a node in the order; the node at a position
  std::vector<std::uint32_t> seen_;
  std::uint32_t round_ = 0;
  std::vector<int> stack_, ahead_, behind_, came_from_;
};

}  // namespace causcale

// A directed graph with fixed edges. Orientation is always row -> column, source -> target.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/export.h"
#include "causcale/matrix.h"

namespace causcale {

struct Edge {
  int source;
  int target;
  auto operator<=>(const Edge&) const = default;
};

struct ScoredEdge {
  Edge edge;
  double score;  // a probability where a model made it
  bool operator==(const ScoredEdge&) const = default;
};

// Children and parents of every node in ascending order, stored as compressed lists so that sparse graphs
// of many thousand nodes stay small. Self-loops and repeated edges are rejected.
class CAUSCALE_API Digraph {
 public:
  Digraph() = default;
  explicit Digraph(int nodes) : Digraph(nodes, {}) {}
  Digraph(int nodes, std::vector<Edge> edges);
  // Any non-zero entry (i, j), i != j, is the edge i -> j; the diagonal must be zero.
  static Digraph from_adjacency(const Matrix<std::uint8_t>& adjacency);

  int nodes() const { return nodes_; }
  std::size_t edge_count() const { return edges_.size(); }
  std::span<const Edge> edges() const { return edges_; }  // sorted by (source, target)
  std::span<const int> children(int node) const {
    return {child_.data() + child_begin_[node], child_.data() + child_begin_[node + 1]};
  }
  std::span<const int> parents(int node) const {
    return {parent_.data() + parent_begin_[node], parent_.data() + parent_begin_[node + 1]};
  }
  bool has_edge(int source, int target) const;
  Matrix<std::uint8_t> adjacency() const;

  bool operator==(const Digraph& other) const { return nodes_ == other.nodes_ && edges_ == other.edges_; }

 private:
  int nodes_ = 0;
  std::vector<Edge> edges_;
  std::vector<std::size_t> child_begin_{0};
  std::vector<std::size_t> parent_begin_{0};
  std::vector<int> child_;
  std::vector<int> parent_;
};

// All edges with a probability above `least`, most probable first; ties by (source, target).
CAUSCALE_API std::vector<ScoredEdge> ranked_edges(const Matrix<double>& probabilities, double least = 0.0);

}  // namespace causcale

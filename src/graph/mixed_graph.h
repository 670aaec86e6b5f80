// A graph whose edges have a mark at either end: the common form of DAGs, CPDAGs and PAGs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "causcale/graph.h"
#include "causcale/matrix.h"

namespace causcale {

enum class Mark : std::uint8_t { kNone, kTail, kArrow, kCircle };

// What the marks of a graph mean.
enum class GraphClass {
  kDirected,    // directed edges, cycles possible
  kDag,         // directed edges, no cycle
  kCpdag,       // directed where all graphs of the equivalence class agree, else undirected (tail-tail)
  kPag,         // circles: either mark is possible; arrow-arrow: a common cause that was not measured
  kUndirected,  // adjacencies only
};

class MixedGraph {
 public:
  MixedGraph() = default;
  explicit MixedGraph(int nodes) : marks_(static_cast<std::size_t>(nodes), static_cast<std::size_t>(nodes)) {}
  explicit MixedGraph(const Digraph& graph) : MixedGraph(graph.nodes()) {
    for (const Edge& edge : graph.edges()) set(edge.source, edge.target, Mark::kTail, Mark::kArrow);
  }

  int nodes() const { return static_cast<int>(marks_.rows()); }
  bool adjacent(int a, int b) const { return mark(a, b) != Mark::kNone; }
  // The mark that the edge between a and b has at b.
  Mark mark(int a, int b) const { return marks_(static_cast<std::size_t>(a), static_cast<std::size_t>(b)); }
  void set_mark(int a, int b, Mark at_b) {
    marks_(static_cast<std::size_t>(a), static_cast<std::size_t>(b)) = at_b;
  }
  void set(int a, int b, Mark at_a, Mark at_b) {
    set_mark(b, a, at_a);
    set_mark(a, b, at_b);
  }
  void remove(int a, int b) { set(a, b, Mark::kNone, Mark::kNone); }
  bool directed(int a, int b) const { return mark(a, b) == Mark::kArrow && mark(b, a) == Mark::kTail; }
  bool undirected(int a, int b) const { return mark(a, b) == Mark::kTail && mark(b, a) == Mark::kTail; }
  bool bidirected(int a, int b) const { return mark(a, b) == Mark::kArrow && mark(b, a) == Mark::kArrow; }

  std::size_t edge_count() const {
    std::size_t count = 0;
    for (int a = 0; a < nodes(); ++a)
      for (int b = a + 1; b < nodes(); ++b) count += adjacent(a, b);
    return count;
  }
  bool operator==(const MixedGraph&) const = default;

 private:
  Matrix<Mark> marks_;
};

// The directions that the marks leave possible: a -> b unless there is an arrowhead at a.
Digraph possible_directions(const MixedGraph& graph);
// Opposite edges become one undirected edge.
MixedGraph with_opposites_joined(const Digraph& graph);

// A DAG with the same adjacencies, the same directed edges and no new collider (Dor and Tarsi 1992); nothing
// when there is none.
std::optional<Digraph> consistent_extension(const MixedGraph& graph);

std::string graph_class_name(GraphClass graph_class);  // "DAG", "CPDAG", ...
// "-->", "---", "o->", "<->", ...: the edge between a and b, read from a to b.
std::string edge_text(const MixedGraph& graph, int a, int b);

}  // namespace causcale

// The graph as drawings, pages and graph files show it: edges with a mark at either end. The network's graph
// has plain arrows; other methods leave directions open or see common causes that were not measured.
#pragma once

#include <string>
#include <vector>

#include "causcale/discover.h"
#include "methods/to_result.h"

namespace causcale {

// Named so that it reads forwards: a --> b, a o-> b; where neither way is better, a < b.
struct MarkedEdge {
  int a, b;
  Mark at_a, at_b;
  double score;  // of the surer direction

  bool is_arrow() const { return at_a == Mark::kTail && at_b == Mark::kArrow; }
};

// One edge for every pair that is joined, highest score first.
std::vector<MarkedEdge> marked_edges(const MethodOutcome& outcome);

// Looks at a result and does not own it. Both kinds of result convert to it.
struct ShownGraph {
  ShownGraph(const DiscoverResult& result);
  ShownGraph(const MethodOutcome& outcome);

  const DiscoverResult& result;
  const MethodOutcome* outcome = nullptr;  // where another method than the network found it
  std::vector<MarkedEdge> edges;           // highest score first
  // Edges may be other than arrows from cause to effect. Then `edges` has one for every pair that is joined;
  // otherwise opposite arrows are two edges.
  bool has_marks = false;
};

// For layered_layout(): of a cycle the edge of lowest score points upwards, first those whose direction is
// open anyway.
std::vector<double> layout_scores(const std::vector<MarkedEdge>& edges);

bool is_probability(const DiscoverResult& result);

// "-->", "o->", "<->", ...
std::string edge_text(const MarkedEdge& edge);

// What the marks of the shown edges mean, for legends: the text of the edge and its meaning, in the order in
// which they say less and less. Empty without marks.
struct MarkMeaning {
  MarkedEdge sample;
  std::string meaning;
};
std::vector<MarkMeaning> mark_meanings(const ShownGraph& graph);

}  // namespace causcale

// The edges that an HTML report holds: which of all pairs, and what the page shows of each.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "causcale/discover.h"
#include "report/html.h"
#include "report/shown_graph.h"

namespace causcale {

struct StoredEdges {
  std::vector<ScoredEdge> edges;   // most probable first
  std::vector<std::string> marks;  // of `edges`, where the graph has any: "o->"; then nothing else is stored
  double floor = 0;                // every edge more probable than this is stored
  bool graph_is_whole = true;      // no edge of the graph had to go

  bool in_graph(const DiscoverResult& result, const Edge& edge) const {
    return !marks.empty() || result.graph.has_edge(edge.source, edge.target);
  }
};

// Where the graph has marks, its edges; else the most probable ones. `result` has probabilities, or the
// shares that stand for scores.
StoredEdges choose_stored_edges(const ShownGraph& graph, const DiscoverResult& result,
                                const HtmlLimits& limits);

// Columns of equal length, one entry per stored edge.
nlohmann::ordered_json edges_json(const ShownGraph& graph, const DiscoverResult& result,
                                  const StoredEdges& stored);

// Probabilities are stored as whole numbers of 1/10000.
int stored_probability(double probability);

}  // namespace causcale

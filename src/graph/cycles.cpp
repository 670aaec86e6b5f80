#include "graph/cycles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "causcale/error.h"
#include "graph/bit_matrix.h"
#include "graph/components.h"
#include "graph/convert.h"

namespace causcale {

namespace {

// The transitive closure of a growing acyclic graph, in both directions. An insertion that adds no new
// reachability costs two bit tests; one that does costs a pass over one row for each node that gains
// descendants or ancestors, so that all insertions together stay within n^2 passes.
class GrowingClosure {
 public:
  explicit GrowingClosure(int nodes)
      : above_(nodes), below_(nodes), gain_below_(above_.words()), gain_above_(above_.words()) {
    for (int i = 0; i < nodes; ++i) {
      set_bit(above_.row(i), i);
      set_bit(below_.row(i), i);
    }
  }

  // False, and nothing changes, when source -> target would close a cycle.
  bool insert(int source, int target) {
    if (test_bit(below_.row(target), source)) return false;
    if (test_bit(below_.row(source), target)) return true;
    subtract(above_.row(source), above_.row(target), gain_below_);
    subtract(below_.row(target), below_.row(source), gain_above_);
    for_each_bit(gain_below_, [&](int node) { unite(below_.row(node), below_.row(target)); });
    for_each_bit(gain_above_, [&](int node) { unite(above_.row(node), above_.row(source)); });
    return true;
  }

 private:
  static void subtract(ConstBits from, ConstBits what, Bits result) {
    for (std::size_t w = 0; w < result.size(); ++w) result[w] = from[w] & ~what[w];
  }

  BitMatrix above_;
  BitMatrix below_;
  std::vector<std::uint64_t> gain_below_;
  std::vector<std::uint64_t> gain_above_;
};

struct RankedEdge {
  double score;
  std::size_t index;  // into the graph's edges, which are sorted by (source, target)
};

}  // namespace

CycleBreaking break_cycles(const Digraph& graph, std::span<const double> scores) {
  const auto edges = graph.edges();
  if (scores.size() != edges.size())
    throw InputError(fmt::format("{} scores given for {} edges", scores.size(), edges.size()));
  const Components components = strongly_connected_components(graph);
  // Only edges within a component lie on cycles; each component is a problem of its own.
  std::vector<std::vector<RankedEdge>> within(components.count);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (std::isnan(scores[e]))
      throw InputError(
          fmt::format("the score of edge {} -> {} is not a number", edges[e].source, edges[e].target));
    const int component = components.component_of[edges[e].source];
    if (component == components.component_of[edges[e].target]) within[component].push_back({scores[e], e});
  }

  std::vector<char> is_removed(edges.size(), 0);
  std::vector<RankedEdge> removed;
  std::vector<int> local(graph.nodes());  // number of a node within its component
  std::vector<int> component_size(components.count, 0);
  for (int i = 0; i < graph.nodes(); ++i) local[i] = component_size[components.component_of[i]]++;

  const auto by_score = [](const RankedEdge& a, const RankedEdge& b) {
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  };
  for (int c = 0; c < components.count; ++c) {
    if (within[c].empty()) continue;
    std::sort(within[c].begin(), within[c].end(), by_score);
    GrowingClosure closure(component_size[c]);
    for (const RankedEdge& ranked : within[c]) {
      const Edge edge = edges[ranked.index];
      if (closure.insert(local[edge.source], local[edge.target])) continue;
      is_removed[ranked.index] = 1;
      removed.push_back(ranked);
    }
  }

  CycleBreaking result;
  std::sort(removed.begin(), removed.end(), by_score);
  for (const RankedEdge& ranked : removed) result.removed.push_back({edges[ranked.index], ranked.score});
  std::vector<Edge> kept;
  kept.reserve(edges.size() - removed.size());
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (!is_removed[e]) kept.push_back(edges[e]);
  result.graph = Digraph(graph.nodes(), std::move(kept));
  return result;
}

CycleBreaking break_cycles(const Digraph& graph, const Matrix<double>& scores) {
  const std::size_t n = graph.nodes();
  if (scores.rows() != n || scores.cols() != n)
    throw InputError(
        fmt::format("a graph of {} nodes with a score matrix of {} x {}", n, scores.rows(), scores.cols()));
  return break_cycles(graph, edge_scores(graph, scores));
}

std::vector<double> edge_scores(const Digraph& graph, const Matrix<double>& scores,
                                const Knowledge& knowledge) {
  std::vector<double> result;
  result.reserve(graph.edge_count());
  for (const Edge& edge : graph.edges()) result.push_back(scores(edge.source, edge.target));
  for (const Edge& edge : knowledge.required) {
    const auto found = std::ranges::lower_bound(graph.edges(), edge);
    if (found != graph.edges().end() && *found == edge)
      result[static_cast<std::size_t>(found - graph.edges().begin())] =
          std::numeric_limits<double>::infinity();
  }
  return result;
}

Matrix<double> with_required_first(Matrix<double> scores, const Knowledge& knowledge) {
  for (const Edge& edge : knowledge.required)
    scores(edge.source, edge.target) = std::numeric_limits<double>::infinity();
  return scores;
}

Digraph acyclic_above(const Matrix<double>& scores, double threshold, const Knowledge& knowledge) {
  const Matrix<double> ranked = with_required_first(scores, knowledge);
  return break_cycles(graph_above(ranked, threshold), ranked).graph;
}

}  // namespace causcale

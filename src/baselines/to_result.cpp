#include "baselines/to_result.h"

#include <algorithm>

#include "baselines/edge_permissions.h"
#include "causcale/error.h"
#include "graph/cycles.h"

namespace causcale {
namespace {

double highest_score(const Matrix<double>& scores) {
  return scores.empty() ? 0.0 : *std::max_element(scores.values().begin(), scores.values().end());
}

// A method may know less about knowledge than its user: what it overlooked is put right here.
void enforce_knowledge(const Knowledge& knowledge, Matrix<double>& scores, MixedGraph& graph) {
  const int n = graph.nodes();
  const double highest = std::max(1.0, highest_score(scores));
  const Matrix<std::uint8_t> allowed = EdgePermissions(n, knowledge).allowed;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      if (a == b || allowed(a, b)) continue;
      scores(a, b) = 0;
      if (!graph.adjacent(a, b) || graph.mark(b, a) == Mark::kArrow) continue;
      // a -> b was possible: what is left is b -> a, if that was possible at all.
      if (graph.mark(a, b) == Mark::kArrow || !allowed(b, a))
        graph.remove(a, b);
      else
        graph.set(b, a, Mark::kTail, Mark::kArrow);
    }
  for (const Edge& edge : knowledge.required) {
    scores(edge.source, edge.target) = highest;
    scores(edge.target, edge.source) = 0;
    graph.set(edge.source, edge.target, Mark::kTail, Mark::kArrow);
  }
}

Digraph chosen_by_score(const Matrix<double>& scores, const Knowledge& knowledge,
                        const EdgeSelection& selection) {
  std::vector<ScoredEdge> ranked =
      ranked_edges(scores, selection.top > 0 ? 0.0 : selection.threshold.value());
  if (selection.top > 0 && ranked.size() > selection.top) ranked.resize(selection.top);
  std::vector<Edge> edges;
  for (const ScoredEdge& scored : ranked) edges.push_back(scored.edge);
  edges.insert(edges.end(), knowledge.required.begin(), knowledge.required.end());
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return Digraph(static_cast<int>(scores.rows()), std::move(edges));
}

}  // namespace

Digraph possible_directions(const MixedGraph& graph) {
  std::vector<Edge> edges;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b)
      if (a != b && graph.adjacent(a, b) && graph.mark(b, a) != Mark::kArrow) edges.push_back({a, b});
  return Digraph(graph.nodes(), std::move(edges));
}

MixedGraph with_opposites_joined(const Digraph& graph) {
  MixedGraph result(graph);
  for (const Edge& edge : graph.edges())
    if (graph.has_edge(edge.target, edge.source))
      result.set(edge.source, edge.target, Mark::kTail, Mark::kTail);
  return result;
}

std::optional<Digraph> consistent_extension(const MixedGraph& graph) {
  const int n = graph.nodes();
  std::vector<std::vector<int>> neighbours(n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      if (a != b && graph.adjacent(a, b)) {
        if (!graph.directed(a, b) && !graph.directed(b, a) && !graph.undirected(a, b)) return std::nullopt;
        neighbours[a].push_back(b);
      }
  std::vector<bool> gone(n, false);
  // A node that can come last: no edge leaves it, and orienting its undirected edges towards it makes no new
  // collider, as each undirected neighbour is adjacent to all its other neighbours.
  const auto can_be_sink = [&](int node) {
    for (const int b : neighbours[node])
      if (!gone[b] && graph.directed(node, b)) return false;
    for (const int b : neighbours[node]) {
      if (gone[b] || !graph.undirected(node, b)) continue;
      for (const int c : neighbours[node])
        if (!gone[c] && c != b && !graph.adjacent(b, c)) return false;
    }
    return true;
  };
  std::vector<Edge> edges;
  for (int left = n; left > 0; --left) {
    int sink = -1;
    for (int node = 0; node < n && sink < 0; ++node)
      if (!gone[node] && can_be_sink(node)) sink = node;
    if (sink < 0) return std::nullopt;
    for (const int b : neighbours[sink])
      if (!gone[b]) edges.push_back({b, sink});
    gone[sink] = true;
  }
  return Digraph(n, std::move(edges));
}

MethodOutcome to_outcome(const std::string& method, const Dataset& dataset, MethodResult found,
                         const Knowledge& knowledge, const EdgeSelection& selection) {
  MethodOutcome outcome;
  DiscoverResult& result = outcome.result;
  result.names = dataset.table.names;
  result.rows = result.rows_per_pass = dataset.table.rows();
  result.passes = 1;
  result.model_name = method;
  result.device = "cpu";
  result.score_kind = "ranking";
  result.seconds = std::move(found.seconds);
  outcome.log = std::move(found.log);
  outcome.graph_class = found.graph_class;

  enforce_knowledge(knowledge, found.scores, found.graph);
  result.probabilities = std::move(found.scores);
  const bool by_score = selection.threshold || selection.top > 0;
  result.graph = by_score ? chosen_by_score(result.probabilities, knowledge, selection)
                          : possible_directions(found.graph);
  outcome.marks = by_score ? with_opposites_joined(result.graph) : std::move(found.graph);
  if (by_score) outcome.graph_class = GraphClass::kDirected;
  if (!selection.acyclic) return outcome;

  const std::optional<Digraph> extension = by_score ? std::nullopt : consistent_extension(outcome.marks);
  if (extension) {
    result.graph = *extension;
  } else {
    CycleBreaking broken = break_cycles(result.graph, with_required_first(result.probabilities, knowledge));
    result.graph = std::move(broken.graph);
    // Of an edge without direction one of two opposite arrows always goes; that is a choice, not a loss.
    std::erase_if(broken.removed, [&](const ScoredEdge& removed) {
      return result.graph.has_edge(removed.edge.target, removed.edge.source);
    });
    result.removed_edges = std::move(broken.removed);
  }
  outcome.marks = MixedGraph(result.graph);
  outcome.graph_class = GraphClass::kDag;
  return outcome;
}

std::string graph_class_name(GraphClass graph_class) {
  switch (graph_class) {
    case GraphClass::kDirected:
      return "directed graph";
    case GraphClass::kDag:
      return "DAG";
    case GraphClass::kCpdag:
      return "CPDAG";
    case GraphClass::kPag:
      return "PAG";
    case GraphClass::kUndirected:
      return "undirected graph";
  }
  throw Error("unknown class of graphs");
}

std::string edge_text(const MixedGraph& graph, int a, int b) {
  const auto symbol = [](Mark mark, char arrow) {
    return mark == Mark::kArrow ? arrow : mark == Mark::kCircle ? 'o' : '-';
  };
  return {symbol(graph.mark(b, a), '<'), '-', symbol(graph.mark(a, b), '>')};
}

}  // namespace causcale

#include "methods/to_result.h"

#include <algorithm>

#include "causcale/error.h"
#include "graph/cycles.h"
#include "graph/optimal_acyclic.h"
#include "graph/ranked_edges.h"
#include "methods/edge_permissions.h"

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
  const std::vector<ScoredEdge> ranked = selection.top > 0
                                             ? surest_edges(scores, selection.top)
                                             : ranked_edges(scores, selection.threshold.value());
  std::vector<Edge> edges;
  for (const ScoredEdge& scored : ranked) edges.push_back(scored.edge);
  edges.insert(edges.end(), knowledge.required.begin(), knowledge.required.end());
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return Digraph(static_cast<int>(scores.rows()), std::move(edges));
}

double worth(const Matrix<double>& scores, Edge edge) {
  return std::max(0.0, scores(edge.source, edge.target));
}

// The sum of the scores of removed edges; where the opposite arrow is kept, only what that one is weaker by.
double given_up(const CycleBreaking& broken, const Matrix<double>& scores) {
  double sum = 0;
  for (const auto& [edge, score] : broken.removed) {
    const Edge reverse{edge.target, edge.source};
    const bool is_turned = broken.graph.has_edge(reverse.source, reverse.target);
    sum += std::max(0.0, worth(scores, edge) - (is_turned ? worth(scores, reverse) : 0.0));
  }
  return sum;
}

CycleBreaking best_acyclic(const Digraph& graph, const Matrix<double>& scores, const EdgeSelection& selection,
                           bool& exact) {
  std::vector<double> weights;  // infinite for required edges
  for (const Edge& edge : graph.edges()) weights.push_back(worth(scores, edge));
  OptimalAcyclic best =
      optimal_acyclic(graph, weights, {.seed = selection.seed, .threads = selection.threads});
  exact = best.exact;
  return {std::move(best.graph), std::move(best.removed)};
}

void make_acyclic(const Knowledge& knowledge, const EdgeSelection& selection, MethodOutcome& outcome) {
  DiscoverResult& result = outcome.result;
  const Matrix<double> scores = with_required_first(result.probabilities, knowledge);
  CycleBreaking broken = break_cycles(result.graph, scores);
  const double greedy = given_up(broken, result.probabilities);
  MethodOutcome::Price price{greedy, greedy, !(greedy > 0)};
  if (selection.acyclic_rule == AcyclicRule::kOptimal && greedy > 0) {
    CycleBreaking best = best_acyclic(result.graph, scores, selection, price.exact);
    const double least = given_up(best, result.probabilities);
    if (least < greedy) {
      price.removed = least;
      broken = std::move(best);
    }
  }
  outcome.price = price;
  result.graph = std::move(broken.graph);
  // Of an edge without direction one of two opposite arrows always goes; that is a choice, not a loss.
  std::erase_if(broken.removed, [&](const ScoredEdge& removed) {
    return result.graph.has_edge(removed.edge.target, removed.edge.source);
  });
  for (ScoredEdge& removed : broken.removed)
    removed.score = result.probabilities(removed.edge.source, removed.edge.target);
  sort_by_score(broken.removed);
  result.removed_edges = std::move(broken.removed);
}

// Effects into a variable whose parents are settled: of a CPDAG those without an edge of open direction, of a
// PAG none, as its arrows may be confounded.
void add_effects(const Dataset& dataset, int threads, MethodOutcome& outcome) {
  if (outcome.graph_class == GraphClass::kPag || outcome.graph_class == GraphClass::kUndirected) return;
  const Digraph& graph = outcome.result.graph;
  std::vector<char> open(static_cast<std::size_t>(graph.nodes()), 0);
  if (outcome.graph_class == GraphClass::kCpdag)
    for (const Edge& edge : graph.edges())
      if (!outcome.marks.directed(edge.source, edge.target)) open[edge.target] = 1;
  std::vector<Edge> settled;
  for (const Edge& edge : graph.edges())
    if (!open[edge.target]) settled.push_back(edge);
  outcome.result.effects = edge_effects(dataset, Digraph(graph.nodes(), std::move(settled)), threads);
}

}  // namespace

MethodOutcome select_outcome(const std::string& method, const Dataset& dataset, MethodResult found,
                             const Knowledge& knowledge, const EdgeSelection& selection) {
  MethodOutcome outcome;
  DiscoverResult& result = outcome.result;
  result.names = dataset.table.names;
  result.rows = result.rows_per_pass = dataset.table.rows();
  result.passes = 1;
  result.model_name = method;
  result.device = "cpu";
  result.score_kind = found.shares_of_methods ? "probability" : "ranking";
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
  if (extension)
    result.graph = *extension;
  else
    make_acyclic(knowledge, selection, outcome);
  outcome.marks = MixedGraph(result.graph);
  outcome.graph_class = GraphClass::kDag;
  return outcome;
}

MethodOutcome to_outcome(const std::string& method, const Dataset& dataset, MethodResult found,
                         const Knowledge& knowledge, const EdgeSelection& selection) {
  MethodOutcome outcome = select_outcome(method, dataset, std::move(found), knowledge, selection);
  add_effects(dataset, selection.threads, outcome);
  return outcome;
}

}  // namespace causcale

#include "report/shown_graph.h"

#include <algorithm>
#include <cmath>

#include "report/report.h"

namespace causcale {
namespace {

bool only_arrows(GraphClass graph_class, const std::vector<MarkedEdge>& edges) {
  return (graph_class == GraphClass::kDirected || graph_class == GraphClass::kDag) &&
         std::ranges::all_of(edges, &MarkedEdge::is_arrow);
}

std::string meaning_of(const MarkedEdge& edge, GraphClass graph_class) {
  const bool hidden_causes = graph_class == GraphClass::kPag;
  const Mark a = edge.at_a, b = edge.at_b;
  if (a == Mark::kTail && b == Mark::kArrow)
    return hidden_causes ? "a cause, direct or not" : "a direct cause of the other";
  if (a == Mark::kArrow && b == Mark::kArrow) return "a common cause that was not measured";
  if (a == Mark::kTail && b == Mark::kTail)
    return hidden_causes ? "linked by how the rows were selected" : "linked, direction open";
  if (a == Mark::kCircle && b == Mark::kArrow) return "a cause, or a common cause not measured, or both";
  if (a == Mark::kCircle && b == Mark::kCircle) return "linked, direction open, common cause possible";
  return "a cause of the other or of the selection of rows";
}

}  // namespace

std::vector<MarkedEdge> marked_edges(const MethodOutcome& outcome) {
  std::vector<MarkedEdge> edges;
  const MixedGraph& marks = outcome.marks;
  const Matrix<double>& scores = outcome.result.probabilities;
  for (int a = 0; a < marks.nodes(); ++a)
    for (int b = a + 1; b < marks.nodes(); ++b) {
      if (!marks.adjacent(a, b)) continue;
      const Mark at_a = marks.mark(b, a), at_b = marks.mark(a, b);
      const bool backwards =
          (at_a == Mark::kArrow && at_b != Mark::kArrow) || (at_a == Mark::kCircle && at_b == Mark::kTail);
      const double score = std::max(scores(a, b), scores(b, a));
      edges.push_back(backwards ? MarkedEdge{b, a, at_b, at_a, score} : MarkedEdge{a, b, at_a, at_b, score});
    }
  std::ranges::stable_sort(edges, [](const MarkedEdge& x, const MarkedEdge& y) { return x.score > y.score; });
  return edges;
}

ShownGraph::ShownGraph(const DiscoverResult& shown) : result(shown) {
  for (const auto& [edge, score] : graph_edges(shown))
    edges.push_back({edge.source, edge.target, Mark::kTail, Mark::kArrow, score});
}

ShownGraph::ShownGraph(const MethodOutcome& shown) : ShownGraph(shown.result) {
  outcome = &shown;
  std::vector<MarkedEdge> marked = marked_edges(shown);
  has_marks = !only_arrows(shown.graph_class, marked);
  if (has_marks) edges = std::move(marked);
}

std::vector<double> layout_scores(const std::vector<MarkedEdge>& edges) {
  double highest = 0;
  for (const MarkedEdge& edge : edges) highest = std::max(highest, std::abs(edge.score));
  std::vector<double> scores;
  for (const MarkedEdge& edge : edges)
    scores.push_back(edge.score + (edge.at_a == edge.at_b ? 0 : 2 * highest + 1));
  return scores;
}

bool is_probability(const DiscoverResult& result) {
  return result.score_kind == "probability";
}

std::string edge_text(const MarkedEdge& edge) {
  MixedGraph pair(2);
  pair.set(0, 1, edge.at_a, edge.at_b);
  return edge_text(pair, 0, 1);
}

std::vector<MarkMeaning> mark_meanings(const ShownGraph& graph) {
  std::vector<MarkMeaning> meanings;
  if (!graph.has_marks) return meanings;
  constexpr std::pair<Mark, Mark> order[] = {{Mark::kTail, Mark::kArrow},   {Mark::kArrow, Mark::kArrow},
                                             {Mark::kCircle, Mark::kArrow}, {Mark::kCircle, Mark::kCircle},
                                             {Mark::kTail, Mark::kCircle},  {Mark::kTail, Mark::kTail}};
  for (const auto& [at_a, at_b] : order) {
    const auto same = [at_a = at_a, at_b = at_b](const MarkedEdge& edge) {
      return edge.at_a == at_a && edge.at_b == at_b;
    };
    if (std::ranges::none_of(graph.edges, same)) continue;
    const MarkedEdge sample{0, 1, at_a, at_b, 1.0};
    meanings.push_back({sample, meaning_of(sample, graph.outcome->graph_class)});
  }
  return meanings;
}

}  // namespace causcale

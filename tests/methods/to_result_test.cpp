#include "methods/to_result.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "graph/cpdag.h"
#include "graph/order.h"
#include "report/method_report.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

Dataset table_of(int nodes) {
  Dataset dataset;
  for (int v = 0; v < nodes; ++v) dataset.table.names.push_back("V" + std::to_string(v));
  dataset.table.values = Matrix<double>(3, nodes);
  return dataset;
}

MethodResult found_graph(const MixedGraph& graph, GraphClass graph_class) {
  MethodResult result;
  const auto n = static_cast<std::size_t>(graph.nodes());
  result.scores = Matrix<double>(n, n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (a != b) result.scores(a, b) = 0.01 * static_cast<double>(1 + a + n * b);
  result.graph = graph;
  result.graph_class = graph_class;
  return result;
}

MixedGraph mixed(const Cpdag& cpdag) {
  MixedGraph graph(cpdag.directed);
  for (const Edge& edge : cpdag.undirected) graph.set(edge.source, edge.target, Mark::kTail, Mark::kTail);
  return graph;
}

TEST(PossibleDirections, FollowTheMarks) {
  MixedGraph graph(6);
  graph.set(0, 1, Mark::kTail, Mark::kArrow);
  graph.set(1, 2, Mark::kTail, Mark::kTail);
  graph.set(2, 3, Mark::kCircle, Mark::kArrow);
  graph.set(3, 4, Mark::kArrow, Mark::kArrow);
  graph.set(4, 5, Mark::kCircle, Mark::kCircle);
  EXPECT_EQ(possible_directions(graph), Digraph(6, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {4, 5}, {5, 4}}));
  EXPECT_EQ(edge_text(graph, 0, 1), "-->");
  EXPECT_EQ(edge_text(graph, 1, 0), "<--");
  EXPECT_EQ(edge_text(graph, 2, 3), "o->");
  EXPECT_EQ(edge_text(graph, 3, 4), "<->");
  EXPECT_EQ(edge_text(graph, 4, 5), "o-o");
}

TEST(ConsistentExtension, IsInTheEquivalenceClass) {
  for (std::uint32_t number = 0; number < 60; ++number) {
    const Cpdag cpdag = cpdag_of(test::random_dag(9, 0.1 + 0.01 * number, number));
    const auto extension = consistent_extension(mixed(cpdag));
    ASSERT_TRUE(extension) << number;
    EXPECT_EQ(cpdag_of(*extension), cpdag) << number;
  }
}

TEST(ConsistentExtension, MayNotExist) {
  // A chordless cycle of undirected edges: any acyclic orientation makes a collider.
  MixedGraph square(4);
  for (int v = 0; v < 4; ++v) square.set(v, (v + 1) % 4, Mark::kTail, Mark::kTail);
  EXPECT_FALSE(consistent_extension(square));
  MixedGraph confounded(2);
  confounded.set(0, 1, Mark::kArrow, Mark::kArrow);
  EXPECT_FALSE(consistent_extension(confounded));
}

TEST(ToOutcome, KeepsTheMethodsOwnGraph) {
  MixedGraph graph(3);
  graph.set(0, 1, Mark::kTail, Mark::kTail);
  graph.set(2, 1, Mark::kTail, Mark::kArrow);
  const MethodOutcome outcome = to_outcome("pc", table_of(3), found_graph(graph, GraphClass::kCpdag), {}, {});
  EXPECT_EQ(outcome.marks, graph);
  EXPECT_EQ(outcome.graph_class, GraphClass::kCpdag);
  EXPECT_EQ(outcome.result.graph, Digraph(3, {{0, 1}, {1, 0}, {2, 1}}));
  EXPECT_EQ(outcome.result.score_kind, "ranking");
  EXPECT_EQ(outcome.result.model_name, "pc");
}

TEST(ToOutcome, TopAndThresholdChooseByScore) {
  const MethodResult found = found_graph(MixedGraph(3), GraphClass::kDag);  // scores rise with the column
  EdgeSelection selection;
  selection.top = 2;
  MethodOutcome outcome = to_outcome("m", table_of(3), found, {}, selection);
  EXPECT_EQ(outcome.result.graph, Digraph(3, {{0, 2}, {1, 2}}));
  selection.top = 0;
  selection.threshold = 0.045;
  outcome = to_outcome("m", table_of(3), found, {}, selection);
  EXPECT_EQ(outcome.result.graph, Digraph(3, {{0, 2}, {1, 2}, {2, 1}}));
  EXPECT_TRUE(outcome.marks.undirected(1, 2));
}

// 0 -> 1 lies on two cycles: the greedy rule gives up both edges back, the best graph 0 -> 1 alone.
TEST(ToOutcome, OptimalGivesUpLessThanGreedy) {
  MethodResult found =
      found_graph(MixedGraph(Digraph(4, {{0, 1}, {1, 2}, {1, 3}, {2, 0}, {3, 0}})), GraphClass::kDirected);
  found.scores = Matrix<double>(4, 4);
  found.scores(0, 1) = 5;
  found.scores(1, 2) = found.scores(1, 3) = 9;
  found.scores(2, 0) = found.scores(3, 0) = 4;
  EdgeSelection selection;
  selection.acyclic = true;
  MethodOutcome outcome = to_outcome("m", table_of(4), found, {}, selection);
  EXPECT_EQ(outcome.result.removed_edges, (std::vector<ScoredEdge>{{{2, 0}, 4}, {{3, 0}, 4}}));
  ASSERT_TRUE(outcome.price);
  EXPECT_EQ(outcome.price->removed, 8);

  selection.acyclic_rule = AcyclicRule::kOptimal;
  outcome = to_outcome("m", table_of(4), found, {}, selection);
  EXPECT_EQ(outcome.result.removed_edges, (std::vector<ScoredEdge>{{{0, 1}, 5}}));
  EXPECT_EQ(outcome.result.graph, Digraph(4, {{1, 2}, {1, 3}, {2, 0}, {3, 0}}));
  EXPECT_EQ(outcome.price->removed, 5);
  EXPECT_EQ(outcome.price->greedy, 8);
  EXPECT_TRUE(outcome.price->exact);

  Knowledge knowledge;
  knowledge.required = {{0, 1}};
  outcome = to_outcome("m", table_of(4), found, knowledge, selection);
  EXPECT_TRUE(outcome.result.graph.has_edge(0, 1));
  EXPECT_EQ(outcome.result.removed_edges.size(), 2u);
}

// Against all orders of few nodes: the sum of the scores that are kept is the largest possible.
TEST(ToOutcome, OptimalKeepsTheLargestSumOfScores) {
  for (std::uint32_t k = 0; k < 25; ++k) {
    const Digraph graph = test::random_digraph(5, 0.6, k);
    MethodResult found = found_graph(MixedGraph(5), GraphClass::kDirected);
    RandomStream random(8, k, 0);
    for (double& score : found.scores.values()) score = 0;
    for (const Edge& edge : graph.edges()) found.scores(edge.source, edge.target) = 0.01 + random.uniform();
    EdgeSelection selection;
    selection.threshold = 0;
    selection.acyclic = true;
    selection.acyclic_rule = AcyclicRule::kOptimal;
    const MethodOutcome outcome = to_outcome("m", table_of(5), found, {}, selection);
    ASSERT_TRUE(is_acyclic(outcome.result.graph));
    const auto kept = [&](const Digraph& part) {
      double sum = 0;
      for (const Edge& edge : part.edges()) sum += found.scores(edge.source, edge.target);
      return sum;
    };
    double best = 0;
    std::vector<int> order = {0, 1, 2, 3, 4};
    do {
      double sum = 0;
      for (const Edge& edge : graph.edges())
        if (order[edge.source] < order[edge.target]) sum += found.scores(edge.source, edge.target);
      best = std::max(best, sum);
    } while (std::ranges::next_permutation(order).found);
    EXPECT_NEAR(kept(outcome.result.graph), best, 1e-12) << k;
    selection.acyclic_rule = AcyclicRule::kGreedy;
    EXPECT_LE(kept(to_outcome("m", table_of(5), found, {}, selection).result.graph), best + 1e-12) << k;
  }
}

TEST(ToOutcome, DagHasNoCycleAndKeepsTheSkeleton) {
  MixedGraph square(4);
  for (int v = 0; v < 4; ++v) square.set(v, (v + 1) % 4, Mark::kTail, Mark::kTail);
  EdgeSelection selection;
  selection.acyclic = true;
  const MethodOutcome outcome =
      to_outcome("m", table_of(4), found_graph(square, GraphClass::kUndirected), {}, selection);
  EXPECT_TRUE(is_acyclic(outcome.result.graph));
  EXPECT_EQ(outcome.result.graph.edge_count(), 4u);
  EXPECT_TRUE(outcome.result.removed_edges.empty());
  EXPECT_EQ(outcome.graph_class, GraphClass::kDag);
  // A directed cycle does lose an edge, and says so.
  const MixedGraph cycle(Digraph(3, {{0, 1}, {1, 2}, {2, 0}}));
  const MethodOutcome broken =
      to_outcome("m", table_of(3), found_graph(cycle, GraphClass::kDirected), {}, selection);
  EXPECT_EQ(broken.result.graph.edge_count(), 2u);
  EXPECT_EQ(broken.result.removed_edges.size(), 1u);
}

TEST(ToOutcome, KnowledgeIsEnforced) {
  MixedGraph graph(4);
  graph.set(0, 1, Mark::kTail, Mark::kArrow);  // forbidden: goes
  graph.set(1, 2, Mark::kTail, Mark::kTail);   // forbidden one way: turns
  graph.set(2, 3, Mark::kTail, Mark::kArrow);  // required the other way: turns
  Knowledge knowledge;
  knowledge.forbidden = {{0, 1}, {1, 2}};
  knowledge.required = {{3, 2}};
  for (const bool by_score : {false, true}) {
    EdgeSelection selection;
    if (by_score) selection.threshold = 1e9;
    const MethodOutcome outcome =
        to_outcome("m", table_of(4), found_graph(graph, GraphClass::kCpdag), knowledge, selection);
    EXPECT_FALSE(outcome.marks.adjacent(0, 1));
    EXPECT_TRUE(outcome.marks.directed(3, 2));
    EXPECT_EQ(outcome.marks.directed(2, 1), !by_score);
    EXPECT_EQ(outcome.result.probabilities(1, 2), 0.0);
    EXPECT_EQ(outcome.result.probabilities(2, 3), 0.0);
    EXPECT_EQ(ranked_edges(outcome.result.probabilities).front().edge, (Edge{3, 2}));
  }
}

TEST(MethodReport, WritesMarks) {
  MixedGraph graph(4);
  graph.set(0, 1, Mark::kArrow, Mark::kTail);
  graph.set(1, 2, Mark::kCircle, Mark::kArrow);
  graph.set(2, 3, Mark::kArrow, Mark::kArrow);
  const MethodOutcome outcome = to_outcome("fci", table_of(4), found_graph(graph, GraphClass::kPag), {}, {});
  const std::string text = format_method_tetrad(outcome);
  EXPECT_NE(text.find("V1 --> V0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("V1 o-> V2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("V2 <-> V3\n"), std::string::npos) << text;
  const std::string dot = format_method_dot(outcome);
  EXPECT_NE(dot.find("\"V1\" -> \"V2\" [dir=both, arrowtail=odot, arrowhead=normal"), std::string::npos)
      << dot;
  const std::string csv = format_method_csv(outcome);
  EXPECT_NE(csv.find("V2,V3,0.15,0.12,<->"), std::string::npos) << csv;
  EXPECT_NE(csv.find("V1,V2,0.1,0.07,o->"), std::string::npos) << csv;
}

}  // namespace
}  // namespace causcale

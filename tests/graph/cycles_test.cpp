#include "graph/cycles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/random.h"
#include "causcale/error.h"
#include "graph/convert.h"
#include "graph/order.h"
#include "graph/reachability.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

std::vector<double> random_scores(std::size_t count, int levels, std::uint32_t number) {
  RandomStream random(77, number, 1);
  std::vector<double> scores(count);
  for (double& score : scores)
    score = levels > 0 ? 0.5 + 0.5 * random.below(levels) / levels : random.uniform(0.5, 1.0);
  return scores;
}

// The rule of the header in the plainest way: insert by falling score, test by search.
std::vector<Edge> kept_by_insertion(const Digraph& graph, const std::vector<double>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
  std::vector<Edge> kept;
  for (std::size_t e : order) {
    kept.push_back(graph.edges()[e]);
    if (!is_acyclic(Digraph(graph.nodes(), kept))) kept.pop_back();
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

TEST(BreakCycles, IsInsertionByFallingScore) {
  for (std::uint32_t k = 0; k < 300; ++k) {
    SCOPED_TRACE(k);
    const Digraph graph = test::random_digraph(2 + k % 14, 0.1 + 0.2 * (k % 4), k);
    const auto scores = random_scores(graph.edge_count(), k % 3 ? 0 : 4, k);
    const CycleBreaking broken = break_cycles(graph, scores);
    const auto kept = broken.graph.edges();
    EXPECT_EQ(std::vector<Edge>(kept.begin(), kept.end()), kept_by_insertion(graph, scores));
    EXPECT_EQ(broken.graph.edge_count() + broken.removed.size(), graph.edge_count());
  }
}

// Each removed edge is a lowest edge of a cycle that it closes with kept edges: the paper's rule, and nothing
// needless.
TEST(BreakCycles, RemovedEdgesAreLowestInACycleOfKeptEdges) {
  for (std::uint32_t k = 0; k < 100; ++k) {
    const Digraph graph = test::random_digraph(30, 0.2, k);
    const auto scores = random_scores(graph.edge_count(), k % 2 ? 5 : 0, k);
    const CycleBreaking broken = break_cycles(graph, scores);
    EXPECT_TRUE(is_acyclic(broken.graph));
    EXPECT_FALSE(broken.removed.empty());
    EXPECT_TRUE(std::is_sorted(broken.removed.begin(), broken.removed.end(),
                               [](const ScoredEdge& a, const ScoredEdge& b) { return a.score > b.score; }));
    for (const ScoredEdge& removed : broken.removed) {
      std::vector<Edge> at_least;
      for (std::size_t e = 0; e < scores.size(); ++e) {
        const Edge edge = graph.edges()[e];
        if (scores[e] >= removed.score && broken.graph.has_edge(edge.source, edge.target))
          at_least.push_back(edge);
      }
      const int start = removed.edge.target;
      EXPECT_TRUE(descendants(Digraph(30, at_least), std::span(&start, 1))[removed.edge.source]);
    }
  }
}

// The paper's loop can arrive at this very result: whatever the order of the removals, each takes the lowest
// edge of a cycle that still exists.
TEST(BreakCycles, RemovalsCanBeReplayedInAnyOrder) {
  for (std::uint32_t k = 0; k < 50; ++k) {
    const Digraph graph = test::random_digraph(12, 0.3, k);
    const auto scores = random_scores(graph.edge_count(), 0, k);
    const CycleBreaking broken = break_cycles(graph, scores);
    std::vector<ScoredEdge> order = broken.removed;
    RandomStream random(5, k, 0);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    std::set<Edge> left(graph.edges().begin(), graph.edges().end());
    for (const ScoredEdge& next : order) {
      // A cycle on which `next` is lowest: back from its target to its source over edges that score higher.
      std::vector<Edge> higher;
      for (std::size_t e = 0; e < scores.size(); ++e)
        if (scores[e] > next.score && left.count(graph.edges()[e])) higher.push_back(graph.edges()[e]);
      const int start = next.edge.target;
      EXPECT_TRUE(descendants(Digraph(12, higher), std::span(&start, 1))[next.edge.source]);
      left.erase(next.edge);
    }
    EXPECT_EQ(std::vector<Edge>(left.begin(), left.end()),
              std::vector<Edge>(broken.graph.edges().begin(), broken.graph.edges().end()));
  }
}

TEST(BreakCycles, DoesNotDependOnTheNumberingOfNodes) {
  const int n = 40;
  const Digraph graph = test::random_digraph(n, 0.3, 3);
  const auto scores = random_scores(graph.edge_count(), 0, 3);
  const auto renamed = [&](int node) { return (node * 7 + 3) % n; };
  std::vector<Edge> edges;
  Matrix<double> matrix(n, n), other(n, n);
  for (std::size_t e = 0; e < scores.size(); ++e) {
    const auto [source, target] = graph.edges()[e];
    matrix(source, target) = other(renamed(source), renamed(target)) = scores[e];
  }
  const CycleBreaking a = break_cycles(graph, matrix), b = break_cycles(graph_above(other, 0.0), other);
  ASSERT_EQ(a.removed.size(), b.removed.size());
  for (const Edge& edge : a.graph.edges())
    EXPECT_TRUE(b.graph.has_edge(renamed(edge.source), renamed(edge.target)));
}

TEST(BreakCycles, KeepsAnAcyclicGraphAndRemovesTheWeakEdgeOfARing) {
  const Digraph dag = test::random_dag(20, 0.3, 9);
  const CycleBreaking same = break_cycles(dag, random_scores(dag.edge_count(), 0, 9));
  EXPECT_EQ(same.graph, dag);
  EXPECT_TRUE(same.removed.empty());
  const Digraph ring(3, {{0, 1}, {1, 2}, {2, 0}});
  const std::vector<double> scores{0.9, 0.6, 0.7};
  EXPECT_EQ(break_cycles(ring, scores).removed, (std::vector<ScoredEdge>{{{1, 2}, 0.6}}));
}

TEST(BreakCycles, LargeDenseNoise) {
  const int n = 600;
  const Digraph graph = test::random_digraph(n, 0.5, 4);
  const CycleBreaking broken = break_cycles(graph, random_scores(graph.edge_count(), 0, 4));
  EXPECT_TRUE(is_acyclic(broken.graph));
  // Insertion into an order keeps about half of the edges of pure noise.
  EXPECT_GT(broken.graph.edge_count(), graph.edge_count() * 45 / 100);
}

TEST(BreakCycles, RejectsWrongScores) {
  const Digraph ring(2, {{0, 1}, {1, 0}});
  EXPECT_THROW(break_cycles(ring, std::vector<double>{0.5}), InputError);
  EXPECT_THROW(break_cycles(ring, std::vector<double>{0.5, NAN}), InputError);
  EXPECT_THROW(break_cycles(ring, Matrix<double>(3, 3)), InputError);
}

}  // namespace
}  // namespace causcale

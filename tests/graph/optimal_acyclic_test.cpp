#include "graph/optimal_acyclic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "causcale/error.h"
#include "graph/cycles.h"
#include "graph/order.h"
#include "graph/order_search.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> random_weights(std::size_t count, int levels, std::uint32_t number) {
  RandomStream random(78, number, 1);
  std::vector<double> weights(count);
  for (double& weight : weights)
    weight = levels > 0 ? random.below(levels) : edge_log_odds(random.uniform(0.5, 1.0), 0.5);
  return weights;
}

// The least weight of backward edges over all orders.
double least_removed(const Digraph& graph, const std::vector<double>& weights) {
  std::vector<int> place(graph.nodes());
  std::iota(place.begin(), place.end(), 0);
  double least = kInfinity;
  do {
    double lost = 0;
    for (std::size_t e = 0; e < weights.size(); ++e)
      if (place[graph.edges()[e].source] > place[graph.edges()[e].target]) lost += weights[e];
    least = std::min(least, lost);
  } while (std::next_permutation(place.begin(), place.end()));
  return least;
}

void expect_consistent(const Digraph& graph, const std::vector<double>& weights,
                       const OptimalAcyclic& result) {
  EXPECT_TRUE(is_acyclic(result.graph));
  EXPECT_EQ(result.graph.edge_count() + result.removed.size(), graph.edge_count());
  double lost = 0;
  for (const ScoredEdge& removed : result.removed) {
    const auto edges = graph.edges();
    const auto found = std::ranges::lower_bound(edges, removed.edge);
    ASSERT_TRUE(found != edges.end() && *found == removed.edge);
    EXPECT_EQ(removed.score, weights[found - edges.begin()]);
    EXPECT_FALSE(result.graph.has_edge(removed.edge.source, removed.edge.target));
    lost += removed.score;
  }
  EXPECT_NEAR(result.removed_weight, lost, 1e-9);
  double greedy = 0;
  for (const ScoredEdge& removed : break_cycles(graph, weights).removed) greedy += removed.score;
  EXPECT_NEAR(result.greedy_removed_weight, greedy, 1e-9);
  EXPECT_LE(result.removed_weight, greedy + 1e-9);
}

TEST(OptimalAcyclic, EqualsBruteForce) {
  int better_than_greedy = 0;
  for (std::uint32_t k = 0; k < 600; ++k) {
    SCOPED_TRACE(k);
    const Digraph graph = test::random_digraph(2 + k % 6, 0.2 + 0.2 * (k % 4), k);
    const auto weights = random_weights(graph.edge_count(), k % 3 ? 0 : 4, k);
    const OptimalAcyclic result = optimal_acyclic(graph, weights);
    expect_consistent(graph, weights, result);
    EXPECT_TRUE(result.exact);
    EXPECT_NEAR(result.removed_weight, least_removed(graph, weights), 1e-9);
    better_than_greedy += result.removed_weight < result.greedy_removed_weight - 1e-9;
  }
  EXPECT_GT(better_than_greedy, 20);
}

TEST(OptimalAcyclic, LocalSearchFindsTheOptimumOfSmallGraphs) {
  int found = 0;
  for (std::uint32_t k = 0; k < 60; ++k) {
    SCOPED_TRACE(k);
    const Digraph graph = test::random_digraph(12, 0.2 + 0.2 * (k % 4), k);
    const auto weights = random_weights(graph.edge_count(), 0, k);
    const OptimalAcyclic exact = optimal_acyclic(graph, weights);
    const OptimalAcyclic searched = optimal_acyclic(graph, weights, {.exact_nodes = 1, .effort = 200'000});
    expect_consistent(graph, weights, searched);
    EXPECT_GE(searched.removed_weight, exact.removed_weight - 1e-9);
    found += searched.removed_weight < exact.removed_weight + 1e-9;
  }
  EXPECT_GE(found, 55);
}

TEST(OptimalAcyclic, NeverWorseThanGreedyOnLargeGraphs) {
  for (std::uint32_t k = 0; k < 6; ++k) {
    SCOPED_TRACE(k);
    const int nodes = 60 + 60 * static_cast<int>(k);
    const Digraph graph = test::random_digraph(nodes, k % 2 ? 0.3 : 4.0 / nodes, k);
    const auto weights = random_weights(graph.edge_count(), k == 3 ? 5 : 0, k);
    const OptimalAcyclic result = optimal_acyclic(graph, weights, {.effort = 5'000'000});
    expect_consistent(graph, weights, result);
    EXPECT_FALSE(result.exact);
    EXPECT_LT(result.removed_weight, result.greedy_removed_weight);
  }
}

TEST(OptimalAcyclic, NothingRemovedGoesNeedlessly) {
  const Digraph graph = test::random_digraph(40, 0.2, 3);
  auto weights = random_weights(graph.edge_count(), 3, 3);  // zeros among them
  const OptimalAcyclic result = optimal_acyclic(graph, weights, {.effort = 100'000});
  for (const ScoredEdge& removed : result.removed) {
    std::vector<Edge> edges(result.graph.edges().begin(), result.graph.edges().end());
    edges.push_back(removed.edge);
    EXPECT_FALSE(is_acyclic(Digraph(graph.nodes(), edges)));
  }
}

TEST(OptimalAcyclic, TheSameWhateverTheThreads) {
  const Digraph graph = test::random_digraph(120, 0.2, 9);
  const auto weights = random_weights(graph.edge_count(), 0, 9);
  const AcyclicSearch one{.seed = 5, .threads = 1, .effort = 3'000'000};
  AcyclicSearch four = one;
  four.threads = 4;
  const OptimalAcyclic first = optimal_acyclic(graph, weights, one);
  EXPECT_EQ(first.graph, optimal_acyclic(graph, weights, four).graph);
  EXPECT_EQ(first.removed, optimal_acyclic(graph, weights, one).removed);
}

TEST(OptimalAcyclic, RequiredEdgesAreKept) {
  for (std::uint32_t k = 0; k < 100; ++k) {
    SCOPED_TRACE(k);
    const int nodes = k % 2 ? 8 : 40;
    const Digraph graph = test::random_digraph(nodes, 0.3, k);
    auto weights = random_weights(graph.edge_count(), 0, k);
    // Edges from a higher to a lower number cannot form a cycle.
    std::vector<Edge> required;
    for (std::size_t e = 0; e < weights.size(); ++e)
      if (graph.edges()[e].source > graph.edges()[e].target && e % 5 == 0) {
        weights[e] = kInfinity;
        required.push_back(graph.edges()[e]);
      }
    const OptimalAcyclic result = optimal_acyclic(graph, weights, {.effort = 200'000});
    EXPECT_TRUE(is_acyclic(result.graph));
    EXPECT_LE(result.removed_weight, result.greedy_removed_weight + 1e-9);
    for (const Edge& edge : required) EXPECT_TRUE(result.graph.has_edge(edge.source, edge.target));
  }
}

// One strong edge against two weaker ones that together are surer: the greedy rule keeps the one.
TEST(OptimalAcyclic, GivesUpAStrongEdgeForSeveral) {
  const Digraph graph(4, {{0, 1}, {1, 2}, {1, 3}, {2, 0}, {3, 0}});
  const std::vector<double> weights = {1.5, 2.0, 2.0, 1.0, 1.0};
  const OptimalAcyclic result = optimal_acyclic(graph, weights);
  ASSERT_EQ(result.removed.size(), 1u);
  EXPECT_EQ(result.removed[0].edge, (Edge{0, 1}));
  EXPECT_DOUBLE_EQ(result.removed_weight, 1.5);
  EXPECT_DOUBLE_EQ(result.greedy_removed_weight, 2.0);
}

TEST(OptimalAcyclic, WrongWeightsAreRefused) {
  const Digraph graph(2, {{0, 1}, {1, 0}});
  EXPECT_THROW(optimal_acyclic(graph, std::vector<double>{1.0}), InputError);
  EXPECT_THROW(optimal_acyclic(graph, std::vector<double>{1.0, -1.0}), InputError);
  EXPECT_THROW(optimal_acyclic(graph, std::vector<double>{1.0, std::nan("")}), InputError);
  EXPECT_THROW(optimal_acyclic(graph, std::vector<double>{kInfinity, kInfinity}), InputError);
}

TEST(EdgeLogOdds, PlainFromOneHalfAndCountedFromLowerThresholds) {
  EXPECT_NEAR(edge_log_odds(0.9, 0.5), std::log(9.0), 1e-12);
  EXPECT_NEAR(edge_log_odds(0.9, 0.8), std::log(9.0), 1e-12);
  EXPECT_NEAR(edge_log_odds(0.3, 0.2), std::log(0.3 / 0.7) - std::log(0.2 / 0.8), 1e-12);
  EXPECT_GT(edge_log_odds(0.3, 0.0), 0.0);
  EXPECT_TRUE(std::isfinite(edge_log_odds(1.0, 0.0)));
  EXPECT_EQ(edge_log_odds(0.1, 0.2), 0.0);
}

TEST(OrderSearch, NeverLosesAndReturnsAPermutation) {
  for (std::uint32_t k = 0; k < 30; ++k) {
    const int nodes = 2 + static_cast<int>(k);
    const Digraph graph = test::random_digraph(nodes, 0.5, k);
    std::vector<WeightedEdge> edges;
    RandomStream random(5, k, 0);
    for (const Edge& edge : graph.edges()) edges.push_back({edge.source, edge.target, random.uniform()});
    const auto forward = [&](const std::vector<int>& order) {
      std::vector<int> place(nodes);
      for (int p = 0; p < nodes; ++p) place[order[p]] = p;
      double sum = 0;
      for (const WeightedEdge& edge : edges)
        if (place[edge.source] < place[edge.target]) sum += edge.weight;
      return sum;
    };
    for (auto start : {random_order(nodes, 1, k), order_by_surplus(nodes, edges)}) {
      const std::vector<int> order = search_order(start, edges, 20'000, 1, k);
      EXPECT_GE(forward(order), forward(start) - 1e-9);
      for (auto list : {order, start}) {
        std::ranges::sort(list);
        for (int v = 0; v < nodes; ++v) EXPECT_EQ(list[v], v);
      }
    }
  }
}

}  // namespace
}  // namespace causcale

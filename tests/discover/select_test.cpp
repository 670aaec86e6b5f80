#include "discover/select.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/apply_knowledge.h"

namespace causcale {
namespace {

TEST(DealRows, UsesEveryRowOnceWhenThereIsRoom) {
  const auto hands = deal_rows(103, 4, 0, 7);
  std::vector<std::size_t> all;
  for (const auto& hand : hands) {
    EXPECT_TRUE(std::ranges::is_sorted(hand));
    EXPECT_GE(hand.size(), 25u);
    EXPECT_LE(hand.size(), 26u);
    all.insert(all.end(), hand.begin(), hand.end());
  }
  std::ranges::sort(all);
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], k);
  EXPECT_EQ(all.size(), 103u);
}

TEST(DealRows, ThinsEvenly) {
  for (std::uint64_t seed : {0, 1, 5}) {
    const auto hands = deal_rows(1000, 1, 100, seed);
    ASSERT_EQ(hands.size(), 1u);
    ASSERT_EQ(hands[0].size(), 100u);
    // Every block of 100 rows (a regime, say) keeps a tenth of its rows.
    for (std::size_t block = 0; block < 10; ++block)
      EXPECT_EQ(std::ranges::count_if(hands[0], [&](std::size_t r) { return r / 100 == block; }), 10);
  }
  EXPECT_NE(deal_rows(1000, 1, 100, 0), deal_rows(1000, 1, 100, 1));
}

DiscoverResult three_cycle() {
  DiscoverResult result;
  result.names = {"a", "b", "c"};
  result.probabilities = Matrix<double>(3, 3);
  result.probabilities(0, 1) = 0.9;
  result.probabilities(1, 2) = 0.8;
  result.probabilities(2, 0) = 0.7;
  result.probabilities(1, 0) = 0.05;
  return result;
}

TEST(SelectGraph, ThresholdIsStrict) {
  DiscoverResult result = three_cycle();
  DiscoverOptions options;
  options.threshold = 0.8;
  select_graph(options, result);
  EXPECT_EQ(result.graph, Digraph(3, {{0, 1}}));
}

TEST(SelectGraph, LessProbablePairsThanTheFloorAreNoEdges) {
  DiscoverResult result = three_cycle();
  DiscoverOptions options;
  options.min_probability = 0.8;
  select_graph(options, result);
  EXPECT_EQ(result.graph, Digraph(3, {{0, 1}, {1, 2}}));  // the floor itself belongs to them
  EXPECT_EQ(result.min_probability, 0.8);
  options.top = 5;
  select_graph(options, result);
  EXPECT_EQ(result.graph.edge_count(), 2u);
  options.knowledge.required = {{1, 0}};
  select_graph(options, result);
  EXPECT_TRUE(result.graph.has_edge(1, 0));  // required edges stay
}

TEST(SelectGraph, TopReplacesTheThreshold) {
  DiscoverResult result = three_cycle();
  DiscoverOptions options;
  options.top = 4;
  select_graph(options, result);
  EXPECT_EQ(result.graph.edge_count(), 4u);
  options.top = 2;
  select_graph(options, result);
  EXPECT_EQ(result.graph, Digraph(3, {{0, 1}, {1, 2}}));
}

TEST(SelectGraph, BreaksTheCycleAtItsWeakestEdge) {
  DiscoverResult result = three_cycle();
  DiscoverOptions options;
  options.acyclic = true;
  select_graph(options, result);
  EXPECT_EQ(result.graph, Digraph(3, {{0, 1}, {1, 2}}));
  ASSERT_EQ(result.removed_edges.size(), 1u);
  EXPECT_EQ(result.removed_edges[0].edge, (Edge{2, 0}));
  EXPECT_DOUBLE_EQ(result.removed_edges[0].score, 0.7);
}

TEST(SelectGraph, RequiredEdgesSurviveThresholdAndCycleBreaking) {
  DiscoverResult result = three_cycle();
  DiscoverOptions options;
  options.acyclic = true;
  options.threshold = 0.6;
  options.knowledge.required = {{2, 0}};
  apply_knowledge(options.knowledge, result.probabilities);
  EXPECT_DOUBLE_EQ(result.probabilities(2, 0), 1.0);
  select_graph(options, result);
  EXPECT_TRUE(result.graph.has_edge(2, 0));
  EXPECT_TRUE(result.graph.has_edge(0, 1));
  EXPECT_FALSE(result.graph.has_edge(1, 2));

  options.threshold = 1.0;  // nothing is strictly more probable
  select_graph(options, result);
  EXPECT_EQ(result.graph, Digraph(3, {{2, 0}}));
}

// The greedy rule keeps 1 -> 2 and 1 -> 3 and gives up both edges back; the best graph gives up 0 -> 1.
DiscoverResult one_against_two() {
  DiscoverResult result;
  result.names = {"a", "b", "c", "d"};
  result.probabilities = Matrix<double>(4, 4);
  result.probabilities(0, 1) = 0.8;
  result.probabilities(1, 2) = result.probabilities(1, 3) = 0.9;
  result.probabilities(2, 0) = result.probabilities(3, 0) = 0.75;
  return result;
}

TEST(SelectGraph, OptimalGivesUpLessThanGreedy) {
  DiscoverResult result = one_against_two();
  DiscoverOptions options;
  options.acyclic = true;
  select_graph(options, result);
  EXPECT_EQ(result.removed_edges.size(), 2u);
  EXPECT_NEAR(result.acyclic_price.removed_log_odds, 2 * std::log(3.0), 1e-9);
  EXPECT_FALSE(result.acyclic_price.exact);

  options.acyclic_rule = AcyclicRule::kOptimal;
  select_graph(options, result);
  ASSERT_EQ(result.removed_edges.size(), 1u);
  EXPECT_EQ(result.removed_edges[0], (ScoredEdge{{0, 1}, 0.8}));
  EXPECT_NEAR(result.acyclic_price.removed_log_odds, std::log(4.0), 1e-9);
  EXPECT_NEAR(result.acyclic_price.greedy_log_odds, 2 * std::log(3.0), 1e-9);
  EXPECT_TRUE(result.acyclic_price.exact);

  options.knowledge.required = {{0, 1}};
  select_graph(options, result);
  EXPECT_TRUE(result.graph.has_edge(0, 1));
  EXPECT_EQ(result.removed_edges.size(), 2u);
}

// Below 1/2 log-odds are negative; counted from the threshold, every edge still speaks for itself.
TEST(SelectGraph, OptimalKeepsWhatItCanAtLowThresholds) {
  DiscoverResult result = one_against_two();
  for (double& p : result.probabilities.values()) p *= 0.4;
  DiscoverOptions options;
  options.acyclic = true;
  options.acyclic_rule = AcyclicRule::kOptimal;
  options.threshold = 0.2;
  select_graph(options, result);
  EXPECT_EQ(result.graph.edge_count(), 4u);
  EXPECT_LT(result.acyclic_price.removed_log_odds, result.acyclic_price.greedy_log_odds);
  options.top = 5;
  select_graph(options, result);
  EXPECT_GE(result.graph.edge_count(), 3u);
  EXPECT_LE(result.acyclic_price.removed_log_odds, result.acyclic_price.greedy_log_odds);
}

}  // namespace
}  // namespace causcale

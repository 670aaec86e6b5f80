#include "discover/select.h"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(ApplyKnowledge, ForbiddenAndTiers) {
  DiscoverResult result = three_cycle();
  Knowledge knowledge;
  knowledge.forbidden = {{0, 1}};
  knowledge.tier_of = {0, 1, 1};
  apply_knowledge(knowledge, result.probabilities);
  EXPECT_EQ(result.probabilities(0, 1), 0);
  EXPECT_EQ(result.probabilities(2, 0), 0);
  EXPECT_EQ(result.probabilities(1, 0), 0);
  EXPECT_EQ(result.probabilities(1, 2), 0.8);
}

}  // namespace
}  // namespace causcale

#include "report/layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/layout_ranks.h"
#include "report/sample_results.h"

namespace causcale {
namespace {

LayeredLayout laid_out(const Digraph& graph) {
  return layered_layout(graph, std::vector<double>(graph.edge_count(), 1.0),
                        std::vector<double>(graph.nodes(), 50.0));
}

TEST(Layout, CausesStandAboveEffects) {
  const DiscoverResult result = synthetic_result(60, 150, 5);
  const LayeredLayout layout = laid_out(result.graph);
  for (const auto& [source, target] : result.graph.edges())
    EXPECT_LT(layout.centers[source].y, layout.centers[target].y);
}

TEST(Layout, BoxesDoNotOverlapAndStayInside) {
  const DiscoverResult result = synthetic_result(80, 160, 7);
  std::vector<double> widths;
  for (int v = 0; v < 80; ++v) widths.push_back(30 + v % 7 * 15);
  const LayoutSpacing spacing;
  const LayeredLayout layout =
      layered_layout(result.graph, std::vector<double>(result.graph.edge_count(), 1.0), widths, spacing);
  for (int a = 0; a < 80; ++a) {
    EXPECT_GE(layout.centers[a].x - widths[a] / 2, -1e-6);
    EXPECT_LE(layout.centers[a].x + widths[a] / 2, layout.width + 1e-6);
    EXPECT_LE(layout.centers[a].y + spacing.node_height / 2, layout.height + 1e-6);
    for (int b = 0; b < a; ++b) {
      const bool apart = std::abs(layout.centers[a].x - layout.centers[b].x) >= (widths[a] + widths[b]) / 2 ||
                         std::abs(layout.centers[a].y - layout.centers[b].y) >= spacing.node_height;
      EXPECT_TRUE(apart) << a << " and " << b;
    }
  }
}

TEST(Layout, LongEdgesAreLedThroughEveryLayerBetween) {
  const Digraph graph(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  const LayeredLayout layout = laid_out(graph);
  EXPECT_EQ(layout.layer_of, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(layout.bends[0].empty());
  ASSERT_EQ(layout.bends[1].size(), 2u);  // 0 -> 3, second in (source, target) order
  EXPECT_DOUBLE_EQ(layout.bends[1][0].y, layout.centers[1].y);
  EXPECT_DOUBLE_EQ(layout.bends[1][1].y, layout.centers[2].y);
  EXPECT_NE(layout.bends[1][0].x, layout.centers[1].x);
}

TEST(Layout, TheLeastProbableEdgeOfACyclePointsUpwards) {
  const Digraph graph(3, {{0, 1}, {1, 2}, {2, 0}});
  const LayeredLayout layout = layered_layout(graph, std::vector<double>{0.6, 0.9, 0.8},  // 0->1, 1->2, 2->0
                                              std::vector<double>(3, 40.0));
  EXPECT_LT(layout.centers[1].y, layout.centers[2].y);
  EXPECT_LT(layout.centers[2].y, layout.centers[0].y);
  EXPECT_GT(layout.centers[0].y, layout.centers[1].y);
  ASSERT_EQ(layout.bends[0].size(), 1u);  // 0 -> 1 passes the layer of 2
}

TEST(Layout, NodesWithoutEdgesStandBeneath) {
  const Digraph graph(5, {{1, 3}});
  const LayeredLayout layout = laid_out(graph);
  for (int alone : {0, 2, 4}) EXPECT_GT(layout.centers[alone].y, layout.centers[3].y);
  const LayeredLayout none = laid_out(Digraph(3));
  EXPECT_GT(none.width, 150);
  EXPECT_DOUBLE_EQ(none.centers[0].y, none.centers[2].y);
  EXPECT_TRUE(laid_out(Digraph(0)).centers.empty());
}

TEST(Layout, IsTheSameEveryTime) {
  const DiscoverResult result = synthetic_result(100, 300, 9);
  const LayeredLayout first = laid_out(result.graph), second = laid_out(result.graph);
  EXPECT_EQ(first.centers, second.centers);
  EXPECT_EQ(first.bends, second.bends);
}

TEST(Layout, FewBendsLeaveTheMostProbableRouted) {
  const Digraph graph(4, {{0, 1}, {0, 3}, {1, 2}, {2, 3}, {1, 3}});
  LayoutSpacing spacing;
  spacing.most_bends = 2;
  // Order of edges: 0->1, 0->3, 1->2, 1->3, 2->3.
  const LayeredLayout layout =
      layered_layout(graph, std::vector<double>{1, 0.9, 1, 0.6, 1}, std::vector<double>(4, 40.0), spacing);
  EXPECT_EQ(layout.bends[1].size(), 2u);
  EXPECT_TRUE(layout.bends[3].empty());
}

TEST(LayoutRanks, CrossingsAreCountedAndRemoved) {
  LayerNetwork network;
  const int a = network.add(0, 1, false), b = network.add(0, 1, false), c = network.add(0, 1, false);
  const int x = network.add(1, 1, false), y = network.add(1, 1, false), z = network.add(1, 1, false);
  network.link(a, z);
  network.link(b, y);
  network.link(c, x);
  EXPECT_EQ(count_crossings(network), 3u);
  reduce_crossings(network);
  EXPECT_EQ(count_crossings(network), 0u);
}

TEST(LayoutRanks, CausesMoveDownToTheirEffects) {
  // 3 -> 2 alone: 3 could stand at the top, but belongs just above 2.
  const auto layers = assign_layers(Digraph(4, {{0, 1}, {1, 2}, {3, 2}}));
  EXPECT_EQ(layers, (std::vector<int>{0, 1, 2, 1}));
}

TEST(LayoutRanks, WideLayersAreSplitAndEdgesStillPointDown) {
  std::vector<Edge> edges;
  for (int leaf = 1; leaf <= 30; ++leaf) edges.push_back({0, leaf});
  edges.push_back({1, 31});
  const Digraph graph(33, edges);  // 32 has no edge
  auto layer = assign_layers(graph);
  split_wide_layers(graph, 10, layer);
  std::vector<int> count(10, 0);
  for (int node = 0; node < 32; ++node) ++count[layer[node]];
  EXPECT_EQ(count, (std::vector<int>{1, 10, 10, 10, 1, 0, 0, 0, 0, 0}));
  for (const Edge& edge : graph.edges()) EXPECT_LT(layer[edge.source], layer[edge.target]);
  EXPECT_EQ(layer[1], 3);
}

TEST(LayoutRanks, PlacesKeepOrderAndDistance) {
  LayerNetwork network;
  const int top = network.add(0, 20, false);
  std::vector<int> row;
  for (int k = 0; k < 5; ++k) {
    row.push_back(network.add(1, 10 + k, false));
    network.link(top, row.back());
  }
  const auto x = place_vertices(network);
  for (int k = 0; k + 1 < 5; ++k) EXPECT_GE(x[row[k + 1]] - x[row[k]], 21 + 2 * k - 1e-9);
  EXPECT_GT(x[top], x[row[0]]);
  EXPECT_LT(x[top], x[row[4]]);
}

}  // namespace
}  // namespace causcale

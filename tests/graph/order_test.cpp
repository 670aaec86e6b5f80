#include "graph/order.h"

#include <gtest/gtest.h>

#include "causcale/error.h"
#include "graph/bit_matrix.h"
#include "graph/components.h"
#include "graph/moral.h"
#include "graph/reachability.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

// Reachability by repeated relaxation, paths of length zero included.
std::vector<std::vector<char>> closure(const Digraph& graph) {
  const int n = graph.nodes();
  std::vector<std::vector<char>> reach(n, std::vector<char>(n, 0));
  for (int i = 0; i < n; ++i) reach[i][i] = 1;
  for (const Edge& edge : graph.edges()) reach[edge.source][edge.target] = 1;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) reach[i][j] |= reach[i][k] & reach[k][j];
  return reach;
}

bool has_cycle(const Digraph& graph) {
  const auto reach = closure(graph);
  for (const Edge& edge : graph.edges())
    if (reach[edge.target][edge.source]) return true;
  return false;
}

TEST(Order, PlacesEveryNodeAfterItsParents) {
  for (std::uint32_t k = 0; k < 200; ++k) {
    const Digraph dag = test::random_dag(1 + k % 40, 0.15, k);
    const auto order = topological_order(dag);
    ASSERT_TRUE(order);
    std::vector<int> position(dag.nodes(), -1);
    for (int p = 0; p < dag.nodes(); ++p) position[(*order)[p]] = p;
    for (const Edge& edge : dag.edges()) EXPECT_LT(position[edge.source], position[edge.target]);
  }
}

TEST(Order, AgreesWithBruteForceOnCycles) {
  int cyclic = 0;
  for (std::uint32_t k = 0; k < 300; ++k) {
    const Digraph graph = test::random_digraph(2 + k % 8, 0.2, k);
    EXPECT_EQ(is_acyclic(graph), !has_cycle(graph));
    cyclic += has_cycle(graph);
  }
  EXPECT_GT(cyclic, 50);
  EXPECT_LT(cyclic, 250);
}

TEST(Order, EmptyAndEdgelessGraphs) {
  EXPECT_TRUE(is_acyclic(Digraph(0)));
  EXPECT_EQ(*topological_order(Digraph(3)), (std::vector<int>{0, 1, 2}));
}

TEST(Components, AreTheClassesOfMutualReachability) {
  for (std::uint32_t k = 0; k < 200; ++k) {
    const Digraph graph = test::random_digraph(1 + k % 12, 0.05 + 0.05 * (k % 4), k);
    const auto reach = closure(graph);
    const Components components = strongly_connected_components(graph);
    for (int i = 0; i < graph.nodes(); ++i)
      for (int j = 0; j < graph.nodes(); ++j) {
        EXPECT_EQ(components.component_of[i] == components.component_of[j], reach[i][j] && reach[j][i]);
        if (reach[i][j]) {
          EXPECT_GE(components.component_of[i], components.component_of[j]);
        }
      }
    std::size_t members = 0;
    for (const auto& list : components.members()) {
      EXPECT_FALSE(list.empty());
      members += list.size();
    }
    EXPECT_EQ(members, static_cast<std::size_t>(graph.nodes()));
  }
}

TEST(Components, LongChainsAndRingsNeedNoStack) {
  const int n = 100'000;
  std::vector<Edge> edges;
  for (int i = 0; i + 1 < n; ++i) edges.push_back({i, i + 1});
  EXPECT_EQ(strongly_connected_components(Digraph(n, edges)).count, n);
  edges.push_back({n - 1, 0});
  const Digraph ring(n, edges);
  EXPECT_EQ(strongly_connected_components(ring).count, 1);
  EXPECT_FALSE(is_acyclic(ring));
}

TEST(Reachability, EqualsTheClosure) {
  for (std::uint32_t k = 0; k < 100; ++k) {
    const int n = 1 + k % 80;
    const Digraph dag = test::random_dag(n, 0.06, k);
    const auto reach = closure(dag);
    const BitMatrix above = ancestor_sets(dag), below = descendant_sets(dag);
    const int pair[] = {0, n / 2};
    const auto above_pair = ancestors(dag, pair), below_pair = descendants(dag, pair);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        EXPECT_EQ(test_bit(below.row(i), j), reach[i][j]);
        EXPECT_EQ(test_bit(above.row(j), i), reach[i][j]);
      }
      EXPECT_EQ(below_pair[i] != 0, reach[pair[0]][i] || reach[pair[1]][i]);
      EXPECT_EQ(above_pair[i] != 0, reach[i][pair[0]] || reach[i][pair[1]]);
    }
  }
  EXPECT_THROW(ancestor_sets(Digraph(2, {{0, 1}, {1, 0}})), InputError);
}

TEST(Moral, JoinsNeighboursAndParentsOfACommonChild) {
  EXPECT_EQ(moral_edges(Digraph(4, {{2, 0}, {1, 0}, {0, 3}})),
            (std::vector<Edge>{{0, 1}, {0, 2}, {0, 3}, {1, 2}}));
  for (std::uint32_t k = 0; k < 100; ++k) {
    const Digraph dag = test::random_dag(2 + k % 15, 0.25, k);
    std::vector<Edge> expected;
    for (int i = 0; i < dag.nodes(); ++i)
      for (int j = i + 1; j < dag.nodes(); ++j) {
        bool joined = dag.has_edge(i, j) || dag.has_edge(j, i);
        for (int c = 0; c < dag.nodes(); ++c) joined |= dag.has_edge(i, c) && dag.has_edge(j, c);
        if (joined) expected.push_back({i, j});
      }
    EXPECT_EQ(moral_edges(dag), expected);
  }
}

TEST(Digraph, RejectsWhatIsNoGraph) {
  EXPECT_THROW(Digraph(2, {{0, 2}}), InputError);
  EXPECT_THROW(Digraph(2, {{-1, 0}}), InputError);
  EXPECT_THROW(Digraph(2, {{1, 1}}), InputError);
  EXPECT_THROW(Digraph(2, {{0, 1}, {0, 1}}), InputError);
  EXPECT_THROW(Digraph::from_adjacency(Matrix<std::uint8_t>(2, 3)), InputError);
}

TEST(Digraph, AdjacencyRoundTrip) {
  for (std::uint32_t k = 0; k < 30; ++k) {
    const Digraph graph = test::random_digraph(k % 20, 0.3, k);
    EXPECT_EQ(Digraph::from_adjacency(graph.adjacency()), graph);
    for (int i = 0; i < graph.nodes(); ++i) {
      for (int child : graph.children(i)) EXPECT_TRUE(graph.has_edge(i, child));
      for (int parent : graph.parents(i)) EXPECT_TRUE(graph.has_edge(parent, i));
      EXPECT_TRUE(std::is_sorted(graph.parents(i).begin(), graph.parents(i).end()));
    }
  }
}

}  // namespace
}  // namespace causcale
